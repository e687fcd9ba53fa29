// Is the first visit of a round slower than the later ones?

import { friedmanTest } from '../math/friedman.ts';
import { median } from '../math/quantile.ts';
import { signedRankTest } from '../math/signed-rank.ts';
import type { FoundPlaces } from '../text/calibration.ts';
import { minCalibrationRounds } from '../vocabulary/choices.ts';
import type { Protocol } from '../vocabulary/protocol.ts';

/** One metric of a visit, in its unit. */
export type PlacedVisit = { protocol: Protocol; value: number };

/**
 * Whether a visit's place in its round changes its number: what a round's first visit finds asleep, or its last one worn out. Each
 * value is divided by the median of its protocol, so that protocols that differ don't hide what places do. Since the order within a round is
 * drawn at random, under the null each order of a round's values is as likely as any other, whatever they are: Friedman's test assumes
 * nothing more. Two places are compared by the signed-rank test, since Friedman's is then the sign test, which knows less.
 *
 * @param rounds of one site, condition and view: their visits in the order in which they took place. Rounds with fewer visits than the
 *   longest have lost one, and are left out.
 * @returns without its caution (`judgeCalibration`); null for fewer than 10 whole rounds, and for rounds of one visit.
 * @throws RangeError on a value that is not positive and finite.
 */
export function placeEffect(rounds: readonly (readonly PlacedVisit[])[]): FoundPlaces | null {
  const bad = rounds.flat().find(({ value }) => !(value > 0 && value < Number.POSITIVE_INFINITY));
  if (bad !== undefined) throw new RangeError(`place effect: a value over ${bad.protocol} is ${bad.value}, expected a positive number`);
  const length = Math.max(0, ...rounds.map((round) => round.length));
  const whole = rounds.filter((round) => round.length === length);
  if (length < 2 || whole.length < minCalibrationRounds) return null;

  const ofProtocol = Map.groupBy(whole.flat(), ({ protocol }) => protocol);
  const medians = new Map([...ofProtocol].map(([protocol, visits]) => [protocol, median(visits.map(({ value }) => value))]));
  const blocks = whole.map((round) => round.map(({ protocol, value }) => value / (medians.get(protocol) as number)));
  const places = Array.from({ length }, (_, place) => median(blocks.map((block) => block[place] as number)) - 1);
  const p = length === 2 ? signedRankTest(blocks.map(([first = 1, second = 1]) => Math.log(second / first))).p : friedmanTest(blocks).p;
  return { rounds: whole.length, places, p };
}
