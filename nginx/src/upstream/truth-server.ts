// Serves the ground-truth pages: the document at once, each object at its deadline.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as timer } from 'node:timers/promises';
import { rgb } from '../content/painting.ts';
import { encodePng } from '../content/png.ts';
import { isImage, type TruthObject, type TruthPage, truthPages, viewportRows } from '../hosts/truth.ts';

/** @returns what answers a request that arrived at `arrivedMs` (clock of `performance.now()`) */
export async function makeTruthServer(): Promise<(request: IncomingMessage, response: ServerResponse, arrivedMs: number) => Promise<void>> {
  const visits = new Visits();
  const bodies = new Map<TruthObject, Buffer>();
  for (const object of truthPages.flatMap(({ objects }) => objects)) bodies.set(object, await body(object));

  return async (request, response, arrivedMs) => {
    const path = (request.url ?? '/').split('?')[0] as string;
    const page = truthPages.find(({ name }) => path === `/${name}`);
    if (page) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      response.end(renderTruthPage(page, visits.start(page.name, arrivedMs)));
      return;
    }
    const [, id = '', number = ''] = /^\/visit\/([0-9a-f-]{36})\/(\d+)$/.exec(path) ?? [];
    const visit = visits.find(id);
    const object = truthPages.find(({ name }) => name === visit?.page)?.objects[Number(number)];
    if (!visit || !object) {
      const names = truthPages.map(({ name }) => `/${name}`).join(' ');
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
      response.end(`no such page, or a visit that is over: ${path}. There are ${names}\n`);
      return;
    }
    await send(response, object, bodies.get(object) as Buffer, visit.arrivedMs);
  };
}

/** The evidence goes with the object: how late the upstream itself was. */
async function send(response: ServerResponse, object: TruthObject, content: Buffer, arrivedMs: number): Promise<void> {
  if (!(await isAwaitedAt(arrivedMs + object.atMs, response))) return;
  const lateMs = performance.now() - arrivedMs - object.atMs;
  response.writeHead(200, {
    'content-type': isImage(object) ? 'image/png' : 'text/plain',
    'content-length': content.length,
    'cache-control': 'no-store',
    'server-timing': `deadline;dur=${object.atMs}, late;dur=${lateMs.toFixed(3)}`,
  });
  response.end(content);
}

/** One pixel, which the page stretches, or four: nothing to transfer, next to nothing to decode. What is fetched is its colour's name. */
async function body(object: TruthObject): Promise<Buffer> {
  return isImage(object) ? onePixel(object.colour, object.kind === 'cover' ? 2 : 1) : Buffer.from(object.colour);
}

/** @param side of a square of them, if more are asked for */
export function onePixel(colour: string, side = 1): Promise<Buffer> {
  const pixel = rgb(colour);
  return encodePng({ width: side, height: side, rgb: Uint8Array.from(Array.from({ length: side ** 2 }, () => [...pixel]).flat()) });
}

/** White and empty but for what is still to come: anything painted earlier would count for SpeedIndex. */
export function renderTruthPage({ title, objects }: TruthPage, visit: string): string {
  let top = 0;
  const elements = objects.map((object, n) => {
    const { kind, rows, atMs, colour } = object;
    const url = `/visit/${visit}/${n}`;
    if (kind === 'hidden') return `<img src="${url}" alt="" hidden>`;
    if (kind === 'cover') top -= rows;
    const place = `style="top:calc(100vh * ${top} / ${viewportRows});height:calc(100vh * ${rows} / ${viewportRows})"`;
    top += rows;
    // Decoded with the frame that shows it, not some frames later.
    if (isImage(object)) return `<img src="${url}" alt="" decoding="sync" ${place}>`;
    const script =
      kind === 'timer-band'
        ? `setTimeout(() => show('${colour}'), ${atMs} - performance.now() + performance.getEntriesByType('navigation')[0].responseStart);`
        : `fetch('${url}').then((response) => response.text()).then(show);`;
    return `<div id="late${n}" ${place}></div>
<script>{ const { style } = late${n}; const show = ${shows[kind] ?? shows['late-band']}; ${script} }</script>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>html, body { margin: 0; background: #fff; overflow: hidden; } img, div { position: absolute; left: 0; width: 100vw; }
@keyframes pulse { 50% { background: #7a2a2a; } }</style>
${elements.join('\n')}
</html>
`;
}

/** What becomes of a colour that a script has got. */
const shows: Partial<Record<TruthObject['kind'], string>> = {
  'late-band': '(colour) => { style.background = colour; }',
  pulse: `(colour) => { style.background = colour; style.animation = 'pulse 1s step-end infinite'; }`,
  slides: `(colour) => { let slide = 0; const next = () => { style.background = [colour, '#2a7a2a', '#2a2a7a'][slide++ % 3]; }; next(); setInterval(next, 700); }`,
};

/**
 * Timers count whole milliseconds and come late, never early: so sleep to within this of the deadline, then look at the
 * clock once in every turn of the event loop. Other requests are served between two looks.
 */
const spinMs = 2.5;

/**
 * Resolves at `deadlineMs` on the clock of `performance.now()`, or at once when that has passed.
 * @throws {AbortError} when `signal` aborts.
 */
export async function until(deadlineMs: number, signal: AbortSignal): Promise<void> {
  const sleepMs = Math.floor(deadlineMs - performance.now() - spinMs);
  if (sleepMs > 0) await timer(sleepMs, undefined, { signal });
  while (performance.now() < deadlineMs) await nextTurn(undefined, { signal });
}

/** Waits as `until`. @returns false: the browser went away meanwhile, so that nobody waits any more */
export async function isAwaitedAt(deadlineMs: number, response: ServerResponse): Promise<boolean> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    await until(deadlineMs, gone.signal);
    return true;
  } catch (error) {
    if (gone.signal.aborted) return false;
    throw error;
  }
}

interface TruthVisit {
  page: string;
  /** Arrival of the document's request, on the clock of `performance.now()`. */
  arrivedMs: number;
}

/** Longer than any page takes: abandoned visits are forgotten after it. */
export const rememberedMs = 60_000;
const maxVisits = 100_000;

export class Visits {
  readonly #visits = new Map<string, TruthVisit>();

  /** Starts a visit and gives it an id that nobody can guess. */
  start(page: string, arrivedMs: number): string {
    // A Map keeps the order of insertion, so the oldest are the first.
    for (const [id, visit] of this.#visits) {
      if (visit.arrivedMs + rememberedMs > arrivedMs && this.#visits.size < maxVisits) break;
      this.#visits.delete(id);
    }
    const id = randomUUID();
    this.#visits.set(id, { page, arrivedMs });
    return id;
  }

  find(id: string): TruthVisit | undefined {
    return this.#visits.get(id);
  }

  get size(): number {
    return this.#visits.size;
  }
}
