// The rows of `pronghorn link check`: of each condition its round trip and its two directions, requested beside measured.
import { directions } from '@pronghorn/core/network';
import type { LinkCheck, MeasuredDelay, MeasuredDirection, MeasuredRate } from '@pronghorn/core/schemas';

export interface LinkTable {
  header: string[];
  rows: string[][];
  /** Columns that are aligned left. */
  left: number[];
}

const header = ['condition', 'way', 'ms', 'mean', 'p50', 'p99', 'lost', 'expected', 'Mbit/s', 'UDP', 'TCP', ''];

/**
 * Three rows for a condition: rtt, up, down. What was requested stands before what was measured: the delay before its mean, median and
 * 99th percentile; the lost packets before the interval that they are expected in; the rate before what UDP and TCP got, on the
 * wire. A rate with an asterisk is not judged: none is requested, or TCP can't reach it. The check's faults explain each ✗.
 */
export function linkTable(checks: readonly LinkCheck[]): LinkTable {
  return { header: [...header], rows: checks.flatMap(rowsOf), left: [0, 1, header.length - 1] };
}

function rowsOf(check: LinkCheck): string[][] {
  return [
    [check.condition, 'rtt', ...delayCells(check.rtt), '', '', '', '', '', mark(check.rtt?.within ?? check.faults.length === 0)],
    ...directions.flatMap((direction) => {
      const measured = check[direction];
      return measured === null ? [] : [['', direction, ...delayCells(measured.delay), ...directionCells(measured)]];
    }),
  ];
}

function delayCells(delay: MeasuredDelay | null): string[] {
  return delay === null ? ['', '–', '–', '–'] : [String(delay.requestedMs), ...[delay.meanMs, delay.p50Ms, delay.p99Ms].map(ms)];
}

function directionCells({ delay, loss, rates }: MeasuredDirection): string[] {
  const requested = rates.find(({ requestedKbps }) => requestedKbps !== null)?.requestedKbps;
  return [
    String(loss.lost),
    loss.low === loss.high ? String(loss.low) : `${loss.low}–${loss.high}`,
    requested === undefined || requested === null ? '' : String(requested / 1e3),
    rateCell(rates.find(({ transport }) => transport === 'udp')),
    rateCell(rates.find(({ transport }) => transport === 'tcp')),
    mark(delay?.within !== false && loss.within && rates.every(({ within }) => within !== false)),
  ];
}

const mark = (within: boolean) => (within ? 'ok' : '✗');

function rateCell(rate: MeasuredRate | undefined): string {
  if (rate === undefined) return '';
  const mbps = String(Number((rate.measuredKbps / 1e3).toPrecision(3)));
  return rate.within === null ? `${mbps}*` : mbps;
}

/** Rounds to 10 µs below 1 ms, where a link's floor is, else to 0.1 ms. */
const ms = (value: number) => value.toFixed(Math.abs(value) < 1 ? 2 : 1);
