// The report of Kiwee's test: its table and violins, drawn from our loads beside what it published.
import { quantile, violin } from '@pronghorn/core/math';
import type { Site } from '@pronghorn/core/schemas';
import { counted, protocolName, shareWords } from '@pronghorn/core/text';
import type { Isolation } from '@pronghorn/core/vocabulary';
import { type Content, html, type Markup, page, type TableCell, tableOf } from './html.ts';
import { type KiweeFinding, type KiweeLoad, type KiweeSide, kiweeFindings } from './kiwee-findings.ts';
import type { Measured } from './measured.ts';
import { kiwee, type SixNumbers } from './published.ts';
import { conditionTable, deltaInterval, deltaWords, isLab, listOf, measuredWords, number, paceWords } from './report-parts.ts';
import { locationsOf, studies } from './studies.ts';
import { axisTo, legend, secondsWords, type ViolinShape, violinChart } from './svg.ts';

const statistics = ['median', 'mean', 'p90', 'p99', 'min', 'max'] as const;
/** Violins of more sites would make the page too large. */
const mostDrawn = 20;
/** Points of a violin's side: more could not be told apart. */
const violinPoints = 64;

/** @param loads those that count, with the study's own number of each. @returns a whole HTML page. */
export function kiweeReport(measured: Measured, loads: readonly KiweeLoad[]): string {
  const { campaign } = measured;
  const findings = Map.groupBy(kiweeFindings(measured, loads), ({ siteId }) => siteId);
  const title = 'Kiwee’s test of 2023, again';
  const drawn = campaign.sites.slice(0, mostDrawn);
  const left = campaign.sites.length - drawn.length;
  return page(
    title,
    html`<h1>${title}</h1>
${measuredWords(measured)}
<p>The number of a load is Kiwee’s “complete download time”: from the start of the first request to the end of the last one that is listed before the first request of a script. Its p90 and p99 are the largest of the lowest ⌊0.9 n⌋ and ⌊0.99 n⌋ values (so p99 of 50 loads is the second largest); beside them stand those of definition 7 of Hyndman &amp; Fan. H3-Delta is (median h3 − median h2) ÷ the larger of both, with a 95 % bootstrap interval over rounds.</p>
<p class="soft">Source: ${kiwee.source}. The article draws its violins of loads that are not at hand as numbers: of them the published median and mean are drawn, as hollow circles and squares.</p>
<h2>What is different in kind</h2>
${listOf(differences(measured))}
<h2>Conditions</h2>
${conditionTable(measured, studies.kiwee)}
${paceWords(measured, studies.kiwee.rounds * studies.kiwee.conditions.length * studies.kiwee.protocols.length, 'one page’s')}
<h2>What was published</h2>
${publishedTable()}
${drawn.map((site) => siteSection(site, findings.get(site.id) ?? []))}
${left > 0 && html`<p>${counted(left, 'more site')} of this campaign ${left === 1 ? 'is' : 'are'} not drawn, so that this page stays small.</p>`}`,
  );
}

const isolationWords: Record<Isolation, string> = {
  auto: 'A fresh context of a running Chrome for each visit, or a Chrome of its own where the page connects ahead; the article had a fresh container.',
  context: 'A fresh context of a running Chrome for each visit; the article had a fresh container.',
  container: 'A fresh container for each visit, as there.',
  process:
    'A fresh Chrome with a fresh profile for each visit; the article had a fresh container. No runner that gives each visit a container was asked.',
};

function differences({ campaign }: Measured): Content[] {
  const { spec, sites } = campaign;
  const lab = sites.some(({ url }) => isLab(url));
  return [
    isolationWords[spec.isolation],
    ...(lab ? ['The page is one of a lab, with its server beside the browser: only the emulated network lies between.'] : []),
    'The article loaded from real places, over networks that it does not describe; here round trips are assumed and emulated. Compare order and sign, not seconds.',
    `HTTP/2 and HTTP/3 take turns in random order within ${counted(spec.rounds, 'round')}, with HTTP/1.1 beside them, which the article did not measure; its order is not said.`,
    'The article says 50 loads of each; its notebook has 14 to 50, and left out loads with another number of requests than most, for each protocol apart: of HTTP/3 near the server 12 of 50, among them the slowest. Here all loads count, and its rule is shown beside.',
    'Loads that failed are counted; in the table of times they have none, in H3-Delta they are slower than all others.',
  ];
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);
const cell = (content: string): TableCell => ({ content, kind: 'number' });

function publishedTable(): Markup {
  return tableOf({
    caption:
      'Seconds, h3 / h2; loads that were used of those that were made. “52 % faster” of the article’s text is a slip: 6.69 s is 52 % of 12.86 s.',
    head: ['where', ...statistics, 'H3-Delta', 'h3 loads', 'h2 loads'],
    rows: kiwee.locations.map(({ id, name, h3, h2 }) => [
      `${id}, ${name}`,
      ...statistics.map((one) => cell(`${(h3[one] / 1000).toFixed(4)} / ${(h2[one] / 1000).toFixed(4)}`)),
      cell(deltaWords((h3.median - h2.median) / Math.max(h3.median, h2.median))),
      cell(`${h3.used} of ${h3.made}`),
      cell(`${h2.used} of ${h2.made}`),
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

function sideRow(condition: string, { protocol, made, failed, all, usual }: KiweeSide): TableCell[] {
  const six = (numbers: SixNumbers | undefined, values: readonly number[]) =>
    statistics.map((one) => {
      if (numbers === undefined) return cell('–');
      const share = one === 'p90' ? 0.9 : one === 'p99' ? 0.99 : null;
      return cell(share === null ? seconds(numbers[one]) : `${seconds(numbers[one])} (${seconds(quantile(values, share))})`);
    });
  return [
    condition,
    protocolName(protocol),
    ...six(all?.six, all?.values ?? []),
    cell(number(made)),
    cell(number(failed)),
    cell(usual === null ? '–' : number(usual.requests)),
    cell(usual === null ? '–' : `${usual.loads} of ${made}`),
    cell(usual === null ? '–' : seconds(usual.six.median)),
    cell(usual === null ? '–' : seconds(usual.six.mean)),
  ];
}

function comparedRow({ condition, sides, delta, interval }: KiweeFinding): TableCell[] {
  const places = (locationsOf[condition] ?? []).flatMap((id) => kiwee.locations.find((one) => one.id === id) ?? []);
  const meanOf = (protocol: 'h2' | 'h3') => sides.find((side) => side.protocol === protocol)?.all?.six.mean;
  const [h2, h3] = [meanOf('h2'), meanOf('h3')];
  const relative = (one: number, other: number) => `${one < other ? '−' : '+'}${shareWords((one - other) / other)}`;
  return [
    condition,
    cell(delta === null ? '–' : `${deltaWords(delta)}${deltaInterval(interval)}`),
    {
      content: places
        .map((one) => `${deltaWords((one.h3.median - one.h2.median) / Math.max(one.h3.median, one.h2.median))} [${one.id}]`)
        .join(', '),
      kind: 'soft',
    },
    cell(h2 === undefined || h3 === undefined ? '–' : relative(h3, h2)),
    { content: places.map((one) => `${relative(one.h3.mean, one.h2.mean)} [${one.id}]`).join(', '), kind: 'soft' },
  ];
}
