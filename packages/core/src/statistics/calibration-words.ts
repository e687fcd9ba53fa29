// A calibration in words, the same for CLI and dashboard.
import { percent } from '../conditions/words.ts';
import type { Calibration, PlaceEffect, SubCampaigns } from '../schemas/calibration.ts';

type Found = Omit<Calibration, 'words' | 'cautions'>;

/** Of several tests that are made here; at 0.05 one in five sound calibrations would carry a caution. */
const suspicious = 0.01;
/** Of fewer p-values a test of uniformity is a test of one or two of them. */
const fewestForUniformity = 5;
/** Fewer rounds show too little of the tails of the noise to plan with. */
const fewForPlanning = 50;

/** One or two sentences. */
export function calibrationWords({ rounds, subCampaigns: [first], detectable }: Found): string {
  const rate = first ? falsePositiveWords(first) : `${rounds} rounds are too few to tell how often chance names a winner.`;
  return [rate, ...detectableWords(detectable)].join(' ');
}

/** What is wrong, and what can't be told; empty where all is well. */
export function calibrationCautions({ rounds, failures, whole, subCampaigns, drift, autocorrelation }: Found): string[] {
  const cautions: string[] = [];
  if (failures.first + failures.second > 0) {
    cautions.push(
      `Loads failed in ${failures.first} and ${failures.second} of ${rounds} rounds; the tests take them as the slowest, and what is said of noise is of the other rounds.`,
    );
  }
  if (whole.p < suspicious) {
    cautions.push(
      `The second slot is ${moreOrLess(whole.relative)} than the first over all ${rounds} rounds (${pWords(whole.p)}), though nothing tells them apart: something favours one.`,
    );
  }
  for (const { rounds: size, count, falsePositives, uniformity } of subCampaigns) {
    if (falsePositives.low > 0.05) {
      cautions.push(
        `Campaigns of ${size} rounds name a winner more often than the 5 % that the test allows: don’t trust its verdicts here.`,
      );
    }
    if (count >= fewestForUniformity && uniformity.p < suspicious) {
      cautions.push(`The p-values of sub-campaigns of ${size} rounds are not uniform (Kolmogorov–Smirnov, ${pWords(uniformity.p)}).`);
    }
  }
  if (autocorrelation && autocorrelation.p < suspicious) {
    cautions.push(
      `Neighbouring rounds are not independent (correlation ${Number(autocorrelation.coefficient.toFixed(2))}, ${pWords(autocorrelation.p)}): p-values are not what they say.`,
    );
  }
  if (drift && drift.p < suspicious) {
    cautions.push(
      `Values drifted ${drift.tau > 0 ? 'up' : 'down'}, by ${percent(Math.abs(drift.change), 2)} from the first round to the last (Mann–Kendall, ${pWords(drift.p)}). Comparisons within rounds stand that, but the machine or the network did not stay as it was.`,
    );
  }
  if (rounds < fewForPlanning) {
    cautions.push(
      `${rounds} rounds show little of how large the noise can get: what so many rounds can see is rough below ${fewForPlanning}.`,
    );
  }
  return cautions;
}

/** Null where there is nothing to be careful of. */
export function placeCaution({ places, p }: Pick<PlaceEffect, 'places' | 'p'>): string | null {
  if (p >= suspicious) return null;
  const each = places
    .map((place) => Number(place.toFixed(5)))
    .map((place) => `${place < 0 ? '−' : '+'}${percent(Math.abs(place), 2)}`)
    .join(', ');
  const test = places.length === 2 ? 'signed-rank' : 'Friedman';
  return `A visit’s place in its round matters: from the first to the last ${each} against its protocol’s median (${test}, ${pWords(p)}). The order is random, so that this favours no protocol; but it adds to the noise.`;
}

function falsePositiveWords({ rounds, count, falsePositives }: SubCampaigns): string {
  const { share, low, high, expected } = falsePositives;
  const many = `In ${count} ${count === 1 ? 'sub-campaign' : 'sub-campaigns'} of ${rounds} rounds`;
  const interval = `95 % interval ${percent(low, 2)} to ${percent(high, 2)}`;
  return `${many} ${falsePositives.count} would have named a winner where there is none: ${percent(share, 2)} (${interval}; the test’s own rate is ${percent(expected, 2)}).`;
}

function detectableWords(detectable: Calibration['detectable']): string[] {
  const seen = detectable.filter(({ relative }) => relative !== null);
  if (seen.length === 0) return [];
  const [first, ...others] = seen.map(({ rounds, relative }) => ({ rounds, least: percent(relative as number, 2) }));
  const least = [
    `${first?.rounds} rounds see a difference of ${first?.least}`,
    ...others.map(({ rounds, least }) => `${rounds} of ${least}`),
  ];
  return [`With 80 % power ${least.join(', ')}.`];
}

const moreOrLess = (relative: number | null) =>
  relative === null ? 'larger without bound' : `${percent(Math.abs(relative), 2)} ${relative > 0 ? 'larger' : 'smaller'}`;

const pWords = (p: number) => (p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`);
