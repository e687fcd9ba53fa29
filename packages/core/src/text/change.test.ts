import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CampaignComparisonPage, ProtocolOutcomes } from '../schemas/campaign-comparison.ts';
import { changeAnswer } from './change.ts';

type Change = NonNullable<ProtocolOutcomes['lower']>;
const change = (cells: number, [least, most]: [number, number], difference: number, condition = 'latency-100'): Change => ({
  ...{ cells, least, most },
  largest: { siteId: '2', condition, view: 'cold', difference, share: most },
});
const of = (protocol: 'h2' | 'h3', given: Partial<ProtocolOutcomes>): ProtocolOutcomes => ({
  protocol,
  lower: null,
  higher: null,
  undecided: 0,
  ...given,
});
function answer(byProtocol: ProtocolOutcomes[], given: Partial<CampaignComparisonPage> = {}): string {
  const sum = (count: (one: ProtocolOutcomes) => number) => byProtocol.reduce((all, one) => all + count(one), 0);
  const protocols = {
    lower: sum(({ lower }) => lower?.cells ?? 0),
    higher: sum(({ higher }) => higher?.cells ?? 0),
    undecided: sum(({ undecided }) => undecided),
    tooFew: 0,
  };
  return changeAnswer({
    ...{ metric: 'onLoad', conditions: ['native', 'latency-100'], views: ['cold'], sites: [{ siteId: '2', siteName: 'shop' }] },
    outcomes: { protocols, leads: { lower: 0, higher: 0, undecided: 0 }, byProtocol },
    ...given,
  });
}

test('the answer says which campaign is faster, by what share and by how many ms at most', () => {
  const [h2, h3] = [of('h2', { lower: change(4, [-0.08, -0.1], -80, 'native') }), of('h3', { lower: change(4, [-0.09, -0.11], -96) })];
  assert.equal(answer([h2, h3]), 'B’s onLoad is 8 to 11 % faster everywhere, by up to 96 ms (latency-100, HTTP/3).');
  const sites = [
    { siteId: '1', siteName: 'blog' },
    { siteId: '2', siteName: 'shop' },
  ];
  assert.match(answer([h2, h3], { sites }), /\(shop, latency-100, HTTP\/3\)/);
});

test('a change of one protocol names it, and says that the other has none that is clear', () => {
  const h3 = of('h3', { lower: change(1, [-0.3, -0.3], -230) });
  assert.equal(
    answer([of('h2', { undecided: 1 }), h3], { conditions: ['native'] }),
    'B’s onLoad is 30 % faster over HTTP/3, by 230 ms; no clear difference over HTTP/2.',
  );
});

test('what is unclear is counted, and both directions are said', () => {
  const mixed = of('h3', { lower: change(2, [-0.1, -0.2], -90), higher: change(1, [0.05, 0.05], 40, 'native'), undecided: 1 });
  assert.equal(
    answer([of('h2', { undecided: 4 }), mixed]),
    'B’s onLoad is 10 to 20 % faster over HTTP/3 in 2 of 4, by up to 90 ms (latency-100); 5 % slower over HTTP/3 in 1 of 4, by 40 ms (native); unclear in 5 of 8.',
  );
  assert.equal(answer([of('h3', { undecided: 3 })]), 'No clear difference in onLoad.');
  assert.equal(answer([]), 'Nothing was measured in both campaigns.');
});

test('a metric that is no time is lower or higher; a change without bound has no share', () => {
  const h3 = of('h3', { higher: { ...change(1, [0, 0], 3), least: null, most: null } });
  assert.equal(answer([h3], { metric: 'requests', conditions: ['native'] }), 'B’s requests is higher, by 3.');
});
