// Calibrations of machines where something is off, beside machines where all is well: how often each is cautioned, by Holm and without it.
// Takes 6 minutes. node bench statistics/calibration-rates [CALIBRATIONS, default 400]
//
// Each calibration has two protocols, two metrics and 200 rounds. Seeded.
import { type AaRound, calibration, judgeCalibration, type OrderedVisit, orderEffect } from '../../packages/core/src/campaign/index.ts';
import { proportion, randomSource, signedRankTest } from '../../packages/core/src/math/index.ts';
import type { UnjudgedCalibration } from '../../packages/core/src/text/index.ts';
import { normal } from '../shared/shapes.ts';

const times = Number(process.argv[2] ?? 400);
const rounds = 200;
const random = randomSource(20260412);

type Machine = {
  /** Of a log-ratio to that of the round before. */
  resemblance?: number;
  /** By how much the second slot is slower. */
  favour?: number;
  /** By how much values grow from the first round to the last. */
  drift?: number;
  /** By how much the first visit of a round is faster. */
  first?: number;
};

/** One metric of a protocol's two slots, visits spread by 7 % (rounds by 10 %). */
function roundsOf({ resemblance = 0, favour = 0, drift = 0 }: Machine): AaRound[] {
  let lean = normal();
  return Array.from({ length: rounds }, (_, i) => {
    lean = resemblance * lean + Math.sqrt(1 - resemblance ** 2) * normal();
    const [shared, ratio] = [0.07 * Math.SQRT1_2 * normal() + (drift * i) / rounds, 0.1 * lean + favour];
    return { first: 1000 * Math.exp(shared - ratio / 2), second: 1000 * Math.exp(shared + ratio / 2) };
  });
}

/** The visits of both protocols in a random order. */
function placed(all: readonly (readonly AaRound[])[], first: number): OrderedVisit[][] {
  return Array.from({ length: rounds }, (_, i) =>
    all
      .flatMap((one, protocol) =>
        [one[i]?.first, one[i]?.second].map((value = 1) => ({ protocol: protocol === 0 ? 'h2' : 'h3', value }) as const),
      )
      .map((visit) => ({ visit, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ visit }, place) => ({ ...visit, value: place === 0 ? visit.value * (1 - first) : visit.value })),
  );
}

/** Tests of one by itself: p < 0.01, or more false winners than 5 %. */
const suspicious = ({ whole, subCampaigns, drift, autocorrelation }: UnjudgedCalibration): boolean =>
  [whole.p, ...subCampaigns.map(({ uniformity }) => uniformity.p), drift?.p ?? 1, autocorrelation?.p ?? 1].some((p) => p < 0.01) ||
  subCampaigns.some(({ falsePositives }) => falsePositives.low > 0.05);

function share(count: number, of = times): string {
  const { share: rate, low, high } = proportion(count, of);
  return `${(100 * rate).toFixed(1)} % [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`.padEnd(20);
}

console.log(
  `${times} calibrations of ${rounds} rounds, 2 protocols × 2 metrics: share with any caution, and what cautions of a metric tell`,
);
console.log(
  'machine | p ≤ 0.05 of 10 rounds | any, by Holm | any, each at 0.01 | by Holm: favoured | false winners | not uniform | neighbours | drift | place',
);
for (const [name, machine] of Object.entries<Machine>({
  'all is well': {},
  'rounds resemble the one before by 0.1': { resemblance: 0.1 },
  'by 0.2': { resemblance: 0.2 },
  'by 0.4': { resemblance: 0.4 },
  'second slot 1 % slower': { favour: 0.01 },
  '2 % slower': { favour: 0.02 },
  '3 % slower': { favour: 0.03 },
  'values grow by 1 %': { drift: 0.01 },
  'by 3 %': { drift: 0.03 },
  'first visit 1 % faster': { first: 0.01 },
  '3 % faster': { first: 0.03 },
})) {
  let [any, each, wrong, runs] = [0, 0, 0, 0];
  const phrases = ['The second slot', 'Campaigns of', 'not uniform', 'Neighbouring', 'drifted', 'place in its round'].map((words) => ({
    words,
    count: 0,
  }));
  for (let i = 0; i < times; i++) {
    const metrics = [0, 1].map(() => [0, 1].map(() => roundsOf(machine)));
    const found = metrics.flat().flatMap((one, seed) => calibration(one, { seed: seed + 4 * i, plannedRounds: [] }) ?? []);
    const orders = metrics.flatMap((all) => orderEffect(placed(all, machine.first ?? 0)) ?? []);
    const judged = judgeCalibration(found, orders);
    const cautions = [...judged.calibrations.flatMap((one) => one.cautions), ...judged.orders.flatMap(({ caution }) => caution ?? [])];
    if (cautions.length > 0) any++;
    if (found.some(suspicious) || orders.some(({ p }) => p < 0.01)) each++;
    for (const one of phrases) if (cautions.some((words) => words.includes(one.words))) one.count++;
    for (const one of metrics.flat()) {
      for (let at = 0; at < rounds; at += 10) {
        runs++;
        if (signedRankTest(one.slice(at, at + 10).map(({ first, second }) => Math.log(second / first))).p <= 0.05) wrong++;
      }
    }
  }
  console.log(
    `${name} | ${((100 * wrong) / runs).toFixed(1)} % | ${[any, each, ...phrases.map(({ count }) => count)].map((count) => share(count)).join(' | ')}`,
  );
}
