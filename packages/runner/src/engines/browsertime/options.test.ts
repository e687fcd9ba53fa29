import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultLimits, type EngineOptions } from '@pronghorn/core/schemas';
import { chromeFlags } from '../../chrome/flags.ts';
import { browsertimeOptions, urlInScript } from './options.ts';

const flags = chromeFlags({ protocol: 'h3', discovery: 'forced', forced: ['a.test:443'], browser: 'chrome', lab: undefined });

const of = (options?: EngineOptions) =>
  browsertimeOptions({
    ...{ flags, chrome: '/bin/chrome', chromedriver: '/bin/chromedriver', folder: '/tmp/visit', options },
    limits: { ...defaultLimits, quietMs: 0, settleMaxMs: 7_000 },
  });
const args = (options: ReturnType<typeof of>) => (options.chrome as { args: string[] }).args;

test('Chrome has the protocol’s flags, and a window on a display where a video is made', () => {
  for (const options of [of(), of({ video: false })]) {
    assert.ok(args(options).includes('--origin-to-force-quic-on=a.test:443'));
    // chromedriver waits for a window in vain, and browsertime says whether there is a display.
    assert.ok(!args(options).some((flag) => /headless|no-startup-window|window-size/.test(flag)));
  }
  assert.deepEqual([of().video, of().headless], [true, false]);
  assert.deepEqual([of({ video: false }).video, of({ video: false }).headless], [false, true]);
});

test('a visit ends by its limits, and no wait is 0, which would mean 5 s', () => {
  const { pageCompleteWaitTime, pageCompleteCheckStartWait, pageCompleteCheckPollTimeout, pageCompleteCheck } = of();
  assert.ok(
    [pageCompleteWaitTime, pageCompleteCheckStartWait, pageCompleteCheckPollTimeout].every((ms) => Number(ms) > 0 && Number(ms) < 500),
  );
  assert.match(String(pageCompleteCheck), /7000/);
});

test('the waits of browsertime’s own command line are its own', () => {
  const { pageCompleteWaitTime, pageCompleteCheckStartWait, pageCompleteCheckPollTimeout, pageCompleteCheck } = of({
    waits: 'browsertime',
  });
  assert.deepEqual(
    [pageCompleteCheckStartWait, pageCompleteWaitTime, pageCompleteCheckPollTimeout, pageCompleteCheck],
    [5_000, 8_000, 1_500, undefined],
  );
});

test('a URL of odd characters is the same page in browsertime’s script, and no script', () => {
  for (const url of ['https://a.test/?file=C:\\new\\table', 'https://a.test/"+alert(1)+"?q="', "https://a.test/?q=`{1}'#\\"]) {
    const script = `window.location="${urlInScript(url)}";`;
    assert.match(script, /^window\.location="(?:[^"\\]|\\\\)*";$/);
    assert.equal(JSON.parse(script.slice('window.location='.length, -1)), new URL(url).href);
  }
});
