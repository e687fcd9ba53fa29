// The web's documents: those of the demo's sites with something more in them.
import type { ServerResponse } from 'node:http';
import { setInterval as ticks } from 'node:timers/promises';

export interface Variation {
  base: string;
  /** Instead of the page's own title and headline. */
  headline?: string;
  /** At the end of the head. */
  head?: string;
  /** At the end of the body. */
  body?: string;
  /** All of the body instead of the base's. */
  instead?: string;
}

export function vary({ base, headline, head = '', body = '', instead }: Variation): string {
  let text = base;
  if (headline !== undefined) {
    text = text.replace(/<title>.*?<\/title>/s, () => `<title>${headline}</title>`).replace(/<h1>.*?<\/h1>/s, () => `<h1>${headline}</h1>`);
  }
  if (instead !== undefined) text = text.replace(/<body>.*<\/body>/s, () => `<body>${instead}</body>`);
  return text.replace('</head>', () => `${head}</head>`).replace('</body>', () => `${body}</body>`);
}

/** Sends a document that clients must request again each time. */
export function html(response: ServerResponse, variation: Variation, status = 200, headers: Record<string, string> = {}): void {
  send(response, vary(variation), 'text/html; charset=utf-8', status, headers);
}

export function script(response: ServerResponse, text: string): void {
  send(response, text, 'text/javascript; charset=utf-8');
}

export function json(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  send(response, JSON.stringify(value), 'application/json', 200, headers);
}

export function send(
  response: ServerResponse,
  body: string | Buffer,
  type: string,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

export function redirect(response: ServerResponse, location: string, headers: Record<string, string> = {}): void {
  response.writeHead(302, { location, 'cache-control': 'no-store', ...headers });
  response.end();
}

/** Resolves when the time is over or the client is gone. */
export function pause(response: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A band above the page, as banners of consent and notices have. */
export const notice = (text: string) =>
  `<div role="status" style="position:fixed;inset:auto 0 0;padding:14px 20px;background:#1f2a2b;color:#fff;font:15px/1.4 'Liberation Sans',sans-serif;z-index:9">${text}</div>`;

// Answers that keep sending pieces.

/** All that stays open ends after this: a forgotten tab must not hold a connection for ever. */
export const maxOpenMs = 120_000;

/** Writes a piece repeatedly, the first at once, until the client disconnects or the time is over. */
export async function trickle(response: ServerResponse, everyMs: number, piece: (n: number) => string | Buffer): Promise<void> {
  response.write(piece(0));
  let n = 0;
  for await (const _ of ticks(everyMs)) {
    if (response.destroyed || ++n * everyMs > maxOpenMs) break;
    response.write(piece(n));
  }
  response.end();
}
