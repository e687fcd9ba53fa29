// Kiwee’s test (2023): its statistics by its own formulas, with and without the loads that it left out, and its table and violins beside the published
// ones.
import { type BootstrapInterval, h3DeltaInterval, median, quantile, violin } from '@pronghorn/core/math';
import type { Resource, Site } from '@pronghorn/core/schemas';
import { counted, protocolName, shareWords } from '@pronghorn/core/text';
import { h3Delta } from '@pronghorn/core/verdict';
import { type Isolation, type Protocol, protocols } from '@pronghorn/core/vocabulary';
import { type Content, type HtmlCell, html, type Markup, numeric, page, soft, tableOf } from './html.ts';
import { kiwee, type SixNumbers } from './published.ts';
import type { Measured } from './report.ts';
import { conditionTable, deltaInterval, deltaWords, isLab, listOf, measuredWords, number, paceWords } from './report-parts.ts';
import { locationsOf, studies } from './studies.ts';
import { axisTo, legend, secondsWords, type ViolinShape, violinChart } from './svg.ts';

/** A load as Kiwee's notebook reads it from its HAR. */
export interface KiweeLoad {
  siteId: string;
  condition: string;
  protocol: Protocol;
  roundNumber: number;
  /** Its “complete download time”, milliseconds; null: nothing ended, or the requests were removed. */
  downloadMs: number | null;
  requests: number;
}

interface KiweeSide {
  protocol: Protocol;
  /** Loads with a number, and failed loads, which have none. */
  made: number;
  failed: number;
  all: { six: SixNumbers; values: number[] } | null;
  /** Only loads with this protocol's most frequent number of requests, as in the notebook. */
  usual: { six: SixNumbers; loads: number; requests: number } | null;
}

interface KiweeFinding {
  siteId: string;
  condition: string;
  sides: KiweeSide[];
  /** H3-Delta of all loads; failed ones count as slower than all others. */
  delta: number | null;
  interval: BootstrapInterval | null;
}

/**
 * From the start of the first request to the end of the last one listed before the first request of a script (the notebook's final version): later
 * ones don't count, even if no script requested them, and the last one listed need not be the last to end.
 *
 * @returns milliseconds; null without a request, and where the last one has no end
 */
export function kiweeDownload(resources: readonly Resource[]): number | null {
  const listed = resources.toSorted((a, b) => a.seq - b.seq);
  const script = listed.findIndex(({ initiatorType }) => initiatorType === 'script');
  const last = (script === -1 ? listed : listed.slice(0, script)).at(-1);
  const [first] = listed;
  return first === undefined || last === undefined || last.endMs === null ? null : last.endMs - first.startMs;
}

/**
 * Kiwee's statistics: p90 is the largest of the lowest ⌊0.9 n⌋ values, so p99 of up to 100 loads is the second largest; below two loads both are the
 * smallest.
 *
 * @returns null for an empty sample
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

/** For each site and condition of the campaign. @param loads those that count */
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
  // Of two equally frequent counts the larger: a load with fewer requests is more likely incomplete.
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

const statistics = ['median', 'mean', 'p90', 'p99', 'min', 'max'] as const;
/** Violins of more sites would make the page too large. */
const maxDrawn = 20;
/** Points of a violin's side: more would not be visible. */
const violinPoints = 64;

/** @param loads those that count, with the study's own number for each. @returns an HTML page */
export function kiweeReport(measured: Measured, loads: readonly KiweeLoad[]): string {
  const { campaign } = measured;
  const findings = Map.groupBy(kiweeFindings(measured, loads), ({ siteId }) => siteId);
  const title = 'Kiwee’s test of 2023, again';
  const drawn = campaign.sites.slice(0, maxDrawn);
  const left = campaign.sites.length - drawn.length;
  return page(
    title,
    html`<h1>${title}</h1>
${measuredWords(measured)}
<p>The number of a load is Kiwee’s “complete download time”: from the start of the first request to the end of the last one that is listed before the first request of a script. Its p90 and p99 are the largest of the lowest ⌊0.9 n⌋ and ⌊0.99 n⌋ values (so p99 of 50 loads is the second largest); the numbers in brackets follow definition 7 of Hyndman &amp; Fan. H3-Delta is (median h3 − median h2) ÷ the larger of both, with a 95 % bootstrap interval over rounds.</p>
<p class="soft">Source: ${kiwee.source}. The loads behind the article’s violins are not available as numbers, so only the published medians and means are drawn, as hollow circles and squares.</p>
<h2>Differences in kind</h2>
${listOf(differences(measured))}
<h2>Conditions</h2>
${conditionTable(measured, studies.kiwee)}
${paceWords(measured, studies.kiwee.rounds * studies.kiwee.conditions.length * studies.kiwee.protocols.length, 'one page’s')}
<h2>What was published</h2>
${publishedTable()}
${drawn.map((site) => siteSection(site, findings.get(site.id) ?? []))}
${left > 0 && html`<p>${counted(left, 'more site')} of this campaign ${left === 1 ? 'is' : 'are'} not drawn, to keep this page small.</p>`}`,
  );
}

const isolationWords: Record<Isolation, string> = {
  auto: 'Each visit has a fresh context of a running Chrome, or its own Chrome where the page preconnects; the article used a fresh container.',
  context: 'Each visit has a fresh context of a running Chrome; the article used a fresh container.',
  container: 'Each visit has a fresh container, as in the article.',
  process:
    'Each visit has a fresh Chrome with a fresh profile; the article used a fresh container, which needs a runner that can start containers.',
};

function differences({ campaign }: Measured): Content[] {
  const { spec, sites } = campaign;
  const lab = sites.some(({ url }) => isLab(url));
  return [
    isolationWords[spec.isolation],
    ...(lab ? ['The page is from a lab, with its server beside the browser: only the emulated network lies between.'] : []),
    'The article loaded from real places, over networks that it does not describe; here round trips are assumed and emulated. Compare order and sign, not seconds.',
    `HTTP/2 and HTTP/3 take turns in random order within ${counted(spec.rounds, 'round')}, with HTTP/1.1, which the article did not measure; it does not say its order.`,
    'The article says 50 loads of each; its notebook has 14 to 50, and left out loads with an unusual number of requests, separately for each protocol: for HTTP/3 near the server 12 of 50, including the slowest. Here all loads count, and its rule is shown beside them.',
    'Failed loads are counted; they have no time in the table, and count as slower than all others in H3-Delta.',
  ];
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

function publishedTable(): Markup {
  return tableOf({
    caption: 'Seconds, h3 / h2; loads used of loads made. The article’s “52 % faster” is a slip: 6.69 s is 52 % of 12.86 s.',
    head: ['where', ...statistics, 'H3-Delta', 'h3 loads', 'h2 loads'],
    rows: kiwee.locations.map(({ id, name, h3, h2 }) => [
      `${id}, ${name}`,
      ...statistics.map((one) => numeric(`${(h3[one] / 1000).toFixed(4)} / ${(h2[one] / 1000).toFixed(4)}`)),
      numeric(deltaWords((h3.median - h2.median) / Math.max(h3.median, h2.median))),
      numeric(`${h3.used} of ${h3.made}`),
      numeric(`${h2.used} of ${h2.made}`),
    ]),
  });
}

function siteSection({ name, url }: Site, findings: readonly KiweeFinding[]): Markup {
  const some = findings.filter(({ sides }) => sides.some(({ all }) => all !== null));
  if (some.length === 0) return html`<h2>${name}</h2><p>No load of ${url} has a number.</p>`;
  return html`<h2>${name}</h2>
<p class="soft">${url}</p>
${legend([
  ...(['h1', 'h2', 'h3'] as const).map((protocol) => ({ tone: protocol, words: protocolName(protocol), kind: 'box' as const })),
  { tone: 'paper', words: 'published median; a square: published mean', kind: 'published' },
])}
<p class="soft">Violins of equal area: the line is the median, the point the mean.</p>
<figure class="panels">${some.map(violins)}</figure>
${tableOf({
  caption: 'All loads, in seconds; p90 and p99 by Kiwee’s rule, and by definition 7 in brackets.',
  head: ['condition', '', ...statistics, 'loads', 'failed', 'requests', 'by the article’s rule: loads', 'median', 'mean'],
  rows: some.flatMap((finding) => finding.sides.map((side) => sideRow(finding.condition, side))),
})}
${tableOf({
  caption: 'HTTP/3 against HTTP/2.',
  head: ['condition', 'H3-Delta of medians', 'published', 'mean, h3 relative to h2', 'published'],
  rows: some.map(comparedRow),
})}`;
}

function violins({ condition, sides }: KiweeFinding): Markup {
  const places = (locationsOf[condition] ?? []).flatMap((id) => kiwee.locations.find((one) => one.id === id) ?? []);
  const shapes = sides.map(({ protocol, all }): ViolinShape => {
    const values = all?.values ?? [];
    const published = protocol === 'h1' ? [] : places.flatMap((place) => [{ id: place.id, of: place[protocol] }]);
    return {
      name: protocolName(protocol),
      tone: protocol,
      violin: values.length === 0 ? null : violin(values, violinPoints),
      median: all?.six.median ?? null,
      mean: all?.six.mean ?? null,
      published: published.flatMap(({ id, of }) => [
        { value: of.median, words: `${id}: median ${seconds(of.median)} s`, isMean: false },
        { value: of.mean, words: `${id}: mean ${seconds(of.mean)} s`, isMean: true },
      ]),
    };
  });
  const tops = shapes.flatMap((shape, i) => [...(sides[i]?.all?.values ?? []), ...(shape.published ?? []).map(({ value }) => value)]);
  const ids = places.map(({ id }) => id).join(', ');
  return html`<div class="panel"><b>${condition}${ids !== '' && `, for ${ids}`}</b>${violinChart({ title: `Download times under ${condition}`, y: axisTo('seconds', tops, secondsWords), violins: shapes })}</div>`;
}

function sideRow(condition: string, { protocol, made, failed, all, usual }: KiweeSide): HtmlCell[] {
  const six = (numbers: SixNumbers | undefined, values: readonly number[]) =>
    statistics.map((one) => {
      if (numbers === undefined) return numeric('–');
      const share = one === 'p90' ? 0.9 : one === 'p99' ? 0.99 : null;
      return numeric(share === null ? seconds(numbers[one]) : `${seconds(numbers[one])} (${seconds(quantile(values, share))})`);
    });
  return [
    condition,
    protocolName(protocol),
    ...six(all?.six, all?.values ?? []),
    numeric(number(made)),
    numeric(number(failed)),
    numeric(usual === null ? '–' : number(usual.requests)),
    numeric(usual === null ? '–' : `${usual.loads} of ${made}`),
    numeric(usual === null ? '–' : seconds(usual.six.median)),
    numeric(usual === null ? '–' : seconds(usual.six.mean)),
  ];
}

function comparedRow({ condition, sides, delta, interval }: KiweeFinding): HtmlCell[] {
  const places = (locationsOf[condition] ?? []).flatMap((id) => kiwee.locations.find((one) => one.id === id) ?? []);
  const meanOf = (protocol: 'h2' | 'h3') => sides.find((side) => side.protocol === protocol)?.all?.six.mean;
  const [h2, h3] = [meanOf('h2'), meanOf('h3')];
  const relative = (one: number, other: number) => `${one < other ? '−' : '+'}${shareWords((one - other) / other)}`;
  return [
    condition,
    numeric(delta === null ? '–' : `${deltaWords(delta)}${deltaInterval(interval)}`),
    soft(
      places.map((one) => `${deltaWords((one.h3.median - one.h2.median) / Math.max(one.h3.median, one.h2.median))} [${one.id}]`).join(', '),
    ),
    numeric(h2 === undefined || h3 === undefined ? '–' : relative(h3, h2)),
    soft(places.map((one) => `${relative(one.h3.mean, one.h2.mean)} [${one.id}]`).join(', ')),
  ];
}
