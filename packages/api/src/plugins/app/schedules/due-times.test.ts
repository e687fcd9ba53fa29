import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('the shortest interval is found across midnight too', () => {
  const from = Date.parse('2026-06-01T12:00:00Z');
  assert.equal(shortestInterval(dueTimes('0 3 * * *', 'UTC'), from), day);
  assert.equal(shortestInterval(dueTimes('1,58 0,23 * * *', 'UTC'), from), 3 * 60_000);
  assert.equal(shortestInterval(dueTimes('*/5 * * * *', 'UTC'), from), 5 * 60_000);
  assert.equal(shortestInterval(dueTimes('0 0 29 2 *', 'UTC'), from) > 365 * day, true);
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
