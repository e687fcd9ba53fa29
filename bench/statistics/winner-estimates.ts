// The shift of winners, and the smallest difference that a campaign promises to find, beside the true ones.
// Takes TT. node bench statistics/winner-estimates [CAMPAIGNS of each row, default 4000]
//
// Few rounds overstate a winner's shift, since large shifts are the ones that win. Log-ratios of rounds spread by 0.1, normal; winners at 5 %. Seeded.

import { equivalence } from '../../packages/core/src/math/hodges-lehmann.ts';
import { pseudomedian, signedRankTest } from '../../packages/core/src/math/index.ts';
import { quantile } from '../../packages/core/src/math/quantile.ts';
import { normalErrors, roundErrors, smallestShift } from '../../packages/core/src/verdict/detectable.ts';
import { planLooks } from '../../packages/core/src/verdict/index.ts';
import { exponential, normal, random } from '../shared/shapes.ts';

const campaigns = Number(process.argv[2] ?? 4000);
const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const roundsOf = (count: number, shift: number) => Array.from({ length: count }, () => shift + 0.1 * normal());

interface Told {
  estimate: number;
  holds: boolean;
}
const toldOf = (logs: readonly number[], shift: number, confidence: number): Told => {
  const { estimate, interval } = pseudomedian(logs, confidence);
  return { estimate, holds: interval !== null && interval.low <= shift && shift <= interval.high };
};
function fixed(rounds: number, shift: number): Told | null {
  const logs = roundsOf(rounds, shift);
  return signedRankTest(logs).p <= 0.05 ? toldOf(logs, shift, 0.95) : null;
}
const looks = planLooks({ rounds: 6, maximumRounds: 60 });
function untilSettled(shift: number): Told | null {
  const all = roundsOf(60, shift);
  for (const { rounds, level } of looks) {
    const logs = all.slice(0, rounds);
    if (equivalence(logs, { margin: 0.05, alpha: level })?.equivalent === true) return null;
    if (signedRankTest(logs).p <= level) return toldOf(logs, shift, 1 - level);
  }
  return null;
}

console.log('The shift of winners, told ÷ true (± twice its standard error), and how often its interval holds the true one:');
console.table(
  [
    ...[6, 10, 20, 50].flatMap((rounds) => [0.05, 0.1].map((shift) => ({ rounds, shift }))),
    ...[0.03, 0.05, 0.1].map((shift) => ({ rounds: null, shift })),
  ].map(({ rounds, shift }) => {
    const made = Array.from({ length: campaigns }, () => (rounds === null ? untilSettled(shift) : fixed(rounds, shift)));
    const winners = made.filter((one) => one !== null);
    const ratios = winners.map(({ estimate }) => estimate / shift);
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    const variance = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / (ratios.length - 1);
    return {
      rounds: rounds ?? 'until settled, 6 to 60',
      'true shift': percent(shift),
      winners: percent(winners.length / campaigns),
      'told ÷ true': `${mean.toFixed(2)} ± ${(2 * Math.sqrt(variance / ratios.length)).toFixed(2)}`,
      'interval holds it': percent(winners.filter(({ holds }) => holds).length / winners.length),
    };
  }),
);

console.log('The smallest difference that 20 rounds find, told ÷ true, by so many earlier rounds (5, 50 and 95 % of campaigns):');
const kinds: Record<string, () => number> = {
  normal: () => 0.1 * normal(),
  'heavy tails': () => 0.08 * normal() + (random() < 0.1 ? 0.2 * exponential() * (random() < 0.5 ? -1 : 1) : 0),
};
const level = { rounds: 20, level: 0.05 };
const atOnce = (values: readonly number[]) => [0.05, 0.5, 0.95].map((share) => quantile(values, share).toFixed(2)).join(' / ');
console.table(
  Object.entries(kinds).flatMap(([noise, draw]) => {
    const many = Array.from({ length: 4000 }, draw);
    const truth =
      noise === 'normal' ? smallestShift(normalErrors(0.1), level) : smallestShift(roundErrors(many)?.errors ?? new Float64Array(), level);
    return [6, 8, 10, 15, 20, 30, 50, 100].map((earlier) => {
      const told = Array.from({ length: Math.ceil(campaigns / 4) }, () => {
        const seen = roundErrors(Array.from({ length: earlier }, draw));
        return (smallestShift(seen?.errors ?? new Float64Array(), level) ?? Number.POSITIVE_INFINITY) / (truth ?? Number.NaN);
      });
      return { noise, 'earlier rounds': earlier, 'told ÷ true': atOnce(told) };
    });
  }),
);
