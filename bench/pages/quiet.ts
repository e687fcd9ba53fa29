// Visits that end after 100 ms of quiet, beside visits that end after 500 ms: what the first miss and what the second cost.
// Takes 5 minutes. node bench pages/quiet [ROUNDS, default 10] [SITE…]
import { median, randomSource, shuffle } from '../../packages/core/src/math/index.ts';
import { ratio } from '../shared/figures.ts';
import { type Measured, openLab, presetOf } from '../shared/lab.ts';

const usual = [
  'application',
  'application-timer',
  'application-at-once',
  'application-tasks',
  'article',
  'shop',
  'scripts',
  'large-objects',
];
const [rounds = '10', ...names] = process.argv.slice(2);
const native = presetOf('native');
await using lab = await openLab([native], undefined, undefined, true);
await lab.under(native);
const random = randomSource(1);
const quiets = [100, 500] as const;

console.log('Median milliseconds, HTTP/2. At work: visits that ended while the page still did something.');
const rows = [];
for (const name of names.length === 0 ? usual : names) {
  const site = lab.origin.sites.find((one) => one.name === name);
  if (site === undefined) throw new Error(`The demo has no site "${name}".`);
  const measured: Record<(typeof quiets)[number], Measured[]> = { 100: [], 500: [] };
  for (let round = 0; round < Number(rounds); round++) {
    for (const quietMs of shuffle(quiets, random)) {
      const { h2 } = await lab.visit(site.url, 1, { protocols: ['h2'], limits: { quietMs } });
      measured[quietMs].push(...h2);
    }
  }
  const [short, long] = quiets.map((quietMs) => median(measured[quietMs].map(({ tookMs }) => tookMs))) as [number, number];
  for (const quietMs of quiets) {
    const visits = measured[quietMs];
    const of = (value: (one: Measured) => number | null | undefined) => {
      const values = visits.flatMap((one) => value(one) ?? []);
      return values.length === 0 ? '–' : Math.round(median(values));
    };
    rows.push({
      page: name,
      quiet: quietMs,
      visits: visits.length,
      SpeedIndex: of(({ speedIndex }) => speedIndex),
      LCP: of(({ largestContentfulPaint }) => largestContentfulPaint),
      onLoad: of(({ onLoad }) => onLoad),
      requests: of(({ requests }) => requests),
      'at work': `${visits.filter(({ settled }) => (settled?.busy.length ?? 0) > 0).length}/${visits.length}`,
      'load to end': of(({ settled }) => settled?.ms),
      visit: of(({ tookMs }) => tookMs),
      'visit, ratio': quietMs === 500 ? ratio(long, short) : '',
    });
  }
}
console.table(rows);
