// A campaign that is stopped in its middle, by force or by Ctrl-C, loses nothing and leaves nothing behind.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { Visit } from '@pronghorn/core/schemas';
import {
  alive,
  behindLink,
  descendants,
  exported,
  leavesNothing,
  profilesOf,
  quick,
  run,
  start,
  temporaryData,
  until,
} from '../command.ts';
import { plainPages } from '../pages.ts';

const rounds = 5;
// Not the demo's usual port: between stop and resume another demo might take that.
const port = ['--port', String(15_000 + (process.pid % 5_000))];
const campaign = [
  ...port,
  '--conditions',
  'native',
  '--sites',
  'article',
  '--rounds',
  String(rounds),
  '--protocols',
  'h2,h3',
  '--busy',
  '1',
  '--seed',
  '7',
];
/** Two rounds are done, the third has one visit. */
const middle = '5/10 visits';

function assertWhole(visits: readonly Visit[], before: readonly Visit[]): void {
  const counted = visits.filter((visit) => visit.counted);
  assert.equal(counted.length, rounds * 2);
  const places = new Set(counted.map(({ roundNumber, slot }) => `${roundNumber} ${slot}`));
  assert.equal(places.size, rounds * 2, 'each slot of each round is counted once');
  const ids = new Set(visits.map(({ id }) => id));
  for (const { id } of before) assert.ok(ids.has(id), `visit ${id} was stored before the stop and is still there`);
  for (const { id, counted: was } of before.filter((visit) => visit.counted))
    assert.ok(
      visits.some((visit) => visit.id === id && visit.counted === was),
      `visit ${id} counted before the stop and counts still`,
    );
}

/** A campaign behind a link, in its middle, and what belongs to it then. */
async function inTheMiddle(t: TestContext) {
  const data = await temporaryData((remove) => t.after(remove));
  const running = start(['demo', ...campaign, '--data', data], behindLink);
  await running.says(middle, 60_000);
  return { data, running, profiles: profilesOf(running.pid), below: descendants(running.pid) };
}

test('a campaign whose process is killed goes on where it was: no visit lost, none counted twice, nothing left behind', async (t) => {
  const { data, running: killed, profiles, below } = await inTheMiddle(t);
  assert.ok(below.length >= 4 && existsSync(profiles), 'Chromes and nginx are running');
  killed.child.kill('SIGKILL');
  await killed.ended;
  await until(
    () => alive(below).length === 0,
    5_000,
    () => `Chrome and nginx to end with their parent: ${alive(below)}`,
  );

  const before = await exported(data);
  assert.equal(before.campaign.progress.roundsDone, 2);
  assert.ok(before.visits.length >= 5);

  const resumed = start(['resume', '--data', data], behindLink);
  await resumed.says('/10 visits');
  const resumedProfiles = profilesOf(resumed.pid);
  const resumedBelow = descendants(resumed.pid);
  const { code, stderr } = await resumed.ended;
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^4\/10 visits/m);
  const after = await exported(data);
  assert.equal(after.campaign.state, 'done');
  assert.equal(after.campaign.progress.roundsDone, rounds);
  assertWhole(after.visits, before.visits);
  assert.equal(existsSync(profiles), false, 'the next runner sweeps the profiles of a killed one');
  await leavesNothing(resumedProfiles, resumedBelow);
});

test('Ctrl-C, even twice, shows what was measured, says how to go on, and resume goes on', async (t) => {
  const { data, running: stopped, profiles, below } = await inTheMiddle(t);

  const second = await run(['resume', '1', '--data', data], behindLink);
  assert.equal(second.code, 2);
  assert.match(second.stderr, new RegExp(`Process ${stopped.pid} is already measuring campaign 1`));

  stopped.child.kill('SIGINT');
  stopped.child.kill('SIGINT');
  const interrupted = performance.now();
  const { code, stdout, stderr } = await stopped.ended;
  assert.ok(performance.now() - interrupted < 10_000, 'it stops within seconds');
  assert.equal(code, 130, stderr);
  assert.match(stdout, /^onLoad +[\d,.]+ ms +[\d,.]+ ms/m);
  const [, resume = ''] = /Continue with: \.\/pronghorn (.+)/.exec(stderr) ?? [];
  assert.equal(resume, `resume 1 --data ${data}`);
  await leavesNothing(profiles, below);

  const before = await exported(data);
  assert.notEqual(before.campaign.state, 'done');
  const resumed = await run(resume.split(' '), behindLink);
  assert.equal(resumed.code, 0, resumed.stderr);
  const after = await exported(data);
  assert.equal(after.campaign.state, 'done');
  assertWhole(after.visits, before.visits);
});

test('a crosscheck that is stopped goes on by turns, and compares all of its rounds', async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const checking = ['--engines', 'puppeteer,firefox', '--protocols', 'h2', '--rounds', '3', ...quick, '--data', data];
  const stopped = start(['crosscheck', '--sites', 'article', ...checking], behindLink);
  await stopped.says(/^[1-4]\/6 visits/m, 120_000);
  stopped.child.kill('SIGINT');
  const { code, stderr } = await stopped.ended;
  assert.equal(code, 130, stderr);
  const [, resume = ''] = /Continue with: \.\/pronghorn (.+)/.exec(stderr) ?? [];
  assert.equal(resume, `crosscheck --resume 1,2 --data ${data}`);

  const half = await run(['crosscheck', '--resume', '1', '--data', data]);
  assert.equal(half.code, 2);
  assert.match(half.stderr, /not from one crosscheck/);

  const resumed = await run(resume.split(' '), behindLink);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.match(resumed.stderr, /^[1-5]\/6 visits/m);
  assert.match(resumed.stdout, /^article native +h2 +onLoad +firefox − puppeteer +3 /m);
});

test('Ctrl-C does not wait for a page that never ends, nor for a Chrome that is starting', async (t) => {
  const pages = await plainPages();
  t.after(pages.close);
  const data = await temporaryData((remove) => t.after(remove));
  const measure = ['measure', `${pages.url}/endless`, '--protocols', 'h1', '--rounds', '1', ...quick, '--data', data];
  for (const [when, isSo] of [
    ['Chrome is starting', (stderr: string) => stderr.includes('0/1 visits')],
    ['the page loads', () => pages.requested.includes('/endless.png')],
  ] as const) {
    const stopped = start(measure);
    await until(() => isSo(stopped.stderr()), 30_000, when);
    const profiles = profilesOf(stopped.pid);
    const below = descendants(stopped.pid);
    stopped.child.kill('SIGINT');
    const interrupted = performance.now();
    const { code, stderr } = await stopped.ended;
    assert.ok(performance.now() - interrupted < 10_000, `it stops within seconds while ${when}`);
    assert.equal(code, 130, `${when}: ${stderr}`);
    assert.match(stderr, /0 of 1 round/);
    assert.doesNotMatch(stderr, /the browser itself went away/);
    await leavesNothing(profiles, below);
  }
});
