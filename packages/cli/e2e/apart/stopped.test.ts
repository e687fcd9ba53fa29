// A campaign that is stopped in its middle, by force or by Ctrl-C, loses nothing and leaves nothing behind.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import type { Visit } from '@pronghorn/core/schemas';
import { isThorough, proves } from '@pronghorn/core/testing';
import {
  alive,
  descendants,
  exported,
  leavesNothing,
  profilesOf,
  quick,
  type Running,
  run,
  start,
  temporaryData,
  until,
} from '../command.ts';
import { plainPages } from '../pages.ts';

// Of which the kill comes in the second: a busy machine may be visits late with it.
const rounds = 4;
const total = rounds * 2;
/** Over HTTP/3 each visit has a Chrome of its own. */
const protocols = isThorough ? 'h2,h3' : 'h1,h2';
const campaign = [
  '--conditions',
  'native',
  '--sites',
  'article',
  '--rounds',
  String(rounds),
  '--protocols',
  protocols,
  ...quick,
  '--seed',
  '7',
];

/** The first start of Chromes, nginx and a link on a busy machine. */
const deadlineMs = 240_000;

function assertWhole(visits: readonly Visit[], before: readonly Visit[]): void {
  const counted = visits.filter((visit) => visit.counted);
  assert.equal(counted.length, total);
  const places = new Set(counted.map(({ roundNumber, slot }) => `${roundNumber} ${slot}`));
  assert.equal(places.size, total, 'each slot of each round is counted once');
  const ids = new Set(visits.map(({ id }) => id));
  for (const { id } of before) assert.ok(ids.has(id), `visit ${id} was stored before the stop and is still there`);
  for (const { id, counted: was } of before.filter((visit) => visit.counted))
    assert.ok(
      visits.some((visit) => visit.id === id && visit.counted === was),
      `visit ${id} counted before the stop and counts still`,
    );
}

/** Of a command that measures: waits until it has so many visits at least. @returns what belongs to it then */
async function measured(running: Running, visits: number) {
  const most = () => Math.max(-1, ...[...running.stderr().matchAll(/^(\d+)\/\d+ visits/gm)].map(([, done]) => Number(done)));
  await until(
    () => most() >= visits || running.child.exitCode !== null,
    deadlineMs,
    () => `${visits} visits; the command said: ${running.stderr()}`,
  );
  return { profiles: profilesOf(running.pid), below: descendants(running.pid) };
}

test(
  'a campaign that is killed, and then stopped by Ctrl-C, goes on: no visit lost, none counted twice, nothing left behind',
  proves('campaigns'),
  async (t) => {
    const data = await temporaryData((remove) => t.after(remove));
    const killed = start(['demo', ...campaign, '--data', data]);
    const { profiles, below } = await measured(killed, 3);
    assert.ok(below.length >= 3 && existsSync(profiles), `Chromes and nginx are running: ${killed.stderr()}`);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await until(
      () => alive(below).length === 0,
      60_000,
      () => `Chrome and nginx to end with their parent: ${alive(below)}`,
    );
    const atKill = await exported(data);
    const { roundsDone } = atKill.campaign.progress;
    assert.ok(roundsDone >= 1 && roundsDone < rounds, `${roundsDone} of ${rounds} rounds`);
    assert.ok(atKill.visits.length >= 3);

    const stopped = start(['resume', '--data', data]);
    await stopped.says(new RegExp(`^${roundsDone * 2}/${total} visits`, 'm'), deadlineMs);
    stopped.child.kill('SIGINT');
    assert.equal((await stopped.ended).code, 130, stopped.stderr());
    assert.equal(existsSync(profiles), false, 'the next runner sweeps the profiles of a killed one');
    const atStop = await exported(data);

    const ended = await run(['resume', '--data', data]);
    assert.equal(ended.code, 0, ended.stderr);
    const after = await exported(data);
    assert.equal(after.campaign.state, 'done');
    assert.equal(after.campaign.progress.roundsDone, rounds);
    assertWhole(after.visits, atKill.visits);
    assertWhole(after.visits, atStop.visits);
  },
);

test('Ctrl-C does not wait for a page that never ends, nor (thoroughly) for a Chrome that is starting', proves('campaigns'), async (t) => {
  const pages = await plainPages();
  t.after(pages.close);
  const data = await temporaryData((remove) => t.after(remove));
  // The page's own time limit is ten minutes: no stop is to wait for that.
  const limits = ['--timeout', '600', ...quick];
  const measure = ['measure', `${pages.url}/endless`, '--protocols', 'h1', '--rounds', '1', ...limits, '--data', data];
  const moments = [
    ['Chrome is starting', (stderr: string) => stderr.includes('0/1 visits')],
    ['the page loads', () => pages.requested.includes('/endless.png')],
  ] as const;
  for (const [when, isSo] of isThorough ? moments : moments.slice(1)) {
    const stopped = start(measure);
    await until(
      () => isSo(stopped.stderr()),
      deadlineMs,
      () => `${when}; the command said: ${stopped.stderr()}`,
    );
    const profiles = profilesOf(stopped.pid);
    const below = descendants(stopped.pid);
    stopped.child.kill('SIGINT');
    const { code, stderr } = await stopped.ended;
    assert.equal(code, 130, `${when}: ${stderr}`);
    assert.match(stderr, /0 of 1 round/);
    assert.doesNotMatch(stderr, /the browser itself went away/);
    await leavesNothing(profiles, below);
  }
});
