// What is out of tolerance, in words: what was measured, what was requested, and how far apart they may be.
import type { Direction } from '@pronghorn/core/network';
import type { MeasuredDelay, MeasuredDirection, MeasuredLoss, MeasuredRate } from '@pronghorn/core/schemas';
import { rateShare } from './tolerance.ts';

export function delayFault(what: string, delay: MeasuredDelay | null): string[] {
  if (delay === null || delay.within) return [];
  const { p50Ms, requestedMs, toleranceMs } = delay;
  return [`${what} ${ms(p50Ms)} ms, ${number(requestedMs)} ± ${ms(toleranceMs)} ms requested`];
}

export function directionFaults(direction: Direction, { delay, loss, rates }: MeasuredDirection): string[] {
  return [...lossFault(loss), ...delayFault('delay', delay), ...rates.filter(({ within }) => within === false).map(rateFault)].map(
    (fault) => `${direction}: ${fault}`,
  );
}

function lossFault({ within, lost, sent, low, high, requestedShare }: MeasuredLoss): string[] {
  if (within) return [];
  const expected = low === high ? count(low) : `${count(low)}–${count(high)}`;
  return [`${count(lost)} of ${count(sent)} packets lost, ${expected} expected at ${number(requestedShare * 100)} %`];
}

function rateFault({ transport, measuredKbps, requestedKbps }: MeasuredRate): string {
  const requested = requestedKbps ?? 0;
  return `${transport.toUpperCase()} ${mbps(measuredKbps)} Mbit/s, ${mbps(requested)} ± ${mbps(requested * rateShare)} Mbit/s requested`;
}

const count = (value: number) => value.toLocaleString('en-US');
/** As it was requested, without noise of binary fractions. */
const number = (value: number) => String(Number(value.toPrecision(6)));
/** A round trip that is shorter than its first decimal is there all the same. */
const ms = (value: number) => String(Number(value.toFixed(value < 0.1 ? 3 : 1)));
const mbps = (kbps: number) => String(Number((kbps / 1e3).toPrecision(3)));
