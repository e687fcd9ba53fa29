import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserChange, regressionEvidence, regressionWords } from './regression.ts';

const step: Parameters<typeof regressionWords>[0] = {
  ...{ metric: 'onLoad', protocol: 'h3', condition: 'native', view: 'cold', before: 730.4, level: 961.9, failing: false },
  since: { at: '2026-11-20T02:30:00.000Z', campaignId: '8', commit: '8abc0de8f00d', browserChange: null },
};

test('a regression is said in a sentence: by how much, from what to what, and since which commit', () => {
  assert.equal(regressionWords(step), 'onLoad got 32 % slower over HTTP/3: 730 → 962 ms, since 8abc0de8 (20 Nov).');
  assert.equal(
    regressionWords({ ...step, condition: '4g', view: 'warm', since: { ...step.since, commit: null } }),
    'onLoad got 32 % slower over HTTP/3 under 4g, repeat view: 730 → 962 ms, since 20 Nov.',
  );
  assert.equal(
    regressionWords({ ...step, metric: 'transferBytes', before: 950_000, level: 1_250_000 }),
    'transferBytes grew by 32 % over HTTP/3: 950 kB → 1.25 MB, since 8abc0de8 (20 Nov).',
  );
});

test('a page half of whose loads fail got no number of per cent slower: what they would have taken is unknown', () => {
  assert.equal(
    regressionWords({ ...step, condition: '4g', level: 300_000, failing: true }),
    'Half of the loads fail or more over HTTP/3 under 4g: onLoad was 730 ms, since 8abc0de8 (20 Nov).',
  );
});

test('another browser is said with the commit, by as much of its version as differs', () => {
  const chrome = (...versions: string[]) => versions.map((version) => `Chrome/${version}`);
  const change = browserChange(chrome('156.0.8078.79'), chrome('157.0.8100.2'));
  assert.equal(change, 'Chrome 157 instead of 156');
  assert.match(
    regressionWords({ ...step, since: { ...step.since, browserChange: change } }),
    /\(20 Nov\), with Chrome 157 instead of 156\.$/,
  );
  assert.equal(browserChange(chrome('156.0.8078.79'), chrome('156.0.8078.80')), 'Chrome 156.0.8078.80 instead of 156.0.8078.79');
  assert.equal(browserChange(chrome('156.1', '157.1'), chrome('157.1')), 'Chrome 157 instead of 156 and 157');
  assert.equal(browserChange(chrome('156.1', '156.1'), chrome('156.1')), null);
  assert.equal(browserChange([], chrome('156.1')), null);
});

test('what shows it stands in a sentence of its own', () => {
  assert.equal(
    regressionEvidence({ change: 0.3065, baselineRuns: 7, spread: 0.0123, p: 0.0278 }, 4),
    'The last two campaigns are at least 31 % above the 7 before, which differ by 1.2 % anyway; p = 0.028 corrected for 4 comparisons.',
  );
});
