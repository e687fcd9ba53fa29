// What the checks of a link say against the visits behind it.

import { trend } from '../math/trend.ts';
import type { LinkCheck } from '../schemas/link-check.ts';
import { counted, listed } from '../text/numbers.ts';

/** What results need to know of a check: what it found, and whether visits that count were made behind that link. */
export type ResultLinkCheck = LinkCheck & { counted: boolean };

/** Of all checks: each one means a link that was built anew. */
const mostFaulty = 0.2;
/** Of a check's own tolerance, from the first to the last check. */
const mostDrift = 0.5;
const certain = 0.01;
const fewestForTrend = 8;
/** The trend looks at all pairs. */
const mostForTrend = 500;

/**
 * @param checks of one condition in one campaign, in any order.
 * @returns null where nothing speaks against the link: at most a fifth of its checks found a fault, and behind the visits that count stood
 *   one kind of link, whose round trip shows no trend (Mann–Kendall, p < 0.01) of more than half of the tolerance over the campaign (Theil–Sen). Every round's link was within
 *   tolerance by itself; a slow drift inside it would still be no difference between protocols, since they take turns, but the
 *   condition is then not one. The same is so of links of different kinds: a round is performed behind one of them, and so is each pair.
 */
export function linkDoubt(checks: readonly ResultLinkCheck[]): string | null {
  const faulty = checks.filter(({ faults }) => faults.length > 0).length;
  if (checks.length > 0 && faulty / checks.length > mostFaulty)
    return `${faulty} of ${checks.length} checks of the link found it out of tolerance: see what disturbs this machine.`;
  const good = checks.filter((check) => check.counted && check.faults.length === 0);
  const kinds = Map.groupBy(good, ({ backend }) => backend);
  if (kinds.size > 1) {
    const told = [...kinds].map(([backend, its]) => `${backend} (${counted(its.length, 'check')})`).sort();
    return `Its rounds were performed behind links of different kinds, ${listed(told)}: each pair of visits behind one, but what is told of all of them is of a mixture. Give the runners of a location the same --link, or ask for a location.`;
  }
  const rtts = good.sort((a, b) => a.checkedAt.localeCompare(b.checkedAt)).flatMap(({ rtt }) => rtt ?? []);
  if (rtts.length < fewestForTrend) return null;
  const step = Math.ceil(rtts.length / mostForTrend);
  const looked = rtts.filter((_, place) => place % step === 0).map(({ p50Ms }) => p50Ms);
  const { p, slope } = trend(looked) ?? { p: 1, slope: 0 };
  const driftMs = (slope / step) * (rtts.length - 1);
  const toleranceMs = rtts[0]?.toleranceMs ?? Number.POSITIVE_INFINITY;
  if (p >= certain || Math.abs(driftMs) <= mostDrift * toleranceMs) return null;
  return `The link’s round trip ${driftMs > 0 ? 'grew' : 'shrank'} by ${Math.abs(driftMs).toFixed(1)} ms over the campaign.`;
}
