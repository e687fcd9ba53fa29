import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '@pronghorn/core/math';
import type { Campaign, Condition, Visit } from '@pronghorn/core/schemas';
import { metricNames } from '@pronghorn/core/vocabulary';
import { madeMetrics } from '../../../e2e/made-visits.ts';
import { metricRows, metricWords } from './metric-rows.ts';
import { visitFacts } from './visit-facts.ts';
import { partnerOf, shownVisits } from './visit-names.ts';

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

test('the visit to put beside one is valid, of the round, and of HTTP/2 or HTTP/3 where there is one', () => {
  const [h1, h2, h3] = [visit({ id: '1', protocol: 'h1' }), visit({ id: '2' }), visit({ id: '3', protocol: 'h3' })];
  assert.deepEqual([partnerOf(h3, [h1, h2, h3])?.id, partnerOf(h2, [h1, h2, h3])?.id, partnerOf(h1, [h1, h2, h3])?.id], ['2', '3', '2']);
  const bad = visit({ id: '4', counted: false, outcome: { verdict: 'invalid', reason: 'busy-machine', detail: '' } });
  assert.equal(partnerOf(h3, [bad, h2, h3])?.id, '2');
  assert.equal(partnerOf(h3, [bad, h3])?.id, '4');
  assert.equal(partnerOf(h3, [h3]), null);
});

test('a link of which no check is stored is called native by what its condition says alone', () => {
  const words = (given: Partial<Condition>) => {
    const condition = { name: 'native', up: {}, down: {}, ...given };
    const seen = visit({
      condition: condition.name,
      view: 'cold',
      position: 0,
      startedAt: '2026-11-01T00:00:00Z',
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
