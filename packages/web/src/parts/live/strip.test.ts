import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Metrics } from '@pronghorn/core/schemas';
import type { LiveVisit } from './live-campaign.ts';
import { addDots, type Dot, stripRows, withoutNumbers } from './strip.ts';

const condition = (name: string) => ({ name, up: {}, down: {} });
const spec = { conditions: [condition('native'), condition('4g')], views: ['cold' as const], protocols: ['h2' as const, 'h3' as const] };
const visit = (id: string, place: Partial<LiveVisit> & { onLoad?: number | null } = {}): LiveVisit => {
  const { onLoad = 400, ...rest } = place;
  const outcome = { verdict: 'valid' as const, metrics: { onLoad } as Metrics };
  return { id, siteId: '1', condition: 'native', view: 'cold', slot: 0, protocol: 'h2', roundNumber: 1, startedAt: '', outcome, ...rest };
};
const choice: Parameters<typeof addDots>[2] = { rows: stripRows(spec).rows, metric: 'onLoad', scale: 'linear', siteId: null };

test('each condition is a group with a row for each slot', () => {
  const { rows, groups, height } = stripRows(spec);
  assert.deepEqual(
    [...rows.values()].map(({ condition: of, protocol, y }) => `${of} ${protocol} ${y}`),
    ['native h2 0.5', 'native h3 1.5', '4g h2 3', '4g h3 4'],
  );
  assert.deepEqual(
    groups.map(({ label }) => label),
    ['native', '4g'],
  );
  assert.equal(height, 4.5);
  assert.deepEqual(stripRows({ ...spec, views: ['cold', 'warm'] }).groups[1]?.label, 'native, warm');
});

const dotsOf = (visits: LiveVisit[], its = choice): Dot[] => {
  const dots: Dot[] = [];
  addDots(dots, visits, its);
  return dots;
};

test('a dot stands in its row at its value, at the same place each time', () => {
  const visits = [visit('a', { slot: 1, protocol: 'h3', condition: '4g' })];
  const [dot] = dotsOf(visits);
  assert.ok(dot && dot.x === 400 && Math.abs(dot.y - 4) < 0.35);
  assert.deepEqual(dotsOf(visits), [dot]);
});

test('what has no number has no dot, and invalid visits stand apart', () => {
  const invalid = { verdict: 'invalid' as const, reason: 'busy-machine' as const, detail: '' };
  const [dot, ...others] = dotsOf([visit('a', { onLoad: null }), visit('b', { outcome: invalid }), visit('c', { condition: 'unknown' })]);
  assert.deepEqual([dot?.visit.id, dot?.isInvalid, others], ['b', true, []]);
  assert.ok(dot && dot.x > 0 && dot.x < 1);
});

test('of one site only its dots are shown, and a logarithm has no zero', () => {
  const ids = (dots: Dot[]) => dots.map(({ visit: { id } }) => id);
  assert.deepEqual(ids(dotsOf([visit('a'), visit('b', { siteId: '2' })], { ...choice, siteId: '2' })), ['b']);
  assert.deepEqual(ids(dotsOf([visit('a', { onLoad: 0 }), visit('b')], { ...choice, scale: 'log' })), ['b']);
});

test('visits without a number are told by what became of them and why, the most frequent reason first', () => {
  const invalid = (reason: 'busy-machine' | 'engine-error' | 'dns-error') =>
    visit(reason, { outcome: { verdict: 'invalid', reason, detail: '' } });
  assert.deepEqual(withoutNumbers([visit('a')]), []);
  const [failed, discarded, none] = withoutNumbers([
    invalid('engine-error'),
    invalid('busy-machine'),
    invalid('busy-machine'),
    invalid('dns-error'),
    visit('a'),
  ]);
  assert.deepEqual(failed, { kind: 'failure', words: '1 failed, slower than every load: a host name did not resolve' });
  assert.match(discarded?.words ?? '', /^3 discarded and tried again: other work .* \(2\); the measurement itself failed \(1\)$/);
  assert.equal(none, undefined);
  assert.equal(withoutNumbers([invalid('dns-error')])[0]?.words, '1 failed, no load succeeded: a host name did not resolve');
});
