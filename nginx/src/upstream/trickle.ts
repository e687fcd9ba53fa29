// Answers that go on: a piece again and again.
import type { ServerResponse } from 'node:http';
import { setInterval as ticks } from 'node:timers/promises';

/** All that stays open ends after this: a forgotten tab must not hold a connection for ever. */
export const maxOpenMs = 120_000;

/** Writes a piece at once and then again and again, until the client goes away or the time is over. */
export async function trickle(response: ServerResponse, everyMs: number, piece: (n: number) => string | Buffer): Promise<void> {
  response.write(piece(0));
  let n = 0;
  for await (const _ of ticks(everyMs)) {
    if (response.destroyed || ++n * everyMs > maxOpenMs) break;
    response.write(piece(n));
  }
  response.end();
}
