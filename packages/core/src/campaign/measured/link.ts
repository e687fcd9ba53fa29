// The checks of a link under one condition: their measurements together, and their doubts about the visits behind it.

import { median } from '../../math/quantile.ts';
import { trend } from '../../math/trend.ts';
import type { LinkCheck, MeasuredDelay, MeasuredDirection } from '../../schemas/link-check.ts';
import type { MeasuredLink } from '../../schemas/results.ts';
import { counted, listed, percent, rateWords } from '../../text/numbers.ts';

/** @param checks of one condition in one campaign. @returns null without any. */
export function measuredLink(checks: readonly LinkCheck[]): MeasuredLink | null {
  if (checks.length === 0) return null;
  const good = checks.filter(({ faults }) => faults.length === 0);
  const measured = {
    checks: good.length,
    faulty: checks.length - good.length,
    backends: [...new Set(checks.map(({ backend }) => backend))],
    kernels: [...new Set(checks.map(({ kernel }) => kernel))],
    rtt: rttOf(good.flatMap(({ rtt }) => rtt ?? [])),
    up: directionOf(good.flatMap(({ up }) => up ?? [])),
    down: directionOf(good.flatMap(({ down }) => down ?? [])),
  };
  return { words: wordsOf(measured), ...measured };
}

function rttOf(delays: readonly MeasuredDelay[]): MeasuredLink['rtt'] {
  const [first] = delays;
  return first ? { requestedMs: first.requestedMs, medianMs: median(delays.map(({ p50Ms }) => p50Ms)) } : null;
}

function directionOf(checks: readonly MeasuredDirection[]): MeasuredLink['up'] {
  const [first] = checks;
  if (!first) return null;
  const sum = (of: (check: MeasuredDirection) => number) => checks.reduce((total, check) => total + of(check), 0);
  const rates = Map.groupBy(
    checks.flatMap((check) => check.rates),
    ({ transport }) => transport,
  );
  return {
    loss: { requestedShare: first.loss.requestedShare, sent: sum(({ loss }) => loss.sent), lost: sum(({ loss }) => loss.lost) },
    rates: [...rates].map(([transport, measured]) => ({
      transport,
      requestedKbps: measured[0]?.requestedKbps ?? null,
      medianKbps: median(measured.map(({ measuredKbps }) => measuredKbps)),
    })),
  };
}

/** Such as: RTT 50.4 ms; up 2.1 % loss, UDP 9.97 Mbit/s, TCP 9.81 Mbit/s; down …; 20 checks; guest (7.2.1). */
function wordsOf({ checks, faulty, backends, kernels, rtt, up, down }: Omit<MeasuredLink, 'words'>): string {
  const counts = [
    ...(checks > 0 ? [`${checks} ${checks === 1 ? 'check' : 'checks'}`] : []),
    ...(faulty > 0 ? [`${faulty} out of tolerance`] : []),
  ].join(', ');
  return [
    ...(rtt ? [`RTT ${Number(rtt.medianMs.toPrecision(3))} ms`] : []),
    ...directionWords('up', up),
    ...directionWords('down', down),
    counts,
    `${backends.join(', ')} (${kernels.join(', ')})`,
  ].join('; ');
}

function directionWords(name: string, direction: MeasuredLink['up']): string[] {
  if (!direction) return [];
  const { loss, rates } = direction;
  // Without a requested rate, the rate that the link could reach says nothing.
  const limited = rates.filter(({ requestedKbps }) => requestedKbps !== null);
  const parts = [
    `${percent(loss.sent === 0 ? 0 : loss.lost / loss.sent, 3)} loss`,
    ...limited.map(({ transport, medianKbps }) => `${transport.toUpperCase()} ${rateWords(medianKbps, 3)}`),
  ];
  return [`${name} ${parts.join(', ')}`];
}

/** A link check for results: its findings, and whether visits that count used that link. */
export type ResultLinkCheck = LinkCheck & { counted: boolean };

/** Share of all checks: each faulty one means that the link was rebuilt. */
const maxFaultyShare = 0.2;
/** Share of a check's own tolerance, from the first to the last check. */
const maxDriftShare = 0.5;
const certain = 0.01;
const minForTrend = 8;
/** The trend compares all pairs. */
const maxForTrend = 500;

/**
 * @param checks of one condition in one campaign, in any order.
 * @returns null if nothing speaks against the link: at most a fifth of its checks found a fault, and the visits that count used one kind of
 *   link, whose round trip shows no trend (Mann–Kendall, p < 0.01) of more than half of the tolerance over the campaign (Theil–Sen). Every
 *   round's link was within tolerance by itself; a slow drift inside it is no difference between protocols, because they take turns, but
 *   the condition is then not one. The same applies to links of different kinds: a round uses one of them, and so does each pair.
 */
export function linkDoubt(checks: readonly ResultLinkCheck[]): string | null {
  const faulty = checks.filter(({ faults }) => faults.length > 0).length;
  if (checks.length > 0 && faulty / checks.length > maxFaultyShare)
    return `${faulty} of ${checks.length} checks of the link found it out of tolerance: find out what disturbs this machine.`;
  const good = checks.filter((check) => check.counted && check.faults.length === 0);
  const kinds = Map.groupBy(good, ({ backend }) => backend);
  if (kinds.size > 1) {
    const links = [...kinds].map(([backend, its]) => `${backend} (${counted(its.length, 'check')})`).sort();
    return `Its rounds were performed behind links of different kinds, ${listed(links)}: each pair of visits used one, but numbers over all of them are a mixture. Give all runners of a location the same --link, or set a location.`;
  }
  const rtts = good.sort((a, b) => a.checkedAt.localeCompare(b.checkedAt)).flatMap(({ rtt }) => rtt ?? []);
  if (rtts.length < minForTrend) return null;
  const step = Math.ceil(rtts.length / maxForTrend);
  const looked = rtts.filter((_, place) => place % step === 0).map(({ p50Ms }) => p50Ms);
  const { p, slope } = trend(looked) ?? { p: 1, slope: 0 };
  const driftMs = (slope / step) * (rtts.length - 1);
  const toleranceMs = rtts[0]?.toleranceMs ?? Number.POSITIVE_INFINITY;
  if (p >= certain || Math.abs(driftMs) <= maxDriftShare * toleranceMs) return null;
  return `The link’s round trip ${driftMs > 0 ? 'grew' : 'shrank'} by ${Math.abs(driftMs).toFixed(1)} ms over the campaign.`;
}
