// What a set of combinations can tell: all of them, or a fraction that confounds some effects with others.
import type { CampaignFactorial } from '../../schemas/factorial.ts';
import { listed } from '../../text/numbers.ts';
import { type Combination, confoundedWith, levelsOf, type Term, termsOf } from './model.ts';

/** Such as method × payload. */
export const termName = (term: Term): string => term.join(' × ');

/** @param combinations sites × conditions × views; no two are alike. */
export function designOf(combinations: readonly Combination[]): CampaignFactorial['design'] {
  const factors = Object.keys(combinations[0] ?? {}).filter((factor) => levelsOf(combinations, factor).length > 1);
  const all = factors.reduce((product, factor) => product * levelsOf(combinations, factor).length, 1);
  const counts = { combinations: combinations.length, of: all };
  if (combinations.length === all) return { ...counts, resolution: null, words: `All ${all} combinations of levels.` };
  const terms = termsOf(factors);
  const pairs = terms.flatMap((term) => confoundedWith(combinations, term, terms).map((other) => [term, other] as const));
  // Each once: the other way round it is the same.
  const those = pairs.filter(([term, other], n) => !pairs.slice(0, n).some(([one, two]) => one === other && two === term));
  const among = (one: number, other: number) => pairs.some(([term, two]) => term.length === one && two.length === other);
  const resolution = among(1, 1) ? 'II' : among(1, 2) || among(2, 1) ? 'III' : among(2, 2) ? 'IV' : null;
  const told = those.map(([term, other]) => `${termName(term)} with ${termName(other)}`);
  const some = `${combinations.length} of ${all} combinations of levels${resolution === null ? '' : `, of resolution ${resolution}`}.`;
  const confounded =
    told.length === 0
      ? 'No factor and no pair of factors is confounded with another.'
      : `The design can’t tell ${listed(told)}: what is found of one may be the other’s.${resolution === 'II' ? ' Factors are confounded with each other, so neither can be judged: measure more combinations.' : ''}`;
  return { ...counts, resolution, words: `${some} ${confounded}` };
}
