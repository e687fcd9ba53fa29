// Calibrations of an A/A campaign: the slots of one protocol compared with each other, round by round, and the findings as text.

import { styleText } from 'node:util';
import { type AaRound, calibration, judgeCalibration, type OrderedVisit, orderEffect } from '@pronghorn/core/campaign';
import type { Calibration, Campaign, CampaignSpec, MetricName, OrderEffect, Visit } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { mainMetrics } from '@pronghorn/core/verdict';
import { cellKey, metricOf, metricTitle, minCalibrationRounds, type Protocol, type View } from '@pronghorn/core/vocabulary';
import { dim, plain, type TableCell, table, wrap, yellow } from '../program/terminal.ts';

/** For pages onLoad and SpeedIndex, for REST calls response time and its p99. */
const calibratedMetrics = (spec: Pick<CampaignSpec, 'engine'>): readonly MetricName[] => mainMetrics(spec).slice(0, 2);

/** One metric of two slots that should be alike. */
export interface SlotCalibration {
  siteId: string;
  condition: string;
  view: View;
  protocol: Protocol;
  slots: [number, number];
  metric: MetricName;
  /** Rounds in which both visits have a number. */
  rounds: number;
  /** Null with too few rounds: see `minCalibrationRounds`. */
  calibration: Calibration | null;
  /** Over all visits of the cell's rounds, for this metric; the same for each protocol. */
  order: OrderEffect | null;
}

/** True where a campaign only compares protocols with themselves. */
export function isCalibration({ protocols }: Pick<CampaignSpec, 'protocols'>): boolean {
  return [...Map.groupBy(protocols, (protocol) => protocol).values()].every((slots) => slots.length > 1);
}

/**
 * The calibration of each cell, pair of slots of one protocol, and metric. Campaigns without such a pair have none.
 *
 * @param visits of the campaign; those that don't count are ignored
 */
export function calibrations({ spec, sites }: Pick<Campaign, 'spec' | 'sites'>, visits: Iterable<Visit>): SlotCalibration[] {
  const pairs = pairsOfSlots(spec.protocols);
  if (pairs.length === 0) return [];
  const metrics = calibratedMetrics(spec);
  const counted = Map.groupBy(
    [...visits].filter((visit) => visit.counted),
    keyOf,
  );
  return sites.flatMap(({ id: siteId }) =>
    spec.conditions.flatMap(({ name: condition }) =>
      spec.views.flatMap((view) => {
        const group = spec.protocols.flatMap((_, slot) => counted.get(keyOf({ siteId, condition, view, slot })) ?? []);
        const ordersOf = metrics.map((metric) => orderEffect(inOrder(group, metric)));
        const all = pairs.flatMap(({ protocol, slots }) => {
          const [first, second] = slots.map((slot) => counted.get(keyOf({ siteId, condition, view, slot })) ?? []) as [Visit[], Visit[]];
          return metrics.map((metric) => {
            const rounds = roundsOf(first, second, metric);
            return { protocol, slots, metric, rounds: rounds.length, calibration: calibration(rounds, { seed: spec.seed }) };
          });
        });
        const judged = judgeCalibration(
          all.flatMap((one) => one.calibration ?? []),
          ordersOf.flatMap((order) => order ?? []),
        );
        const [calibrated, ordered] = [judged.calibrations.values(), judged.orders.values()];
        const orders = ordersOf.map((one) => one && (ordered.next().value ?? null));
        return all.map((one): SlotCalibration => {
          const ofMetric = orders[metrics.indexOf(one.metric)] ?? null;
          return { siteId, condition, view, ...one, calibration: one.calibration && (calibrated.next().value ?? null), order: ofMetric };
        });
      }),
    ),
  );
}

const keyOf = ({ siteId, condition, view, slot }: Pick<Visit, 'siteId' | 'condition' | 'view' | 'slot'>) =>
  `${siteId} ${condition} ${view} ${slot}`;

function pairsOfSlots(protocols: readonly Protocol[]): Pick<SlotCalibration, 'protocol' | 'slots'>[] {
  return protocols.flatMap((protocol, first) =>
    protocols.flatMap((other, second) =>
      second > first && other === protocol ? [{ protocol, slots: [first, second] as [number, number] }] : [],
    ),
  );
}

/** Rounds with their visits in order; those without a number above 0 are left out. */
function inOrder(visits: readonly Visit[], metric: SlotCalibration['metric']): OrderedVisit[][] {
  const byRound = Map.groupBy(visits, ({ roundNumber }) => roundNumber);
  return [...byRound.values()].map((round) =>
    round
      .toSorted((a, b) => a.position - b.position)
      .map((visit) => ({ protocol: visit.protocol, value: numberOf(visit, metric) }))
      .filter(({ value }) => value > 0 && Number.isFinite(value)),
  );
}

/** The value of a visit that counts: 0 where it has none, ∞ where its load failed. */
const numberOf = ({ outcome }: Visit, metric: SlotCalibration['metric']) =>
  outcome.verdict === 'valid' ? (metricOf(outcome.metrics, metric) ?? 0) : Number.POSITIVE_INFINITY;

/** In order of time, since repeated rounds come later. A value of 0 has no ratio: its round is left out. */
function roundsOf(first: readonly Visit[], second: readonly Visit[], metric: SlotCalibration['metric']): AaRound[] {
  const seconds = new Map(second.map((visit) => [visit.roundNumber, numberOf(visit, metric)]));
  return first
    .toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt))
    .map((visit) => ({ first: numberOf(visit, metric), second: seconds.get(visit.roundNumber) ?? 0 }))
    .filter((round) => round.first > 0 && round.second > 0);
}

type Calibrated = SlotCalibration & { calibration: Calibration };

/** @param linesUnder further lines of a cell: about its link, above its findings, and about its visits, below */
export function calibrationReport(
  { sites }: Pick<Campaign, 'sites'>,
  all: readonly SlotCalibration[],
  linesUnder: (group: SlotCalibration) => { above: string[]; below: string[] } = () => ({ above: [], below: [] }),
): string {
  const groups = [...Map.groupBy(all, cellKey).values()];
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
        : [falseWinners(calibrated), steadiness(calibrated), ...orderEffects(calibrated), smallestDifferences(calibrated)];
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
  const isCalibrated = all.some(({ calibration }) => calibration !== null);
  return [...parts, ...(isCalibrated ? [dim(closing(all))] : [])].join('\n\n');
}

const nameOf = ({ protocol, metric }: SlotCalibration) => `${protocol} against ${protocol}, ${metricTitle(metric)}`;

function findings(one: SlotCalibration, shared: readonly string[]): string {
  const heading = `${styleText('bold', nameOf(one))}${styleText('dim', `, ${counted(one.rounds, 'round')}`)}`;
  if (one.calibration === null) {
    const words = `A calibration needs at least ${minCalibrationRounds} rounds in which both visits are valid.`;
    return `${heading}\n${yellow(words)}`;
  }
  const { words, cautions } = one.calibration;
  const own = cautions.filter((caution) => !shared.includes(caution));
  return [heading, wrap(words), ...(own.length > 0 ? [cautionLines(own)] : [])].join('\n');
}

const cautionLines = (cautions: readonly string[]) => styleText('yellow', cautions.map((caution) => wrap(caution)).join('\n'));

function sharedCautions([first, ...others]: readonly Calibrated[]): string[] {
  if (first === undefined || others.length === 0) return [];
  return first.calibration.cautions.filter((caution) => others.every(({ calibration }) => calibration.cautions.includes(caution)));
}

const title = (text: string) => styleText('bold', text);

const columnsOfName = ({ protocol, metric }: SlotCalibration): string[] => [protocol, metricTitle(metric)];

function falseWinners(all: readonly Calibrated[]): string {
  const rows = all.flatMap((one) =>
    one.calibration.subCampaigns.map(({ rounds, count, falsePositives, uniformity }, index): TableCell[] => [
      ...(index === 0 ? columnsOfName(one) : ['', '']),
      String(rounds),
      String(count),
      `${falsePositives.count} (${percentText(falsePositives.share)})`,
      `${percentText(falsePositives.low)} to ${percentText(falsePositives.high)}`,
      percentText(falsePositives.expected),
      pWords(uniformity.p),
    ]),
  );
  const header = ['', '', 'rounds', 'runs', 'winners', '95 % interval', 'by chance', 'uniform'];
  return `${title('False winners, in runs of rounds that are taken as campaigns')}\n${table(header, rows, [0, 1])}`;
}

function steadiness(all: readonly Calibrated[]): string {
  const rows = all.map((one): TableCell[] => {
    const { whole, spread, drift, autocorrelation } = one.calibration;
    return [
      ...columnsOfName(one),
      percentText(spread.medianDifference),
      whole.relative === null ? 'no bound' : signed(whole.relative),
      pWords(whole.p),
      ...(drift === null ? ['–', '–'] : [signed(drift.change), pWords(drift.p)]),
      ...(autocorrelation === null ? ['–', '–'] : [correlation(autocorrelation.coefficient), pWords(autocorrelation.p)]),
    ];
  });
  return `${title('The rounds')}\n${table(['', '', 'noise', 'second', '', 'drift', '', 'lag 1', ''], rows, [0, 1])}`;
}

/** Over all protocols: a row for each metric. */
function orderEffects(all: readonly Calibrated[]): string[] {
  const [first, ...others] = all.filter((one, index) => all.findIndex(({ metric }) => metric === one.metric) === index);
  if (first?.order == null) return [];
  const rows = [first, ...others].flatMap(({ metric, order }) =>
    order === null ? [] : [[metricTitle(metric), String(order.rounds), ...order.positions.map(signed), pWords(order.p)]],
  );
  const cautions = [first, ...others].flatMap(({ metric, order }) => (order?.caution ? [`${metricTitle(metric)}: ${order.caution}`] : []));
  const header = ['', 'rounds', ...first.order.positions.map((_, position) => ordinal(position + 1)), ''];
  const heading = `${title('The visits of a round in their order, against their protocol’s median')}\n${table(header, rows)}`;
  return [cautions.length === 0 ? heading : `${heading}\n${cautionLines(cautions)}`];
}

/** 1st, 2nd, 12th. */
const ordinal = (n: number) => `${n}${n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;

function smallestDifferences(all: readonly Calibrated[]): string {
  const planned = all[0]?.calibration.detectable.map(({ rounds }) => rounds) ?? [];
  const rows = all.map((one) => [
    ...columnsOfName(one),
    ...one.calibration.detectable.map(({ relative }) => (relative === null ? '–' : percentText(relative))),
  ]);
  const header = ['', '', ...planned.map((rounds) => `${rounds} rounds`)];
  return `${title('The smallest difference that this many rounds detect, with 80 % power')}\n${table(header, rows, [0, 1])}`;
}

function closing(all: readonly SlotCalibration[]): string {
  const meaning =
    'uniform: test of the runs’ p-values (Kolmogorov–Smirnov). noise: in half of the rounds the two visits differ by no more. ' +
    'second: how far the second slot is above the first. drift: change of the values from the first round to the last (Mann–Kendall). ' +
    'lag 1: correlation of each round with the next.';
  const judged = all.every(({ calibration, order }) => calibration?.cautions.length === 0 && !order?.caution)
    ? 'No problem: on this machine, page and path the test is as sure as it says, as far as this many rounds can show.'
    : 'A caution is not a failure of this command: it says what to trust less on this machine, page and path. ' +
      'One sound calibration in twenty has some: calibrate again, and believe those that come back.';
  return `${meaning}\n\n${judged}`;
}

/** To two significant digits, and never as a power of ten. */
const percentText = (share: number) => `${Number(Number((share * 100).toPrecision(2)).toFixed(4))} %`;

function signed(relative: number): string {
  const size = percentText(Math.abs(relative));
  return size === '0 %' ? size : `${relative < 0 ? '−' : '+'}${size}`;
}

const correlation = (coefficient: number) => `${coefficient <= -0.005 ? '−' : ''}${Math.abs(coefficient).toFixed(2)}`;

const pWords = (p: number) => (p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`);
