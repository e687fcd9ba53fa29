// Asks the service as whoever sits at the machine does: by the published port. The question is put by a container in the engine's own
// network, which is the machine's where the engine runs on it.
import { docker } from './engine.ts';

export class Outside {
  readonly #container: string;
  readonly #url: string;
  token = '';

  private constructor(container: string, url: string) {
    this.#container = container;
    this.#url = url;
  }

  static async open(image: string, url: string): Promise<Outside> {
    const argv = ['run', '--detach', '--rm', '--network', 'host', '--entrypoint', 'sleep', image, 'infinity'];
    return new Outside((await docker(argv)).stdout.trim(), url);
  }

  /** @returns status and body of an answer */
  async request(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const script = `
      const { method, url, token, body } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
      const headers = { ...(token && { authorization: 'Bearer ' + token }), ...(body && { 'content-type': 'application/json' }) };
      fetch(url, { method, headers, body: body && JSON.stringify(body) })
        .then(async (response) => console.log(JSON.stringify({ status: response.status, text: await response.text() })));`;
    const input = JSON.stringify({ method, url: `${this.#url}${path}`, token: this.token, body });
    const { stdout } = await docker(['exec', '--interactive', this.#container, 'node', '-e', script], { input });
    return JSON.parse(stdout);
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

  async close(): Promise<void> {
    await docker(['rm', '--force', this.#container]);
  }
}
