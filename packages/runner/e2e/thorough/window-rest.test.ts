// A window that still moves takes CPU from the page that loads, in it or beside it: a load must begin in stillness.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { type Chrome, launchChrome } from '../../src/chrome/launch.ts';
import { readyTab } from '../../src/gather/gather-load.ts';
import { openContext } from '../../src/gather/page-session.ts';
import { judgesTimes } from '../standstill.ts';

/** A tab strip that moves would be drawn a dozen times in it. */
const observedMs = 250;

/** How often Chrome draws, in all of its windows, from now on. */
async function draws({ session }: Chrome): Promise<number> {
  let drawn = 0;
  session.on('Tracing.dataCollected', ({ value }) => {
    drawn += value.filter((event) => (event as { name?: string }).name === 'Display::DrawAndSwap').length;
  });
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['viz'] } });
  await new Promise((resolve) => setTimeout(resolve, observedMs));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  return drawn;
}

test(
  'a tab is ready when its window draws nothing any more',
  proves('isolation'),
  judgesTimes(async () => {
    const chrome = await launchChrome({ protocol: 'h2', discovery: 'forced', forced: [], browser: 'chrome', lab: undefined });
    try {
      const context = await openContext(chrome);
      await readyTab(chrome, context.id);
      const drawn = await draws(chrome);
      assert.ok(drawn <= 1, `${drawn} frames were drawn in the ${observedMs} ms after the tab was ready`);
    } finally {
      await chrome.close();
    }
  }),
);
