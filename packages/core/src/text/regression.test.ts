import assert from 'node:assert/strict';
import { test } from 'node:test';
import { regressionEvidence, regressionWords } from './regression.ts';

const step: Parameters<typeof regressionWords>[0] = {
  ...{ metric: 'onLoad', protocol: 'h3', condition: 'native', view: 'cold', before: 730.4, level: 961.9 },
  since: { at: '2026-11-20T02:30:00.000Z', campaignId: '8', commit: '8abc0de8f00d' },
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

test('what shows it stands in a sentence of its own', () => {
  assert.equal(
    regressionEvidence({ change: 0.3065, baselineRuns: 7, spread: 0.0123, p: 0.0278 }, 4),
    'The last two campaigns are at least 31 % above the 7 before, which differ by 1.2 % anyway; p = 0.028 corrected for 4 comparisons.',
  );
});
