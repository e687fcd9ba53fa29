// A calibration in words, the same for CLI and dashboard.

import { adjustPValues } from '../math/adjust.ts';
import { binomialSurvival } from '../math/probability.ts';
import type { Calibration, PlaceEffect, SubCampaigns } from '../schemas/calibration.ts';
import { percent } from './quantities.ts';

/** What was found, before it is judged among the others. */
export type FoundCalibration = Omit<Calibration, 'cautions'>;
export type FoundPlaces = Omit<PlaceEffect, 'caution'>;

/** The chance that any test of a sound calibration cautions. */
const level = 0.05;
/** Of fewer p-values a test of uniformity is a test of one or two of them. */
const fewestForUniformity = 5;
/** Fewer rounds show too little of the tails of the noise to plan with. */
const fewForPlanning = 50;

/**
 * The cautions of a calibration: all that was measured of one site, condition and view, each protocol and metric. Its tests are corrected together by Holm, since they
 * share rounds: a machine on which all is well gets any caution in at most 5 % of calibrations. bench/statistics/calibration-rates.ts tells what is seen of others.
 */
export function judgeCalibration(
  calibrations: readonly FoundCalibration[],
  places: readonly FoundPlaces[],
): { calibrations: Calibration[]; places: PlaceEffect[] } {
  const tests = calibrations.map(testsOf);
  const all = [...tests.flat(), ...places].map(({ p }) => p);
  const adjusted = adjustPValues(all);
  const least = all.reduce((most, p, i) => ((adjusted[i] as number) <= level ? Math.max(most, p) : most), -1);
  return {
    calibrations: calibrations.map((found, i) => ({
      ...found,
      cautions: [
        ...failureCautions(found),
        ...(tests[i] as CalibrationTest[]).flatMap(({ p, words }) => (p <= least ? [words] : [])),
        ...planningCautions(found),
      ],
    })),
    places: places.map((found) => ({ ...found, caution: found.p <= least ? placeCaution(found) : null })),
  };
}

/** One or two sentences. */
export function calibrationWords({ rounds, subCampaigns: [first], detectable }: Omit<FoundCalibration, 'words'>): string {
  const rate = first ? falsePositiveWords(first) : `${rounds} rounds are too few to tell how often chance names a winner.`;
  return [rate, ...detectableWords(detectable)].join(' ');
}

function failureCautions({ rounds, failures }: FoundCalibration): string[] {
  if (failures.first + failures.second === 0) return [];
  return [
    `Visits failed in ${failures.first} and ${failures.second} of ${rounds} rounds; the tests take them as the slowest, and what is said of noise is of the other rounds.`,
  ];
}

const planningCautions = ({ rounds }: FoundCalibration): string[] =>
  rounds >= fewForPlanning
    ? []
    : [`${rounds} rounds show little of how large the noise can get: what so many rounds can see is rough below ${fewForPlanning}.`];

/** What a small p says. */
interface CalibrationTest {
  p: number;
  words: string;
}

function testsOf({ rounds, whole, subCampaigns, drift, autocorrelation }: FoundCalibration): CalibrationTest[] {
  return [
    {
      p: whole.p,
      words: `The second slot is ${moreOrLess(whole.relative)} than the first over all ${rounds} rounds (${pWords(whole.p)}), though nothing tells them apart: something favours one.`,
    },
    ...subCampaigns.flatMap(({ rounds: size, count, falsePositives, uniformity }) => [
      {
        p: binomialSurvival(falsePositives.count, count, 0.05),
        words: `Campaigns of ${size} rounds name a winner more often than the 5 % that the test allows: don’t trust its verdicts here.`,
      },
      ...(count < fewestForUniformity
        ? []
        : [
            {
              p: uniformity.p,
              words: `The p-values of sub-campaigns of ${size} rounds are not uniform (Kolmogorov–Smirnov, ${pWords(uniformity.p)}).`,
            },
          ]),
    ]),
    ...(autocorrelation === null
      ? []
      : [
          {
            p: autocorrelation.p,
            words: `Neighbouring rounds are not independent (correlation ${Number(autocorrelation.coefficient.toFixed(2))}, ${pWords(autocorrelation.p)}): p-values are not what they say.`,
          },
        ]),
    ...(drift === null
      ? []
      : [
          {
            p: drift.p,
            words: `Values drifted ${drift.tau > 0 ? 'up' : 'down'}, by ${percent(Math.abs(drift.change), 2)} from the first round to the last (Mann–Kendall, ${pWords(drift.p)}). Comparisons within rounds stand that, but the machine or the network did not stay as it was.`,
          },
        ]),
  ];
}

function placeCaution({ places, p }: FoundPlaces): string {
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
