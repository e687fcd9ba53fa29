// Proves a link: measures what it does and holds that against its condition.
import { randomUUID } from 'node:crypto';
import { type Direction, delayOf, directions, lossShareOf, rttOf } from '@pronghorn/core/network';
import type { Condition, LinkCheck, MeasuredDelay, MeasuredDirection, MeasuredRate } from '@pronghorn/core/schemas';
import type { Delays, OneWay } from '../probe/figures.ts';
import type { Probe } from '../probe/probe.ts';
import { delayFault, directionFaults } from './faults.ts';
import { lostInterval } from './lost-count.ts';
import { lossSendingOf, pingingOf, tcpFills, tcpSendingOf, udpSendingOf } from './plan.ts';
import { delayToleranceMs, delayWithin, rateWithin } from './tolerance.ts';

/** What is checked, for the record. */
export type Subject = Pick<LinkCheck, 'backend' | 'kernel' | 'tcLines'>;

/**
 * Measures round trips: cheap enough for every round, about one round trip and 80 ms, thrice that when it is off.
 *
 * @throws Error when the probe itself fails; what the link does wrong is a fault of the check
 */
export async function checkRtt(probe: Probe, condition: Condition, subject: Subject): Promise<LinkCheck> {
  return await roundTrips(probe, condition, subject);
}

/**
 * Measures round trips, then loss, order and delay of both directions at once, then the rates by UDP and TCP.
 *
 * @throws as checkRtt
 */
export async function checkFull(probe: Probe, condition: Condition, subject: Subject): Promise<LinkCheck> {
  const check = await roundTrips(probe, condition, subject);
  // Nothing came back although something should: the rest would only wait for it.
  if (check.rtt === null && check.faults.length > 0) return check;
  const [up, down] = await Promise.all(directions.map((direction) => oneWay(probe, condition, direction)));
  const rates = await ratesOf(probe, condition);
  check.up = measuredDirection(condition, 'up', up as OneWay, rates.up);
  check.down = measuredDirection(condition, 'down', down as OneWay, rates.down);
  for (const direction of directions) check.faults.push(...directionFaults(direction, check[direction] as MeasuredDirection));
  return check;
}

async function roundTrips(probe: Probe, condition: Condition, subject: Subject): Promise<LinkCheck> {
  const pinging = pingingOf(condition);
  const shapes = directions.map((direction) => condition[direction]);
  const { sent, reason, rtt } = await inThreeTries(
    async () => {
      const { sent, delay, reason } = await probe.rtt(pinging);
      const toleranceMs = delayToleranceMs(rttOf(condition), shapes, delay?.packets ?? 0);
      return { sent, reason, rtt: delay === null ? null : measuredDelay(delay, rttOf(condition), toleranceMs) };
    },
    // Silence has been waited for long enough.
    ({ rtt }) => rtt?.within !== false,
  );
  const silent = `none of ${sent} pings came back within ${Math.round(pinging.patienceMs).toLocaleString('en-US')} ms${reason === null ? '' : ` (${reason})`}`;
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
  // A machine too slow to send more than the rate can't tell whether the link limits it.
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
