import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VerdictOutcome } from '@pronghorn/core/schemas';
import { verdictWords } from './badges.ts';

const where = { siteId: 'shop', condition: 'native', view: 'cold' } as const;
const comparison = (outcome: VerdictOutcome, facts = {}) => ({
  ...where,
  outcome,
  isMeasured: true,
  isUnfinished: false,
  isFailing: false,
  ...facts,
});
const [faster, slower, unclear] = [comparison('h3-faster'), comparison('h2-faster'), comparison('inconclusive')];

test('a site is faster or slower only where that was shown, and says in how many conditions', () => {
  const cases = [
    [[faster], 'faster', 'good'],
    [[faster, faster], 'faster', 'good'],
    [[faster, unclear, unclear], 'faster in 1 of 3 cases', 'good'],
    [[slower], 'slower', 'bad'],
    [[slower, comparison('equivalent')], 'slower in 1 of 2 cases', 'bad'],
    [[faster, faster, slower], 'faster in 2, slower in 1 of 3 cases', 'neutral'],
    [[faster, { ...unclear, condition: '4g' }, { ...unclear, condition: '3g' }], 'faster in 1 of 3 networks', 'good'],
    [[slower, { ...unclear, siteId: 'blog' }], 'slower in 1 of 2 pages', 'bad'],
    [[faster, { ...unclear, view: 'warm' }], 'faster in 1 of 2 views', 'good'],
    [[faster, { ...slower, siteId: 'blog', condition: '4g' }], 'faster in 1, slower in 1 of 2 cases', 'neutral'],
    [[unclear], 'no clear difference', 'neutral'],
    [[comparison('equivalent'), comparison('not-shown-yet')], 'no clear difference', 'neutral'],
  ] as const;
  for (const [comparisons, message, color] of cases) assert.deepEqual(verdictWords(comparisons), { message, color });
});

test('what no visit loaded is unmeasured, and counts beside what was measured: it is nobody’s win', () => {
  const unmeasured = { message: 'unmeasured', color: 'nothing' };
  const lost = comparison('inconclusive', { isMeasured: false });
  assert.deepEqual(verdictWords([]), unmeasured);
  assert.deepEqual(verdictWords([lost, lost]), unmeasured);
  assert.deepEqual(verdictWords([faster, { ...lost, condition: '4g' }]), { message: 'faster in 1 of 2 networks', color: 'good' });
});

test('loads that fail, and rounds to come, are no lack of a difference', () => {
  const failing = comparison('inconclusive', { isFailing: true });
  assert.deepEqual(verdictWords([failing]), { message: 'loads fail', color: 'unclear' });
  assert.deepEqual(verdictWords([failing, { ...unclear, siteId: 'api' }], 'server'), {
    message: 'loads fail in 1 of 2 servers',
    color: 'unclear',
  });
  assert.deepEqual(verdictWords([comparison('inconclusive', { isUnfinished: true })]), { message: 'not finished', color: 'nothing' });
});
