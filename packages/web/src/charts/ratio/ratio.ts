// A plot of ratios by level: its lines and the range of its axis.
import type { FactorInteraction } from '@pronghorn/core/schemas';
import type { Range } from '../axis/scale.ts';

export type RatioPoint = { level: string; ratio: number; low: number | null; high: number | null; rounds: number };
/** A line for each level of the other factor; of one factor alone there is one. */
export type RatioLine = { name: string; points: readonly RatioPoint[] };

/** An interval further than this from the ratios is cut. */
const maxFactor = 1.5;

/**
 * A single factor is one line along its levels. Of two, the one with more levels lies along the axis, with a line for each level of the other.
 *
 * @returns the factor along the axis and its levels, and the lines; a line may lack a level that was not measured
 */
export function ratioLines({ factors, levels }: Pick<FactorInteraction, 'factors' | 'levels'>): {
  along: string;
  levels: string[];
  lines: RatioLine[];
} {
  const levelsAt = (factor: number) => [...new Set(levels.map((one) => one.levels[factor] ?? ''))];
  const first = factors.length > 1 && levelsAt(1).length > levelsAt(0).length ? 1 : 0;
  const other = 1 - first;
  const names = factors.length > 1 ? levelsAt(other) : [''];
  const lines = names.map((name) => ({
    name: factors.length > 1 ? name : 'all',
    points: levelsAt(first).flatMap((level) => {
      const measured = levels.find((one) => one.levels[first] === level && (factors.length === 1 || one.levels[other] === name));
      return measured ? [{ level, ratio: measured.ratio, low: measured.low, high: measured.high, rounds: measured.rounds }] : [];
    }),
  }));
  return { along: factors[first] ?? '', levels: levelsAt(first), lines };
}

/** One range for all compared plots: it includes 1 and at least a tenth on each side. */
export function ratioRange(interactions: readonly Pick<FactorInteraction, 'levels'>[]): Range {
  const ratios = interactions.flatMap(({ levels }) => levels.map(({ ratio }) => ratio));
  const [least, most] = [Math.min(1, ...ratios), Math.max(1, ...ratios)];
  const ends = interactions.flatMap(({ levels }) => levels.flatMap(({ low, high }) => [low ?? 1, high ?? 1]));
  const [low, high] = [Math.max(least / maxFactor, Math.min(least, ...ends)), Math.min(most * maxFactor, Math.max(most, ...ends))];
  return [Math.min(low / 1.03, 1 / 1.1), Math.max(high * 1.03, 1.1)];
}

const steps = [0.05, 0.1, 0.2, 0.25, 0.33, 0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4, 5, 10, 20];

/** 1 and ratios about as far above it as below; in a narrow range hundredths. */
export function ratioTicks([low, high]: Range, most: number): number[] {
  const those = steps.filter((value) => value >= low && value <= high);
  if (those.length > most) {
    const every = Math.ceil(those.length / most);
    const one = those.indexOf(1);
    return those.filter((_, index) => (index - one) % every === 0);
  }
  if (those.length >= 3 || those.length === most) return those;
  return [...new Set([...those, Number(low.toFixed(2)), Number(high.toFixed(2))])]
    .filter((value) => value >= low && value <= high)
    .sort((a, b) => a - b);
}
