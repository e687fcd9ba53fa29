// What a campaign says on Kiwee's test (2023): its number of each load, its six statistics by its own formulas, with and without what it left out.
import { type BootstrapInterval, h3DeltaInterval, median } from '@pronghorn/core/math';
import type { Resource } from '@pronghorn/core/schemas';
import { h3Delta } from '@pronghorn/core/verdict';
import { type Protocol, protocols } from '@pronghorn/core/vocabulary';
import type { Measured } from './measured.ts';
import type { SixNumbers } from './published.ts';

/** One load as Kiwee's notebook reads its HAR. */
export interface KiweeLoad {
  siteId: string;
  condition: string;
  protocol: Protocol;
  roundNumber: number;
  /** Its “complete download time”, milliseconds; null: nothing ended, or the requests were removed since. */
  downloadMs: number | null;
  requests: number;
}

export interface KiweeSide {
  protocol: Protocol;
  /** Loads with a number; loads that failed, which have none. */
  made: number;
  failed: number;
  all: { six: SixNumbers; values: number[] } | null;
  /** Without loads whose number of requests is not this protocol's most frequent one, as the notebook leaves them out. */
  usual: { six: SixNumbers; loads: number; requests: number } | null;
}

export interface KiweeFinding {
  siteId: string;
  condition: string;
  sides: KiweeSide[];
  /** H3-Delta of all loads, loads that failed among them as slower than all others. */
  delta: number | null;
  interval: BootstrapInterval | null;
}

/**
 * From the start of the first request to the end of the last one that is listed before the first request of a script (the notebook's final version):
 * what is listed after that counts no more, though no script asked for it, and the last one listed need not be the last to end.
 *
 * @returns milliseconds; null without a request, and where the last one has no end.
 */
export function kiweeDownload(resources: readonly Resource[]): number | null {
  const listed = resources.toSorted((a, b) => a.seq - b.seq);
  const script = listed.findIndex(({ initiatorType }) => initiatorType === 'script');
  const last = (script === -1 ? listed : listed.slice(0, script)).at(-1);
  const [first] = listed;
  return first === undefined || last === undefined || last.endMs === null ? null : last.endMs - first.startMs;
}

/**
 * Kiwee's statistics: p90 is the largest of the lowest ⌊0.9 n⌋ values, so that p99 of up to 100 loads is the second largest; of fewer than two
 * loads the smallest stands for both.
 *
 * @returns null of an empty sample.
 */
export function sixNumbers(values: readonly number[]): SixNumbers | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  // Rounded before the floor, so that 0.99 n is whole where it should be.
  const largestOf = (share: number) => sorted[Math.max(0, Math.floor(Number((share * sorted.length).toFixed(9))) - 1)] as number;
  return {
    median: median(sorted),
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p90: largestOf(0.9),
    p99: largestOf(0.99),
    min: sorted[0] as number,
    max: sorted.at(-1) as number,
  };
}

/** For each site and condition of the campaign. @param loads those that count. */
export function kiweeFindings({ campaign, visits }: Pick<Measured, 'campaign' | 'visits'>, loads: readonly KiweeLoad[]): KiweeFinding[] {
  const { conditions, protocols: slots, seed } = campaign.spec;
  const key = (one: { siteId: string; condition: string }) => `${one.siteId} ${one.condition}`;
  const loadsOf = Map.groupBy(loads, key);
  const failuresOf = Map.groupBy(
    visits.filter((visit) => visit.verdict === 'invalid' && visit.counted),
    key,
  );
  return campaign.sites.flatMap(({ id: siteId }) =>
    conditions.map(({ name: condition }): KiweeFinding => {
      const its = loadsOf.get(key({ siteId, condition })) ?? [];
      const failures = (failuresOf.get(key({ siteId, condition })) ?? []).flatMap((visit) => {
        const protocol = slots[visit.slot];
        return protocol === undefined ? [] : [{ protocol, roundNumber: visit.roundNumber }];
      });
      const sampleOf = (protocol: Protocol) => [
        ...its.flatMap((load) => (load.protocol === protocol && load.downloadMs !== null ? load.downloadMs : [])),
        ...failures.flatMap((one) => (one.protocol === protocol ? Number.POSITIVE_INFINITY : [])),
      ];
      const pairs = pairsOf(its, failures);
      return {
        siteId,
        condition,
        sides: protocols
          .filter((protocol) => slots.includes(protocol))
          .map((protocol) =>
            sideOf(
              protocol,
              its.filter((load) => load.protocol === protocol),
              failures.filter((one) => one.protocol === protocol).length,
            ),
          ),
        delta: h3Delta(sampleOf('h3'), sampleOf('h2')),
        interval: pairs.length === 0 ? null : h3DeltaInterval(pairs, { seed }),
      };
    }),
  );
}

function sideOf(protocol: Protocol, loads: readonly KiweeLoad[], failed: number): KiweeSide {
  const known = loads.flatMap(({ downloadMs, requests }) => (downloadMs === null ? [] : [{ downloadMs, requests }]));
  const values = known.map(({ downloadMs }) => downloadMs);
  // Of two counts that are as frequent the larger: a page that lacks something is the odd one.
  const [usual] = [...Map.groupBy(known, ({ requests }) => requests)].sort(([a, one], [b, other]) => other.length - one.length || b - a);
  const [all, six] = [sixNumbers(values), sixNumbers(usual?.[1].map(({ downloadMs }) => downloadMs) ?? [])];
  return {
    protocol,
    made: values.length + failed,
    failed,
    all: all && { six: all, values },
    usual: usual === undefined || six === null ? null : { six, loads: usual[1].length, requests: usual[0] },
  };
}

function pairsOf(
  loads: readonly KiweeLoad[],
  failures: readonly { protocol: Protocol; roundNumber: number }[],
): { h2: number; h3: number }[] {
  const rounds = new Map<number, { h2?: number; h3?: number }>();
  const put = (protocol: Protocol, roundNumber: number, value: number) => {
    if (protocol === 'h1') return;
    const round = rounds.get(roundNumber) ?? {};
    round[protocol] ??= value;
    rounds.set(roundNumber, round);
  };
  for (const { protocol, roundNumber, downloadMs } of loads) if (downloadMs !== null) put(protocol, roundNumber, downloadMs);
  for (const { protocol, roundNumber } of failures) put(protocol, roundNumber, Number.POSITIVE_INFINITY);
  return [...rounds].sort(([a], [b]) => a - b).flatMap(([, { h2, h3 }]) => (h2 === undefined || h3 === undefined ? [] : [{ h2, h3 }]));
}
