import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '@pronghorn/core/math';
import { samples } from '@pronghorn/core/testing';
import { dueTimes, jitterMs, shortestInterval } from './due-times.ts';

const day = 86_400_000;

/** All times between two, as a local clock shows them there, with the offset from UTC. */
function between(cron: string, timeZone: string, from: string, to: string): string[] {
  const due = dueTimes(cron, timeZone);
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const times: string[] = [];
  for (let at = due.after(Date.parse(from)); at !== null && at < Date.parse(to); at = due.after(at)) times.push(clock.format(at));
  return times;
}

/** Nights whose date, in the zone, is each exactly once among the times. */
function assertOnceEachNight(times: readonly string[], nights: number): void {
  assert.equal(times.length, nights);
  assert.equal(new Set(times.map((time) => time.slice(0, 10))).size, nights);
}

test('a night without 02:30 and a night with two of them have one start each, over a year', () => {
  const times = between('30 2 * * *', 'Europe/Berlin', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z');
  assertOnceEachNight(times, 365);
  assert.deepEqual(
    times.filter((time) => !time.endsWith('02:30')),
    ['2026-03-29 03:00'],
  );
});

for (const [timeZone, cron, from, to, gap] of [
  ['America/New_York', '30 2 * * *', '2026-02-28T12:00:00Z', '2026-03-30T12:00:00Z', '2026-03-08 03:00'],
  ['America/New_York', '30 1 * * *', '2026-10-20T12:00:00Z', '2026-11-19T12:00:00Z', null],
  ['Australia/Lord_Howe', '15 2 * * *', '2026-09-20T02:00:00Z', '2026-10-20T02:00:00Z', '2026-10-04 02:30'],
  ['Australia/Lord_Howe', '45 1 * * *', '2026-03-20T02:00:00Z', '2026-04-19T02:00:00Z', null],
  ['UTC', '30 2 * * *', '2026-03-10T12:00:00Z', '2026-04-09T12:00:00Z', null],
  ['Africa/Casablanca', '30 2 * * *', '2026-02-01T12:00:00Z', '2026-03-03T12:00:00Z', '2026-02-15'],
] as const) {
  test(`thirty nights of ${cron} in ${timeZone} from ${from.slice(0, 10)} have thirty starts`, () => {
    const times = between(cron, timeZone, from, to);
    assertOnceEachNight(times, 30);
    if (gap?.includes(' ')) assert.ok(times.includes(gap), `${times}`);
  });
}

test('a list of times is due at each once too, and every hour goes by real time', () => {
  assert.deepEqual(between('30 1,2 * * *', 'Europe/Berlin', '2026-10-24T20:00:00Z', '2026-10-25T20:00:00Z'), [
    '2026-10-25 01:30',
    '2026-10-25 02:30',
  ]);
  assert.equal(between('0 * * * *', 'Europe/Berlin', '2026-10-24T21:59:00Z', '2026-10-25T22:59:00Z').length, 25);
});

test('the last time until another is that time itself, or one before', () => {
  const due = dueTimes('30 2 * * *', 'Europe/Berlin');
  const at = due.after(Date.parse('2026-06-01T12:00:00Z')) ?? 0;
  assert.deepEqual([due.until(at), due.until(at + 1), due.until(at - 1)], [at, at, at - day]);
});

test('where the hour before midnight is left out, the night is due when it ends', () => {
  for (const timeZone of ['America/Nuuk', 'America/Scoresbysund']) {
    const times = between('30 23 * * *', timeZone, '2027-03-20T12:00:00Z', '2027-04-03T12:00:00Z');
    assert.deepEqual(times.slice(6, 10), ['2027-03-26 23:30', '2027-03-28 00:00', '2027-03-28 23:30', '2027-03-29 23:30']);
  }
});

test('in every zone, a daily schedule is due once for each day, at its time, or where that is left out, when clocks go on', () => {
  const [from, to] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2028-01-01T00:00:00Z')];
  const days = Array.from({ length: (to - from) / day }, (_, n) => from + n * day);
  const rules = new Set<string>();
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    const shown = (time: number) => clock.format(time);
    const offsets = days.map((time) => Date.parse(`${shown(time).replace(' ', 'T')}Z`) - time);
    // Zones whose clocks go alike are one, and so are days far from a change of the clocks.
    if (rules.size === rules.add(offsets.join()).size || rules.size % samples(6, 1) > 0) continue;
    const changes = offsets.flatMap((offset, n) => (n > 0 && offset !== offsets[n - 1] ? [from + n * day] : []));
    for (const change of [from + day, ...changes]) {
      for (const wanted of ['00:00', '00:30', '01:30', '02:00', '02:30', '23:00', '23:30']) {
        const [hour, minute] = wanted.split(':').map(Number);
        const due = dueTimes(`${minute} ${hour} * * *`, timeZone);
        const times: number[] = [];
        for (let at = due.after(change - 4 * day); at !== null && at < change + 3 * day; at = due.after(at)) times.push(at);
        // What is due when clocks go on is of the day on which its time was left out: of the one before, where they go on over midnight.
        const dates = times.map((time) => (wanted <= shown(time).slice(11) ? shown(time) : shown(time - 1)).slice(0, 10));
        const place = `${timeZone} ${wanted} ${new Date(change).toISOString()}: ${times.map(shown)}`;
        for (const [at, one] of dates.entries()) if (at > 0) assert.equal(Date.parse(one) - Date.parse(dates[at - 1] ?? ''), day, place);
        assert.ok(times.filter((time) => !shown(time).endsWith(wanted)).length <= 1, place);
        for (const [at, time] of times.entries()) {
          assert.equal(due.until(time), time, place);
          assert.equal(due.until(time + 1_000), time, place);
          if (at > 0) assert.equal(due.until(time - 1), times[at - 1], place);
        }
      }
    }
  }
});

test('the shortest interval is found across midnight, months and years', () => {
  assert.equal(shortestInterval('0 3 * * *'), day);
  assert.equal(shortestInterval('1,58 0,23 * * *'), 3 * 60_000);
  assert.equal(shortestInterval('*/5 * * * *'), 5 * 60_000);
  assert.equal(shortestInterval('@hourly'), 3_600_000);
  assert.equal(shortestInterval('0 0 29 2 *'), (4 * 365 + 1) * day);
  assert.equal(shortestInterval('0 0 31 2 *'), Number.POSITIVE_INFINITY);
  assert.equal(shortestInterval('0,59 0,23 1,31 * *'), 60_000, '31 July and 1 August');
  assert.equal(shortestInterval('0,59 0,23 1 1 *'), 59 * 60_000, 'New Year’s Day alone');
  assert.equal(shortestInterval('0 0 29 2 1'), day, '28 February is a Monday, some time');
  assert.equal(shortestInterval('0 0 * * 5L'), 28 * day);
});

test('the shortest interval is that of all that is due in 28 years, whatever the expression', () => {
  const random = randomSource(11);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const number = (from: number, to: number) => String(from + Math.floor(random() * (to - from + 1)));
  const field = (from: number, to: number) =>
    pick([
      () => '*',
      () => number(from, to),
      () => `${number(from, to)},${number(from, to)}`,
      () => `*/${number(2, 6)}`,
      () => `${number(from, from + 1)}-${number(from + 2, to)}/${number(1, 4)}`,
    ])();
  for (let n = 0; n < samples(30, 150); n++) {
    const special = n % 5 === 0 ? pick(['L', '15W', '1,L']) : null;
    const days = `${special ?? field(1, 31)} ${field(1, 12)} ${n % 7 === 0 ? pick(['5L', 'MON#1', '2#1,4#3']) : field(0, 6)}`;
    // Times of day far apart: what decides is which days follow each other.
    const cron = `${number(0, 59)} ${number(0, 23)} ${days}`;
    const due = dueTimes(cron, 'UTC');
    let [shortest, last] = [Number.POSITIVE_INFINITY, null as number | null];
    const first = Date.UTC(2000, 0, 1);
    for (let at = due.after(first - 1), runs = 0; at !== null && at < Date.UTC(2028, 1, 28) && runs < 800; at = due.after(at), runs++) {
      if (last !== null) shortest = Math.min(shortest, at - last);
      last = at;
      if (shortest === day) break;
    }
    const found = shortestInterval(cron);
    assert.ok(found <= shortest, `${cron}: ${found} ms, and there is one of ${shortest}`);
    if (last !== null && last > Date.UTC(2027, 0, 1)) assert.equal(found, shortest, cron);
  }
});

test('what is no expression or no zone is refused in words', () => {
  for (const [cron, timeZone, words] of [
    ['nonsense', 'UTC', /"nonsense" is no cron expression; expected five fields/],
    ['* * * * * *', 'UTC', /expected five fields/],
    ['2026-01-01T00:00:00', 'UTC', /expected five fields/],
    ['@reboot', 'UTC', /expected five fields/],
    ['99 2 * * *', 'UTC', /"99 2 \* \* \*" is no cron expression \(Invalid value for minute: 99\)/],
    ['30 2 * * *', 'Mars/Olympus', /There is no time zone "Mars\/Olympus"/],
    ['30 2 * * *', '+01:00', /There is no time zone "\+01:00"/],
    ['30 2 * * *', '', /There is no time zone ""/],
  ] as const) {
    assert.throws(() => dueTimes(cron, timeZone), words);
  }
  assert.equal(dueTimes('@daily', 'UTC').after(0), day);
});

test('jitter is the same for everybody who asks, differs from start to start, and stays below its bound', () => {
  const amounts = Array.from({ length: 200 }, (_, night) => jitterMs(3, night * day, 600));
  assert.deepEqual(
    amounts,
    Array.from({ length: 200 }, (_, night) => jitterMs(3, night * day, 600)),
  );
  assert.ok(amounts.every((ms) => Number.isInteger(ms) && ms >= 0 && ms < 600_000));
  assert.equal(new Set(amounts).size, 200);
  assert.ok(Math.max(...amounts) - Math.min(...amounts) > 500_000);
  assert.equal(jitterMs(3, day, 0), 0);
});
