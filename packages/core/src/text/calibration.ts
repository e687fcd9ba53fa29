// A calibration in words, the same for the command line and the dashboard.

import type { Calibration, OrderEffect, SubCampaigns } from '../schemas/calibration.ts';
import { percent } from './numbers.ts';

/** A calibration before it is judged among others. */
export type UnjudgedCalibration = Omit<Calibration, 'cautions'>;
export type UnjudgedOrder = Omit<OrderEffect, 'caution'>;

/** With fewer rounds the tails of the noise are too uncertain to plan with. */
const fewForPlanning = 50;

/** One or two sentences. */
export function calibrationWords({ rounds, subCampaigns: [first], detectable }: Omit<UnjudgedCalibration, 'words'>): string {
  const rate = first ? falsePositiveWords(first) : `${rounds} rounds are too few to tell how often chance names a winner.`;
  return [rate, ...detectableWords(detectable)].join(' ');
}

export function failureCautions({ rounds, failures }: UnjudgedCalibration): string[] {
  if (failures.first + failures.second === 0) return [];
  return [
    `Visits failed in ${failures.first} and ${failures.second} of ${rounds} rounds; the tests rank them as the slowest, and noise is estimated from the other rounds.`,
  ];
}

export const planningCautions = ({ rounds }: UnjudgedCalibration): string[] =>
  rounds >= fewForPlanning
    ? []
    : [`${rounds} rounds say little about how large the noise can get: below ${fewForPlanning}, detectable differences are rough.`];

export function orderCaution({ positions, p }: UnjudgedOrder): string {
  const each = positions
    .map((position) => Number(position.toFixed(5)))
    .map((position) => `${position < 0 ? '−' : '+'}${percent(Math.abs(position), 2)}`)
    .join(', ');
  const test = positions.length === 2 ? 'signed-rank' : 'Friedman';
  return `A visit’s position in its round matters: from the first to the last ${each} against its protocol’s median (${test}, ${roughP(p)}). Each protocol is first as often as another, so this favours none, but it adds to the noise.`;
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
    `${first?.rounds} rounds detect a difference of ${first?.least}`,
    ...others.map(({ rounds, least }) => `${rounds} of ${least}`),
  ];
  return [`With 80 % power ${least.join(', ')}.`];
}

export const moreOrLess = (relative: number | null) =>
  relative === null ? 'larger without bound' : `${percent(Math.abs(relative), 2)} ${relative > 0 ? 'larger' : 'smaller'}`;

export const roughP = (p: number) => (p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`);
