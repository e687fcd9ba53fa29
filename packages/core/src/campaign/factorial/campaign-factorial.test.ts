import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RandomSource, randomSource } from '../../math/random.ts';
import type { Campaign } from '../../schemas/campaign.ts';
import type { Metrics } from '../../schemas/metrics.ts';
import type { ResultVisit } from '../../verdict/counted-visits.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import { measure } from '../measured/measured.ts';
import { campaignFactorial } from './campaign-factorial.ts';

const normal = (random: RandomSource) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const conditions = ['native', 'poor'];
const payloads = ['2 MB', '10 MB'];

function campaignOf(
  rounds: number,
  protocols: Protocol[] = ['h2', 'h3'],
  given: Partial<Campaign['spec']> = {},
): Pick<Campaign, 'id' | 'spec' | 'sites'> {
  const sites = payloads.map((payload, n) => ({
    ...{ id: String(n), url: `https://a.example/${n}`, name: payload, expectStatus: 200 },
    levels: { payload },
  }));
  const spec = {
    ...{ engine: 'transaction', primaryMetric: 'latencyMean', seed: 7, views: ['warm'], protocols, rounds },
    conditions: conditions.map((name) => ({ name, up: {}, down: {} })),
    ...given,
  };
  return { id: '1', spec: spec as unknown as Campaign['spec'], sites };
}

/** @param latencyOf in ms; null: the run failed. */
function visitsOf(
  { spec, sites }: Pick<Campaign, 'spec' | 'sites'>,
  latencyOf: (protocol: Protocol, condition: string, round: number) => number | null,
  noise = 0.02,
): ResultVisit[] {
  const random = randomSource(3);
  return sites.flatMap(({ id }) =>
    conditions.flatMap((condition) =>
      Array.from({ length: spec.rounds }, (_, n) => n + 1).flatMap((roundNumber) =>
        spec.protocols.map((protocol, slot): ResultVisit => {
          const value = latencyOf(protocol, condition, roundNumber);
          const at = { siteId: id, condition, view: 'warm' as const, roundNumber, slot };
          if (value === null) return { ...at, verdict: 'invalid', reason: 'connection-error', counted: true };
          const latencyMean = value * Math.exp(noise * normal(random));
          const metrics = {
            latencyMean,
            latencyP95: 2 * latencyMean,
            latencyP99: 3 * latencyMean,
            ttfb: latencyMean / 2,
            bytesPerSecond: 1e6,
          } as unknown as Metrics;
          return { ...at, verdict: 'valid', metrics, receiveDrops: null };
        }),
      ),
    ),
  );
}
const gainUnderLoss = (protocol: Protocol, condition: string) =>
  (condition === 'poor' ? 400 : 100) * (protocol === 'h3' && condition === 'poor' ? 0.7 : 1);

test('scenarios are judged by the published rule on corrected p, with their tails', () => {
  const campaign = campaignOf(8);
  const found = campaignFactorial(measure(campaign, visitsOf(campaign, gainUnderLoss)), 'latencyMean', 999);
  const [pair] = found.pairs;
  assert.deepEqual([pair?.candidate, pair?.baseline, found.pairs.length], ['h3', 'h2', 1]);
  assert.deepEqual(
    pair?.scenarios.map(({ levels, outcome, isRelevant }) => [levels.payload, levels.condition, outcome, isRelevant]),
    [
      ['2 MB', 'native', 'not-shown', false],
      ['2 MB', 'poor', 'candidate-lower', true],
      ['10 MB', 'native', 'not-shown', false],
      ['10 MB', 'poor', 'candidate-lower', true],
    ],
  );
  const poor = pair?.scenarios[1];
  assert.match(poor?.words ?? '', /^HTTP\/3 \d\d % faster than HTTP\/2, large effect$/);
  assert.ok((poor?.adjustedP ?? 0) >= 3 * (poor?.p ?? 1) && poor?.rankBiserial === -1);
  assert.equal(poor?.candidate.cvClass, 'highly-consistent');
  assert.equal(found.tailOf, 'requests');
  const { p95, p99, median } = poor?.candidate ?? {};
  assert.ok(Math.abs((p95 ?? 0) / (median ?? 1) - 2) < 0.001 && Math.abs((p99 ?? 0) / (median ?? 1) - 3) < 0.001);
});

test('what depends on the condition is its interaction, and the factors are tested by what there is', () => {
  const campaign = campaignOf(8);
  const found = campaignFactorial(measure(campaign, visitsOf(campaign, gainUnderLoss)), 'latencyMean', 999);
  const interactions = new Map(found.pairs[0]?.interactions.map((one) => [one.factors.join('+'), one]));
  assert.match(
    interactions.get('condition')?.words ?? '',
    /^HTTP\/3 ÷ HTTP\/2 depends on condition: native (0\.99|1\.0\d), poor 0\.\d\d\.$/,
  );
  assert.match(interactions.get('payload')?.words ?? '', /^No evidence that HTTP\/3 ÷ HTTP\/2 depends on payload\.$/);
  assert.deepEqual(
    found.differences.map(({ factor, within }) => [factor, within?.level]),
    [
      ['payload', undefined],
      ['condition', undefined],
      ['protocol', undefined],
      ['protocol', '2 MB'],
      ['protocol', '10 MB'],
      ['protocol', 'native'],
      ['protocol', 'poor'],
    ],
  );
  const ofLoss = found.differences.find(({ within }) => within?.level === 'poor');
  const ofNone = found.differences.find(({ within }) => within?.level === 'native');
  assert.ok((ofLoss?.p ?? 1) < 0.001 && (ofNone?.p ?? 0) > 0.01);
});

test('a level that nobody measured is none, and its scenarios are not corrected for', () => {
  const campaign = campaignOf(8);
  const found = campaignFactorial(
    measure(
      campaign,
      visitsOf(campaign, gainUnderLoss).filter(({ condition }) => condition === 'poor'),
    ),
    'latencyMean',
    999,
  );
  assert.deepEqual([...new Set(found.differences.map(({ factor }) => factor))], ['payload', 'protocol']);
  assert.deepEqual(
    found.pairs[0]?.interactions.map(({ factors }) => factors.join()),
    ['payload'],
  );
  assert.deepEqual(
    found.pairs[0]?.scenarios.map(({ outcome }) => outcome),
    ['unmeasured', 'candidate-lower', 'unmeasured', 'candidate-lower'],
  );
  assert.equal(found.pairs[0]?.power.scenarios, 2);
});

test('three replications of a large difference are too few to tell, and it is said how many would do', () => {
  const campaign = campaignOf(3);
  const [pair] = campaignFactorial(
    measure(
      campaign,
      visitsOf(campaign, (protocol) => (protocol === 'h3' ? 50 : 100)),
    ),
    'latencyMean',
    999,
  ).pairs;
  assert.deepEqual([...new Set(pair?.scenarios.map(({ outcome, p }) => `${outcome} ${p}`))], ['too-few 0.1']);
  assert.deepEqual([pair?.power.canShow, pair?.power.least], [false, 5]);
});

test('a run that failed is slower than all others, has no ratio, and is told', () => {
  const campaign = campaignOf(8);
  const failing = visitsOf(campaign, (protocol, condition, round) =>
    protocol === 'h2' && condition === 'poor' && round > 3 ? null : protocol === 'h3' ? 60 : 100,
  );
  const found = campaignFactorial(measure(campaign, failing), 'latencyMean', 999);
  const poor = found.pairs[0]?.scenarios[1];
  assert.deepEqual([poor?.baseline.failed, poor?.baseline.mean, poor?.baseline.median, poor?.relative], [5, null, null, null]);
  assert.deepEqual([poor?.outcome, found.pairs[0]?.roundsLeftOut], ['candidate-lower', 10]);
  assert.ok(found.cautions.some((words) => /^10 rounds in which a protocol failed/.test(words)));
});

test('three protocols are three pairs, and of a page its own percentiles are the tail', () => {
  const campaign = campaignOf(4, ['h1', 'h2', 'h3'], { engine: 'puppeteer' });
  const found = campaignFactorial(measure(campaign, visitsOf(campaign, gainUnderLoss)), 'ttfb', 999);
  assert.deepEqual(
    found.pairs.map(({ candidate, baseline }) => `${candidate} ${baseline}`),
    ['h3 h2', 'h3 h1', 'h2 h1'],
  );
  assert.equal(found.tailOf, 'replications');
  assert.equal(found.differences.find(({ factor }) => factor === 'protocol')?.levels.length, 3);
});
