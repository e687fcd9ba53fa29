// Calibrations as text: for each site, condition and view the findings in words, what to be careful of, and the numbers behind them.
import { styleText } from 'node:util';
import type { Calibration, Campaign } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { cellKey, metricTitle, minCalibrationRounds } from '@pronghorn/core/vocabulary';
import type { SlotCalibration } from './calibrations.ts';
import { type Cell, plain, table, wrap } from './terminal.ts';

type Calibrated = SlotCalibration & { calibration: Calibration };

/** @param linesUnder what else there is to say of a group: of its link, above its findings, and of its visits, below */
export function calibrationReport(
  { sites }: Pick<Campaign, 'sites'>,
  found: readonly SlotCalibration[],
  linesUnder: (group: SlotCalibration) => { above: string[]; below: string[] } = () => ({ above: [], below: [] }),
): string {
  const groups = [...Map.groupBy(found, cellKey).values()];
  const parts = groups.map((group) => {
    const [first] = group as [SlotCalibration];
    const site = sites.find(({ id }) => id === first.siteId);
    const heading =
      styleText('bold', plain(site?.name ?? first.siteId)) +
      styleText('dim', plain(`  ${site?.url ?? ''}  ${first.condition}, ${first.view}`));
    const { above, below } = linesUnder(first);
    const calibrated = group.filter((one): one is Calibrated => one.calibration !== null);
    const tables =
      calibrated.length === 0
        ? []
        : [falseWinners(calibrated), steadiness(calibrated), ...places(calibrated), smallestDifferences(calibrated)];
    const shared = sharedCautions(calibrated);
    const sections = [
      [heading, ...above].join('\n'),
      ...group.map((one) => findings(one, shared)),
      ...(shared.length > 0 ? [cautionLines(shared)] : []),
      ...tables,
      ...(below.length > 0 ? [below.join('\n')] : []),
    ];
    return sections.join('\n\n');
  });
  const isTold = found.some(({ calibration }) => calibration !== null);
  return [...parts, ...(isTold ? [styleText('dim', wrap(closing(found)))] : [])].join('\n\n');
}

const nameOf = ({ protocol, metric }: SlotCalibration) => `${protocol} against ${protocol}, ${metricTitle(metric)}`;

/** @param shared cautions that are told once for all */
function findings(one: SlotCalibration, shared: readonly string[]): string {
  const heading = `${styleText('bold', nameOf(one))}${styleText('dim', `, ${counted(one.rounds, 'round')}`)}`;
  if (one.calibration === null) {
    const words = `At least ${minCalibrationRounds} rounds in which both visits are valid are needed to calibrate anything.`;
    return `${heading}\n${styleText('yellow', wrap(words))}`;
  }
  const { words, cautions } = one.calibration;
  const own = cautions.filter((caution) => !shared.includes(caution));
  return [heading, wrap(words), ...(own.length > 0 ? [cautionLines(own)] : [])].join('\n');
}

const cautionLines = (cautions: readonly string[]) => styleText('yellow', cautions.map((caution) => wrap(caution)).join('\n'));

/** Those of each of several. */
function sharedCautions([first, ...others]: readonly Calibrated[]): string[] {
  if (first === undefined || others.length === 0) return [];
  return first.calibration.cautions.filter((caution) => others.every(({ calibration }) => calibration.cautions.includes(caution)));
}

const title = (text: string) => styleText('bold', text);

const columnsOfName = ({ protocol, metric }: SlotCalibration): string[] => [protocol, metricTitle(metric)];

function falseWinners(found: readonly Calibrated[]): string {
  const rows = found.flatMap((one) =>
    one.calibration.subCampaigns.map(({ rounds, count, falsePositives, uniformity }, index): Cell[] => [
      ...(index === 0 ? columnsOfName(one) : ['', '']),
      String(rounds),
      String(count),
      `${falsePositives.count} (${percent(falsePositives.share)})`,
      `${percent(falsePositives.low)} to ${percent(falsePositives.high)}`,
      percent(falsePositives.expected),
      pWords(uniformity.p),
    ]),
  );
  const header = ['', '', 'rounds', 'runs', 'winners', '95 % interval', 'by chance', 'uniform'];
  return `${title('False winners, in runs of rounds that are taken as campaigns')}\n${table(header, rows, [0, 1])}`;
}

function steadiness(found: readonly Calibrated[]): string {
  const rows = found.map((one): Cell[] => {
    const { whole, spread, drift, autocorrelation } = one.calibration;
    return [
      ...columnsOfName(one),
      percent(spread.medianDifference),
      whole.relative === null ? 'no bound' : signed(whole.relative),
      pWords(whole.p),
      ...(drift === null ? ['–', '–'] : [signed(drift.change), pWords(drift.p)]),
      ...(autocorrelation === null ? ['–', '–'] : [correlation(autocorrelation.coefficient), pWords(autocorrelation.p)]),
    ];
  });
  return `${title('The rounds')}\n${table(['', '', 'noise', 'second', '', 'drift', '', 'lag 1', ''], rows, [0, 1])}`;
}

/** Of all protocols together: a row for each metric. */
function places(found: readonly Calibrated[]): string[] {
  const [first, ...others] = found.filter((one, index) => found.findIndex(({ metric }) => metric === one.metric) === index);
  if (first?.places == null) return [];
  const rows = [first, ...others].flatMap(({ metric, places }) =>
    places === null ? [] : [[metricTitle(metric), String(places.rounds), ...places.places.map(signed), pWords(places.p)]],
  );
  const cautions = [first, ...others].flatMap(({ metric, places }) =>
    places?.caution ? [`${metricTitle(metric)}: ${places.caution}`] : [],
  );
  const header = ['', 'rounds', ...first.places.places.map((_, place) => ordinal(place + 1)), ''];
  const heading = `${title('The visits of a round in their order, against their protocol’s median')}\n${table(header, rows)}`;
  return [cautions.length === 0 ? heading : `${heading}\n${cautionLines(cautions)}`];
}

/** 1st, 2nd, 12th. */
const ordinal = (n: number) => `${n}${n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;

function smallestDifferences(found: readonly Calibrated[]): string {
  const planned = found[0]?.calibration.detectable.map(({ rounds }) => rounds) ?? [];
  const rows = found.map((one) => [
    ...columnsOfName(one),
    ...one.calibration.detectable.map(({ relative }) => (relative === null ? '–' : percent(relative))),
  ]);
  const header = ['', '', ...planned.map((rounds) => `${rounds} rounds`)];
  return `${title('The smallest difference that so many rounds see, with 80 % power')}\n${table(header, rows, [0, 1])}`;
}

function closing(found: readonly SlotCalibration[]): string {
  const meaning =
    'uniform: the p-values of the runs (Kolmogorov–Smirnov). noise: in half of the rounds the two visits differ by no more. ' +
    'second: how far the second slot is above the first. drift: of the values, from the first round to the last (Mann–Kendall). ' +
    'lag 1: correlation of each round with the next.';
  const judged = found.every(({ calibration, places }) => calibration?.cautions.length === 0 && !places?.caution)
    ? 'Nothing amiss was found: on this machine, page and path the test is as sure as it says, as far as so many rounds can tell.'
    : 'A caution is no failure of this command: it says what to trust less on this machine, page and path. ' +
      'One sound calibration in twenty has some: calibrate again, and believe what comes back.';
  return `${meaning}\n\n${judged}`;
}

/** To two significant digits, and never as a power of ten. */
const percent = (share: number) => `${Number(Number((share * 100).toPrecision(2)).toFixed(4))} %`;

function signed(relative: number): string {
  const size = percent(Math.abs(relative));
  return size === '0 %' ? size : `${relative < 0 ? '−' : '+'}${size}`;
}

const correlation = (coefficient: number) => `${coefficient <= -0.005 ? '−' : ''}${Math.abs(coefficient).toFixed(2)}`;

const pWords = (p: number) => (p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`);
