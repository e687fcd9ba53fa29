// Compares the browser's reports of visits with the origin’s own log.
import { isOfPage, type Resource, type Visit } from '@pronghorn/core/schemas';
import { alpnOf, type Protocol, protocolOf } from '@pronghorn/core/vocabulary';
import type { AccessLogEntry, DemoSite } from '@pronghorn/origin';

export interface Proof {
  visits: number;
  /** Visits or runs whose objects or answers all came over the requested protocol on every host that speaks it, as the browser or client reports. */
  proven: number;
  /** The finished objects of all visits, or the answers of runs. */
  objects: number;
  /** Objects for which the origin's log has a request with the same host, path and protocol during the visit. */
  logged: number;
  contradictions: string[];
}

/** An answer may be logged this long before the visit starts or after its last byte: on a busy machine nginx writes late. */
const slackMs = 300;

/**
 * Checks the browser's reports against the origin's log, request by request: one visit runs at a time, so the requests logged meanwhile are its own.
 *
 * @param sites the demo's sites with the protocols of each host; a host that lacks the protocol speaks the next lower one
 */
export function prove(
  visits: readonly { visit: Visit; resources: readonly Resource[] }[],
  log: readonly AccessLogEntry[],
  sites: readonly DemoSite[],
): Proof {
  const speaks = new Map(sites.flatMap(({ hosts }) => hosts.map(({ host, protocols }) => [host, protocols] as const)));
  const proof: Proof = { visits: visits.length, proven: 0, objects: 0, logged: 0, contradictions: [] };
  for (const { visit, resources } of visits) {
    if (visit.outcome.verdict === 'valid' && !isOfPage(visit.outcome.metrics)) {
      proveRun(visit, visit.outcome.metrics, log, proof);
      continue;
    }
    const answered = resources.filter(({ cache, status, host }) => cache === 'none' && status !== null && speaks.has(host));
    const start = Date.parse(visit.startedAt);
    const end = start + Math.max(0, ...answered.map(({ endMs }) => endMs ?? 0));
    const meanwhile = log.filter(({ time }) => time * 1_000 >= start - slackMs && time * 1_000 <= end + slackMs);
    const unused = new Map<string, number>();
    for (const entry of meanwhile) {
      const key = `${entry.protocol} ${entry.host}${entry.uri}`;
      unused.set(key, (unused.get(key) ?? 0) + 1);
    }
    let isAsRequested = true;
    for (const { url, host, protocol, endMs } of answered) {
      const { pathname, search } = new URL(url);
      const expected = expectedOf(visit.protocol, speaks.get(host) ?? []);
      if (protocolOf(protocol) !== expected) {
        isAsRequested = false;
        proof.contradictions.push(
          `${url} came over ${protocol} in a visit over ${visit.protocol}; expected ${expected && alpnOf[expected]}.`,
        );
      }
      // A stream is logged when it ends, after its visit.
      if (endMs === null) continue;
      proof.objects += 1;
      const key = `${protocol} ${host}${pathname}${search}`;
      const left = unused.get(key) ?? 0;
      if (left > 0) {
        unused.set(key, left - 1);
        proof.logged += 1;
      } else {
        proof.contradictions.push(`The browser reports ${url} over ${protocol}; the origin's log has no such request at that time.`);
      }
    }
    if (isAsRequested) proof.proven += 1;
  }
  return proof;
}

/** For runs only numbers of requests are compared. A run with an answer over another protocol is invalid anyway. */
function proveRun(
  { startedAt, wallMs, protocol }: Visit,
  { requests, failedRequests }: { requests: number; failedRequests: number },
  log: readonly AccessLogEntry[],
  proof: Proof,
): void {
  const start = Date.parse(startedAt);
  const answers = requests - failedRequests;
  const logged = log.filter(
    (entry) =>
      entry.protocol === alpnOf[protocol] && entry.time * 1_000 >= start - slackMs && entry.time * 1_000 <= start + wallMs + slackMs,
  ).length;
  proof.proven += 1;
  proof.objects += answers;
  proof.logged += Math.min(answers, logged);
  if (logged < answers)
    proof.contradictions.push(
      `The client reports ${answers} answers over ${alpnOf[protocol]} from ${startedAt} on; the origin's log has ${logged} at that time.`,
    );
}

/** The protocol between a host that speaks `protocols` and a browser that may speak up to `max`. */
function expectedOf(max: Protocol, protocols: readonly Protocol[]): Protocol | undefined {
  return [...protocols].sort().findLast((protocol) => protocol <= max);
}
