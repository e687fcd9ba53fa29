// A result as a picture of 480 × 200 for pages elsewhere: an <img>, so no font, no script and no style of the page reaches it.
import {
  type Axis,
  axisOf,
  type CampaignReport,
  differenceWords,
  marginBounds,
  middleHalf,
  type ReportRow,
  reportOf,
  rowOutcome,
} from '@pronghorn/core/answer';
import type { Campaign, CampaignSummary, VerdictOutcome } from '@pronghorn/core/schemas';
import { protocolNames } from '@pronghorn/core/vocabulary';
import { escaped, shortened, widthOf } from './svg-text.ts';

const width = 480;
const padding = 16;
const rowHeight = 21;
const maxRows = 6;
/** Of letters of Verdana at 11 px, in which `widthOf` counts. */
const scaleTo = (px: number) => px / 11;

/** Columns: the name, the picture, the words of the difference. */
const plot = { left: 166, right: 292 };
const words = { left: 302, right: width - padding };

export function cardSvg(campaign: Campaign, summary: CampaignSummary): string {
  const report = reportOf(campaign, summary, maxRows);
  const title = fitted(campaign.spec.name, width - 2 * padding, 13);
  const answer = lines(report.answer, width - 2 * padding, 12, 3);
  const warned = report.warnings.length === 0 ? [] : lines(`! ${capital(report.warnings.join('; '))}.`, width - 2 * padding, 11.5, 3);
  const top = 64 + 16 * (answer.length + warned.length);
  const hasPlot = report.rows.some(({ difference }) => difference !== null);
  const height = Math.max(200, top + rowHeight * report.rows.length + (hasPlot ? 46 : 30));
  const at = new Date(campaign.finishedAt ?? campaign.createdAt);
  const date = `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  const said = escaped(shortened([report.question, report.answer, ...report.warnings.map((title) => `${capital(title)}.`)].join(' '), 600));
  const x = placeOn(axisOf(report.rows, campaign.spec.margin));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${said}">`,
    `<title>${said}</title>`,
    // By the reader's system, since no page can say it to an <img>.
    `<style>${palette(light)}@media(prefers-color-scheme:dark){${palette(dark)}}text{font-family:-apple-system,"Segoe UI",Verdana,"DejaVu Sans",sans-serif}</style>`,
    `<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    text(title, { x: padding, y: 25, size: 13, weight: 650 }),
    text(report.question, { x: padding, y: 44, size: 11.5, tone: 'soft' }),
    ...answer.map((line, n) => text(line, { x: padding, y: 64 + 16 * n, size: 12 })),
    ...warned.map((line, n) => text(line, { x: padding, y: 64 + 16 * (answer.length + n), size: 11.5, tone: 'bad' })),
    ...report.rows.map((row, n) => rowOf(row, top + rowHeight * n, x, campaign.spec)),
    hasPlot ? legendOf(top + rowHeight * report.rows.length, x) : '',
    text(`Pronghorn · ${date}`, { x: padding, y: height - 11, size: 10, tone: 'soft' }),
    text(noteOf(report), { x: width - padding, y: height - 11, size: 10, tone: 'soft', anchor: 'end' }),
    '</svg>\n',
  ].join('');
}

const capital = (said: string) => `${said.charAt(0).toUpperCase()}${said.slice(1)}`;

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** As style/base.css of the dashboard: hue is the protocol. */
const light = {
  card: '#fff',
  line: '#dcdfe4',
  ink: '#1c2430',
  soft: '#566070',
  h2: '#0072b2',
  h3: '#c75000',
  margin: '#e3efe7',
  bad: '#b3261e',
};
const dark = {
  card: '#1a2028',
  line: '#323b47',
  ink: '#e8ebf0',
  soft: '#a3adba',
  h2: '#56b4e9',
  h3: '#ff8a3d',
  margin: '#24392d',
  bad: '#ff8a80',
};
const palette = ({ card, line, ink, soft, h2, h3, margin, bad }: typeof light) =>
  `.card{fill:${card};stroke:${line}}.ink{fill:${ink}}.soft{fill:${soft}}.zero{stroke:${soft}}.whisker{stroke:${ink}}.h2{fill:${h2}}.h3{fill:${h3}}.margin{fill:${margin}}.bad{fill:${bad}}`;

const placeOn = (axis: Axis) => (share: number) => plot.left + (axis.of(share).percent / 100) * (plot.right - plot.left);

function rowOf(row: ReportRow, top: number, x: (share: number) => number, spec: Campaign['spec']): string {
  const { site, name, difference } = row;
  const middle = top + 4;
  const isFailed = isLost(row);
  const hasPlot = difference !== null && !isFailed;
  const label = text(fitted(site === null ? name : `${name} · ${site}`, (hasPlot ? plot.left : words.left) - padding - 10, 11), {
    x: padding,
    y: middle + 4,
    size: 11,
  });
  const right = text(fitted(saidOf(row, spec), words.right - words.left, 11), {
    x: words.left,
    y: middle + 4,
    size: 11,
    tone: isFailed ? 'bad' : 'ink',
  });
  if (!hasPlot) return label + right;
  const n = (value: number) => String(Number(value.toFixed(1)));
  const interval = row.interval ?? around(difference.share, middleHalf(row)) ?? { low: difference.share, high: difference.share };
  const bounds = marginBounds(spec.margin);
  const [from, to] = [x(bounds.low), x(bounds.high)];
  return [
    label,
    `<rect class="margin" x="${n(from)}" y="${n(middle - rowHeight / 2)}" width="${n(to - from)}" height="${rowHeight}"/>`,
    `<path class="zero" d="M${n(x(0))} ${n(middle - rowHeight / 2)}v${rowHeight}"/>`,
    `<path class="whisker" stroke-width="1.5" d="M${n(x(interval.low))} ${middle}H${n(x(interval.high))}"/>`,
    markOf(rowOutcome(row), x(difference.share), middle),
    right,
  ].join('');
}

/** Of two pages the one in the middle lies outside of what lies between them. */
const around = (share: number, half: { low: number; high: number } | null) =>
  half && { low: Math.min(half.low, share), high: Math.max(half.high, share) };

/** What is not proven, of several pages for each, has a question mark: it would be read as proven. Pages together have the median page's figure. */
function saidOf(row: ReportRow, { margin, primaryMetric }: Campaign['spec']): string {
  const [first] = row.verdicts;
  const [lead, ...others] = row.leads;
  const outcome = rowOutcome(row);
  if (outcome === 'equivalent') return `equal within ${Number((100 * margin).toFixed(1))} %`;
  if (isLost(row) || first === undefined) return first?.notLoaded ?? 'not compared';
  if (row.notCompared + row.notLoaded === cellsOf(row)) return 'not compared';
  const [failing] = Object.entries(row.failing?.rates ?? {}).map(
    ([protocol, { failed, loads }]) => `${protocolNames[protocol as 'h2']} failed in ${failed} of ${loads}`,
  );
  const mark = outcome?.endsWith('-faster') ? '' : '? ';
  if (failing !== undefined && row.failing?.sites === cellsOf(row)) return failing;
  if (row.difference !== null) return `${mark}${differenceWords(row.difference, primaryMetric)}`;
  if (lead === undefined) return first.unfinished ? 'no verdict yet' : 'no clear difference';
  if (others.length > 0) return 'differs by page';
  return `${mark}${protocolNames[lead.protocol]} faster${lead.sites === cellsOf(row) ? '' : ` for ${lead.sites} of ${cellsOf(row)}`}`;
}

const cellsOf = ({ verdicts }: ReportRow) => verdicts.reduce((sum, { count }) => sum + count, 0);
const isLost = ({ verdicts }: ReportRow) => verdicts.length === 1 && verdicts[0]?.notLoaded != null;

/** Verdict: shape; protocol: hue. */
function markOf(outcome: VerdictOutcome | null, x: number, y: number): string {
  const [cx, cy] = [Number(x.toFixed(1)), Number(y.toFixed(1))];
  if (outcome === 'h3-faster') return `<path class="h3" d="M${cx} ${cy - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z"/>`;
  if (outcome === 'h2-faster') return `<circle class="h2" cx="${cx}" cy="${cy}" r="4.5"/>`;
  if (outcome === 'equivalent') return `<path class="ink" d="M${cx - 5} ${cy - 4}h10v3h-10zM${cx - 5} ${cy + 1}h10v3h-10z"/>`;
  return text('?', { x: cx, y: cy + 4.5, size: 13, weight: 650, anchor: 'middle' });
}

const noteOf = ({ rows, more }: CampaignReport) =>
  [
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(rows.some(({ marks, difference }) => marks.length > 0 && difference !== null)
      ? ['mark: middle page, line: middle half of the pages']
      : []),
  ].join(' · ');

function legendOf(top: number, x: (share: number) => number): string {
  const y = top + 8;
  return [
    text('← HTTP/3 faster', { x: x(0) - 6, y, size: 9.5, tone: 'soft', anchor: 'end' }),
    text('HTTP/2 faster →', { x: x(0) + 6, y, size: 9.5, tone: 'soft' }),
  ].join('');
}

type Placed = { x: number; y: number; size: number; weight?: number; tone?: 'ink' | 'soft' | 'bad'; anchor?: 'start' | 'middle' | 'end' };

/** Each text keeps its own direction, and turns none beside it. */
const text = (said: string, { x, y, size, weight = 400, tone = 'ink', anchor = 'start' }: Placed) =>
  `<text class="${tone}" x="${Number(x.toFixed(1))}" y="${y}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}">${escaped(shortened(said, 200))}</text>`;

/** Cut where it is wider than that, as Verdana is, which is wider than most. */
function fitted(said: string, px: number, size: number): string {
  for (let atMost = 120; atMost > 1; atMost = Math.min(atMost - 1, Math.floor(atMost * 0.95))) {
    const cut = shortened(said, atMost);
    if (widthOf(cut) * scaleTo(size) <= px) return cut;
  }
  return '…';
}

/** Words on at most so many lines. */
function lines(said: string, px: number, size: number, atMost: number): string[] {
  const made: string[] = [];
  let line = '';
  for (const word of shortened(said, 400).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || widthOf(longer) * scaleTo(size) <= px) {
      line = longer;
      continue;
    }
    made.push(line);
    line = word;
    if (made.length === atMost) return [...made.slice(0, -1), fitted(`${made.at(-1)} …`, px, size)];
  }
  return [...made, fitted(line, px, size)];
}
