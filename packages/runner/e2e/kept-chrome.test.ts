// A Chrome loads hundreds of pages. What this process saw of one may not stay as long as that Chrome does.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defaultLimits } from '@pronghorn/core/schemas';
import { type Chrome, launchChrome } from '../src/chrome/launch.ts';
import { readyTab } from '../src/gather/gather-load.ts';
import { openContext } from '../src/gather/page-session.ts';

/** @returns the frames of a load, for as long as anybody else refers to them */
async function framesOf(chrome: Chrome, url: string): Promise<WeakRef<object>> {
  const context = await openContext(chrome);
  const { end, frames } = await (await readyTab(chrome, context.id)).load(url, defaultLimits);
  assert.equal(end.kind, 'quiet');
  await context.dispose();
  return new WeakRef(frames);
}

test('of a page that was loaded nothing is kept for the next one', async (t) => {
  const server = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<p>Here.'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const chrome = await launchChrome({ protocol: 'h1', discovery: 'forced', forced: [], browser: 'chrome', lab: undefined });
  t.after(() => chrome.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const seen: WeakRef<object>[] = [];
  for (let load = 0; load < 5; load++) seen.push(await framesOf(chrome, url));
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What the last load left may stand on a stack or in a queue still.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  assert.deepEqual(
    seen.slice(0, -1).map((frames) => frames.deref()),
    [undefined, undefined, undefined, undefined],
  );
});
