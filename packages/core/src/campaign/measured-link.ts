// What the checks of a link say together: the proof that goes with the results under a condition.

import { median } from '../math/quantile.ts';
import type { LinkCheck, MeasuredDelay, MeasuredDirection } from '../schemas/link-check.ts';
import type { MeasuredLink } from '../schemas/results.ts';
import { percent, rateWords } from '../text/quantities.ts';

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
  // Where no rate is asked for, what the link could do at most is no news.
  const asked = rates.filter(({ requestedKbps }) => requestedKbps !== null);
  const parts = [
    `${percent(loss.sent === 0 ? 0 : loss.lost / loss.sent, 3)} loss`,
    ...asked.map(({ transport, medianKbps }) => `${transport.toUpperCase()} ${rateWords(medianKbps, 3)}`),
  ];
  return [`${name} ${parts.join(', ')}`];
}
