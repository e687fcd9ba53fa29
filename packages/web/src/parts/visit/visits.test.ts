import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '@pronghorn/core/math';
import type { Campaign, Condition, Visit } from '@pronghorn/core/schemas';
import { metricNames } from '@pronghorn/core/vocabulary';
import { madeMetrics } from '../../../e2e/made-visits.ts';
import { differenceAndShare, metricRows, metricWords } from './metric-rows.ts';
import { visitFacts } from './visit-facts.ts';
import { partnersOf, shownVisits } from './visit-names.ts';

const visit = (given: Partial<Visit> = {}): Visit =>
  ({
    ...{ id: 'a', protocol: 'h2', attempt: 1, counted: true, finalUrl: 'https://shop.example/' },
    outcome: { verdict: 'valid', metrics: madeMetrics('h2', randomSource(1)) },
    ...given,
  }) as Visit;

test('every metric has its explanation, and differences have their signs', () => {
  assert.deepEqual(Object.keys(metricWords).sort(), [...metricNames].sort());
  const metrics = madeMetrics('h2', randomSource(1));
  const rows = metricRows([
    { ...metrics, onLoad: 500, transferBytes: 2000, h3Share: 0.5, speedIndex: null },
    { ...metrics, onLoad: 457.4, transferBytes: 3000, h3Share: 0.75, speedIndex: 100 },
  ]);
  const of = (metric: string) => rows.find((row) => row.metric === metric);
  assert.deepEqual([of('onLoad')?.values, of('onLoad')?.difference], [['500 ms', '457 ms'], '−43 ms']);
  assert.deepEqual([of('transferBytes')?.difference, of('h3Share')?.difference], ['+1.0 kB', '+25 points']);
  assert.deepEqual([of('speedIndex')?.values, of('speedIndex')?.difference], [['–', '100 ms'], null]);
  assert.deepEqual(metricRows([null]), []);
});

test('a difference has its share', () => {
  assert.deepEqual(
    [differenceAndShare(739, 896, 'ms'), differenceAndShare(0, 5, 'ms'), differenceAndShare(24, 24, 'count')],
    ['+157 ms (21 %)', '+5.0 ms', '0'],
  );
});

test('the first visit to put beside one is valid, of the round, and of HTTP/2 or HTTP/3 where there is one', () => {
  const [h1, h2, h3] = [visit({ id: '1', protocol: 'h1' }), visit({ id: '2' }), visit({ id: '3', protocol: 'h3' })];
  const idsOf = (one: Visit, others: Visit[]) => partnersOf(one, others).map(({ id }) => id);
  assert.deepEqual(
    [idsOf(h3, [h1, h2, h3]), idsOf(h2, [h1, h2, h3]), idsOf(h1, [h1, h2, h3])],
    [
      ['2', '1'],
      ['3', '1'],
      ['2', '3'],
    ],
  );
  const bad = visit({ id: '4', counted: false, outcome: { verdict: 'invalid', reason: 'busy-machine', detail: '' } });
  assert.deepEqual(idsOf(h3, [bad, h2, h3]), ['2', '4']);
  assert.deepEqual(idsOf(h3, [h3]), []);
  const extra = visit({ id: '5', netlog: { findings: null } as never });
  assert.deepEqual(idsOf(h3, [h2, h3, extra]), ['2']);
});

test('a link of which no check is stored is called native by what its condition says alone', () => {
  const words = (given: Partial<Condition>) => {
    const condition = { name: 'native', up: {}, down: {}, ...given };
    const seen = visit({
      condition: condition.name,
      view: 'cold',
      position: 0,
      startedAt: '2026-11-01T00:00:00Z',
      wallMs: 900,
      link: { refused: [] } as never,
    });
    const facts = visitFacts(seen, { spec: { conditions: [condition] } } as unknown as Campaign, [], []);
    return facts.find(([name]) => name === 'Link, measured before its round')?.[1];
  };
  assert.equal(words({}), 'no check is stored; its condition adds nothing to the link');
  assert.deepEqual([words({ down: { delayMs: 50 } }), words({ baseRttMs: 40 })], ['no check is stored', 'no check is stored']);
});

test('two visits of one protocol are told apart', () => {
  const names = shownVisits([
    { visit: visit(), resources: [] },
    { visit: visit({ id: 'b' }), resources: [] },
  ]).map(({ name }) => name);
  assert.deepEqual(names, ['HTTP/2 (A)', 'HTTP/2 (B)']);
});
