// What a quiet of 100 ms after load misses, and what one of 500 ms costs: the same pages with both, in turn.
// Usage: node bench/pages/quiet.ts [ROUNDS] [SITE…]
import { median, randomSource, shuffle } from '../../packages/core/src/math/index.ts';
import { type Measured, openLab, presetOf } from '../link/lab.ts';

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
    });
  }
}
console.table(rows);
