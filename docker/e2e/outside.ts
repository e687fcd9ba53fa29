// Asks the service as a user of the machine does: by the published port. A container in the engine's own network sends each request; where the
// engine runs on the machine, that network is the machine's. The container has no rights, and its user is not root.
import { type Answer, allItems, Client, type Given, type Route } from '../../packages/core/src/client/index.ts';
import type { Campaign, Visit } from '../../packages/core/src/schemas/index.ts';
import { docker, label, ownName, runInside } from './engine.ts';

/** Starting a process in a container takes its time. */
const timeoutMs = 120_000;

export class Outside {
  readonly container: string;
  readonly token: string;
  readonly client: Client;
  readonly #url: string;

  private constructor(container: string, url: string, token: string) {
    this.container = container;
    this.token = token;
    this.client = new Client({ service: url, token, timeoutMs, fetch: (address, request) => this.#fetch(`${address}`, request) });
    this.#url = url;
  }

  /** @param image has Node; the runner's has Chrome too */
  static async open(image: string, url: string, token: string): Promise<Outside> {
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
    return new Outside((await docker(argv)).stdout.trim(), url, token);
  }

  /** @returns the body of the answer. @throws as `Client` */
  async ask<R extends Route>(route: R, given: Given<R>): Promise<Answer<R>['body']> {
    return (await this.client.ask(route, given)).body;
  }

  async visits(id: string): Promise<Visit[]> {
    return await allItems((query) => this.ask('GET /campaigns/{id}/visits', { id, query }));
  }

  /**
   * Waits in one process, so that waiting puts no load beside the visits.
   *
   * @returns the event that says that the campaign came this far; null where it did not within the time
   * @throws Error where its events end before
   */
  async waitFor(until: 'round' | 'done', campaignId: string, limitMs: number): Promise<{ progress?: Campaign['progress'] } | null> {
    const url = `${this.#url}/api/v1/campaigns/${campaignId}/events`;
    return await runInside(this.container, 'wait-for.ts', { url, headers: { authorization: `Bearer ${this.token}` }, until, limitMs });
  }

  async #fetch(url: string, { method, headers, body }: RequestInit = {}): Promise<Response> {
    const answer = await runInside<{ status: number; text: string }>(this.container, 'ask.ts', { method, url, headers, body });
    return new Response(answer.text === '' ? null : answer.text, { status: answer.status });
  }

  async close(): Promise<void> {
    await docker(['rm', '--force', '--volumes', this.container]);
  }
}
