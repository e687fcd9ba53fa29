// Proves a link: measures what it does and compares that with its condition.
import { randomUUID } from 'node:crypto';
import { type Direction, delayOf, directions, lossShareOf, rttOf } from '@pronghorn/core/network';
import type { Condition, LinkCheck, MeasuredDelay, MeasuredDirection, MeasuredLoss, MeasuredRate, Shape } from '@pronghorn/core/schemas';
import type { Delays, OneWay } from '../probe/figures.ts';
import type { Probe } from '../probe/probe.ts';
import { lostInterval } from './lost-count.ts';
import { lossSendingOf, pingingOf, tcpFills, tcpSendingOf, udpSendingOf } from './sendings.ts';

export type Subject = Pick<LinkCheck, 'backend' | 'kernel' | 'tcLines'>;

/**
 * Measures round trips: cheap enough for every round, about one round trip and 80 ms, thrice that when it is off.
 *
 * @throws Error when the probe itself fails; what the link does wrong is a fault of the check
 */
export async function checkRtt(probe: Probe, condition: Condition, subject: Subject): Promise<LinkCheck> {
  const pinging = pingingOf(condition);
  const shapes = directions.map((direction) => condition[direction]);
  const { sent, reason, rtt } = await inThreeTries(
    async () => {
      const { sent, delay, reason } = await probe.rtt(pinging);
      const toleranceMs = delayToleranceMs(rttOf(condition), shapes, delay?.packets ?? 0);
      return { sent, reason, rtt: delay === null ? null : measuredDelay(delay, rttOf(condition), toleranceMs) };
    },
    // Without any answer, more pings would not help.
    ({ rtt }) => rtt?.within !== false,
  );
  const silent = `none of ${sent} pings came back within ${Math.round(pinging.timeoutMs).toLocaleString('en-US')} ms${reason === null ? '' : ` (${reason})`}`;
  const nothingExpected = shapes.some((shape) => lossShareOf(shape) === 1);
  return {
    id: randomUUID(),
    checkedAt: new Date().toISOString(),
    condition: condition.name,
    ...subject,
    rtt,
    up: null,
    down: null,
    faults: rtt === null && !nothingExpected ? [silent] : delayFault('RTT', rtt),
  };
}

/**
 * Measures round trips, then loss, order and delay of both directions at once, then the rates by UDP and TCP.
 *
 * @throws as checkRtt
 */
export async function checkFull(probe: Probe, condition: Condition, subject: Subject): Promise<LinkCheck> {
  const check = await checkRtt(probe, condition, subject);
  // Nothing came back although something should: the other measurements would only time out.
  if (check.rtt === null && check.faults.length > 0) return check;
  const [up, down] = await Promise.all(directions.map((direction) => oneWay(probe, condition, direction)));
  const rates = await ratesOf(probe, condition);
  check.up = measuredDirection(condition, 'up', up as OneWay, rates.up);
  check.down = measuredDirection(condition, 'down', down as OneWay, rates.down);
  for (const direction of directions) check.faults.push(...directionFaults(direction, check[direction] as MeasuredDirection));
  return check;
}

/** Round trips and rates take tenths of a second, and a machine may stand still for that long: three times in a row it is the link. */
async function inThreeTries<T>(measure: () => Promise<T>, good: (measured: T) => boolean): Promise<T> {
  let last = await measure();
  for (let again = 0; again < 2 && !good(last); again++) last = await measure();
  return last;
}

function oneWay(probe: Probe, condition: Condition, direction: Direction): Promise<OneWay> {
  return probe.oneWay({ direction, ...lossSendingOf(condition, direction) });
}

async function ratesOf(probe: Probe, condition: Condition): Promise<Record<Direction, MeasuredRate[]>> {
  const [up, down] = await inTurnUnlessShaped(condition, (direction) =>
    // Null with a rate: the probe was held up and sent too little.
    inThreeTries(
      () => udpRate(probe, condition, direction),
      ({ within, requestedKbps }) => within === true || requestedKbps === null,
    ),
  );
  const tcp = (direction: Direction) =>
    inThreeTries(
      () => tcpRate(probe, condition, direction),
      ({ within }) => within !== false,
    );
  // One after the other: TCP in both directions at once does not fill them, its acknowledgements wait in the other one's queue
  // (Zhang, Shenker & Clark 1991; 5/1 Mbit/s gave 1.4 down).
  return { up: [up, await tcp('up')], down: [down, await tcp('down')] };
}

/** Both directions at once where rates limit them; without a rate each gets the whole machine. */
async function inTurnUnlessShaped<T>(condition: Condition, measure: (direction: Direction) => Promise<T>): Promise<[T, T]> {
  if (directions.every((direction) => condition[direction].rateKbps !== undefined))
    return await Promise.all([measure('up'), measure('down')]);
  return [await measure('up'), await measure('down')];
}

async function udpRate(probe: Probe, condition: Condition, direction: Direction): Promise<MeasuredRate> {
  const sending = udpSendingOf(condition, direction);
  const { kbps, offeredKbps } = await probe.rate({ direction, transport: 'udp', ...sending });
  const requestedKbps = condition[direction].rateKbps ?? null;
  // A machine too slow to send more than the rate can't show that the link limits it.
  const offeredEnough = requestedKbps !== null && (offeredKbps ?? 0) * (1 - lossShareOf(condition[direction])) > 1.05 * requestedKbps;
  return measuredRate('udp', requestedKbps, kbps, offeredEnough);
}

async function tcpRate(probe: Probe, condition: Condition, direction: Direction): Promise<MeasuredRate> {
  const { kbps } = await probe.rate({ direction, transport: 'tcp', ...tcpSendingOf(condition, direction) });
  return measuredRate('tcp', condition[direction].rateKbps ?? null, kbps, tcpFills(condition, direction));
}

function measuredRate(transport: 'udp' | 'tcp', requestedKbps: number | null, measuredKbps: number, judged: boolean): MeasuredRate {
  const within = requestedKbps === null || !judged ? null : rateWithin(measuredKbps, requestedKbps);
  return { transport, requestedKbps, measuredKbps, within };
}

function measuredDirection(condition: Condition, direction: Direction, sent: OneWay, rates: MeasuredRate[]): MeasuredDirection {
  const shape = condition[direction];
  const requestedMs = delayOf(condition, direction);
  const { low, high } = lostInterval(shape, sent.sent);
  const delay = sent.delay === null ? null : measuredDelay(sent.delay, requestedMs, delayToleranceMs(requestedMs, [shape], sent.received));
  return {
    delay,
    loss: {
      requestedShare: lossShareOf(shape),
      sent: sent.sent,
      lost: sent.lost,
      low,
      high,
      duplicates: sent.duplicates,
      reordered: sent.reordered,
      within: sent.lost >= low && sent.lost <= high,
    },
    rates,
  };
}

function measuredDelay({ meanMs, p50Ms, p99Ms, packets }: Delays, requestedMs: number, toleranceMs: number): MeasuredDelay {
  return { requestedMs, meanMs, p50Ms, p99Ms, toleranceMs, packets, within: delayWithin(p50Ms, requestedMs, toleranceMs) };
}

/** Tolerance of a delay: 2 ms, or 5 % when that is more. */
const delayFloorMs = 2;
const delayShare = 0.05;
const rateShare = 0.07;
/** 99.9 % of a normal distribution lie within this many standard errors. */
const standardErrors = 3.2905;

/**
 * Tolerance of the median of a number of delays, in milliseconds: max(2 ms, 5 %), and where jitter is requested, what
 * chance alone does to a median of so few.
 *
 * The standard error of a median is 1.2533 σ/√n for a normal distribution and J/√n for a uniform one of half width J; the
 * larger is taken for all, with σ or J as *requested*: a link that jitters more than it should gets no more room by that.
 * netem's correlation doesn't add to it: its filter x' = (1 − ρ)u + ρx keeps the variance of a sum as it is.
 * The median is judged, not the mean, because a machine that is busy for a moment receives some packets late, and because it is the requested delay whatever the correlation, and when a jitter larger
 * than the delay is cut off at 0, and when a share of packets is sent at once to reorder them. Only Pareto's is not in the
 * middle: 0.32 σ below it (netem's table is 4/3 (u^(−1/3) − 1.5)), which is allowed for.
 */
export function delayToleranceMs(requestedMs: number, shapes: readonly Shape[], packets: number): number {
  const spread = Math.hypot(...shapes.map(({ jitter }) => jitter?.ms ?? 0));
  const lopsided = shapes
    .filter(({ jitter }) => jitter?.distribution === 'pareto' || jitter?.distribution === 'paretonormal')
    .reduce((sum, { jitter }) => sum + 0.33 * (jitter?.ms ?? 0), 0);
  const chance = packets === 0 ? 0 : (standardErrors * 1.2533 * spread) / Math.sqrt(packets);
  return Math.max(delayFloorMs, delayShare * requestedMs) + chance + lopsided;
}

export const delayWithin = (measuredMs: number, requestedMs: number, toleranceMs: number) =>
  Math.abs(measuredMs - requestedMs) <= toleranceMs;

export const rateWithin = (measuredKbps: number, requestedKbps: number) =>
  Math.abs(measuredKbps - requestedKbps) <= rateShare * requestedKbps;

function delayFault(what: string, delay: MeasuredDelay | null): string[] {
  if (delay === null || delay.within) return [];
  const { p50Ms, requestedMs, toleranceMs } = delay;
  return [`${what} ${ms(p50Ms)} ms, ${number(requestedMs)} ± ${ms(toleranceMs)} ms requested`];
}

function directionFaults(direction: Direction, { delay, loss, rates }: MeasuredDirection): string[] {
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
/** Rounds off the noise of binary fractions. */
const number = (value: number) => String(Number(value.toPrecision(6)));
/** A round trip that is shorter than its first decimal is there all the same. */
const ms = (value: number) => String(Number(value.toFixed(value < 0.1 ? 3 : 1)));
const mbps = (kbps: number) => String(Number((kbps / 1e3).toPrecision(3)));
