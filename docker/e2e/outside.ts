// Asks the service as whoever sits at the machine does: by the published port. The question is put by a container in the engine's own
// network, which is the machine's where the engine runs on it. Its own rights are none, and its user is not root.
import type { Campaign } from '../../packages/core/src/schemas/index.ts';
import { docker, label, ownName, runInside } from './engine.ts';

export class Outside {
  readonly container: string;
  readonly #url: string;
  token = '';

  private constructor(container: string, url: string) {
    this.container = container;
    this.#url = url;
  }

  /** @param image has Node; the runner's has Chrome too */
  static async open(image: string, url: string): Promise<Outside> {
    const rights = [
      '--user',
      '10001',
      '--cap-drop',
      'ALL',
      '--security-opt',
      'no-new-privileges',
      '--security-opt',
      'seccomp=docker/seccomp.json',
    ];
    const room = ['--network', 'host', '--read-only', '--tmpfs', '/tmp:exec', '--shm-size', '256m', '--init'];
    const argv = [
      'run',
      '--detach',
      '--rm',
      '--label',
      `${label}=${ownName}`,
      ...rights,
      ...room,
      '--entrypoint',
      'sleep',
      image,
      'infinity',
    ];
    return new Outside((await docker(argv)).stdout.trim(), url);
  }

  /** @returns status and body of an answer */
  async request(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const headers = { ...this.#authorization, ...(body ? { 'content-type': 'application/json' } : {}) };
    return await runInside(this.container, 'ask.ts', { method, url: `${this.#url}${path}`, headers, body: body && JSON.stringify(body) });
  }

  /** @throws Error with what was answered, where that is no success */
  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await this.request(method, `/api/v1${path}`, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text) as T;
  }

  async all<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { items: T[]; nextCursor: string | null } = await this.ask(
        'GET',
        `${path}?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    return items;
  }

  /**
   * Waits in one process, so that the waiting is no work beside the visits.
   *
   * @returns the event that tells that the campaign came so far; null where it did not within the time
   *
   * @throws Error where its events end before
   */
  async waitFor(until: 'round' | 'done', campaignId: string, limitMs: number): Promise<{ progress?: Campaign['progress'] } | null> {
    const url = `${this.#url}/api/v1/campaigns/${campaignId}/events`;
    return await runInside(this.container, 'wait-for.ts', { url, headers: this.#authorization, until, limitMs });
  }

  get #authorization(): Record<string, string> {
    return this.token === '' ? {} : { authorization: `Bearer ${this.token}` };
  }

  async close(): Promise<void> {
    await docker(['rm', '--force', '--volumes', this.container]);
  }
}
