import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign, Environment, RoundLinkCheck, Visit } from '@pronghorn/core/schemas';
import { madeSpec } from '../../../../core/fixtures/made-campaign.ts';
import { environmentFacts, verdictWords, visitFacts } from './visit-facts.ts';

const campaign = { spec: madeSpec({ isolation: 'container' }) } as unknown as Campaign;
const visit = {
  ...{ protocol: 'h3', condition: 'native', view: 'cold', roundNumber: 1, position: 0, retry: 0, attempt: 1, finalUrl: null, cpu: null },
  ...{
    link: null,
    startedAt: '2026-03-01T12:00:10.000Z',
    wallMs: 8_000,
    environmentId: 'one',
    outcome: { verdict: 'invalid', reason: 'load-timeout', detail: '' },
  },
} as unknown as Visit;
const check = (second: string, faults: string[] = [], attempt = 1) =>
  ({ ...{ attempt, checkedAt: `2026-03-01T12:00:${second}.000Z`, rtt: null, up: null, down: null, faults } }) as unknown as RoundLinkCheck;
const linkOf = (one: Visit, checks: readonly RoundLinkCheck[], of = campaign) =>
  visitFacts(one, of, checks, []).find(([name]) => name.startsWith('Link'));

test('a failure of the page counts, one of the measurement does not', () => {
  const of = (reason: 'load-timeout' | 'busy-machine' | 'wrong-protocol', counted: boolean) =>
    verdictWords({ outcome: { verdict: 'invalid', reason, detail: '' }, counted });
  assert.match(of('load-timeout', true), /^Failed: .* It counts as slower/);
  assert.match(of('load-timeout', false), /^Failed: .* It does not count/);
  assert.match(of('busy-machine', false), /^Not measured: .* counts nowhere/);
  assert.match(of('wrong-protocol', false), /^Not the requested page: .* counts nowhere/);
});

test('a visit of a round that was not watched equally counts in a part', () => {
  const outcome = { verdict: 'valid', metrics: {} } as Visit['outcome'];
  assert.equal(verdictWords({ outcome, counted: true }), 'Valid. It counts in the results.');
  const moving = { verdict: 'valid', metrics: { speedIndex: null, firstVisualChange: 90 } } as Visit['outcome'];
  assert.equal(verdictWords({ outcome: moving, counted: true }), 'Valid. It counts, but has no SpeedIndex.');
  assert.match(
    verdictWords({ outcome, counted: true, watchedEqually: false }),
    /^Valid\. It counts for onLoad and other times of the load alone/,
  );
  assert.match(verdictWords({ outcome, counted: false, watchedEqually: false }), /^Valid\. It does not count/);
});

test('why a page that showed something has no SpeedIndex', () => {
  const told = (metrics: object, settled: object) =>
    new Map(visitFacts({ ...visit, settled, outcome: { verdict: 'valid', metrics } } as unknown as Visit, campaign, [], [])).get(
      'No SpeedIndex',
    );
  const settled = { ms: 900, busy: [] as string[], cut: false };
  const moving = { speedIndex: null, firstVisualChange: 300 };
  assert.match(told(moving, { ...settled, busy: ['paint'] }) ?? '', /^the picture still moved when the visit ended/);
  assert.match(told(moving, settled) ?? '', /^the picture changed again and again/);
  assert.equal(told({ speedIndex: 400, firstVisualChange: 300 }, settled), undefined);
  assert.equal(told({ speedIndex: null, firstVisualChange: null }, settled), undefined, 'it showed nothing');
});

test('how long a visit was watched, for what, and what it did not wait for', () => {
  const told = (given: object) => new Map(visitFacts({ ...visit, ...given } as unknown as Visit, campaign, [], []));
  const settled = { ms: 900, busy: [], cut: false };
  const watch = { untilMs: 2_300, pauseMs: 1_125, again: false };
  assert.equal(
    told({ watch }).get('Watched'),
    'at least 2,300 ms from the navigation, and 1,125 ms without activity, because discovery, or another visit of the page, showed or requested something late',
  );
  const again = told({ watch: { untilMs: 2_300, pauseMs: 0, again: true } }).get('Watched') ?? '';
  assert.match(
    again,
    /^at least 2,300 ms from the navigation, because another visit of its round .*; made in place of one that ended sooner$/,
  );
  assert.match(
    told({ watch: { untilMs: 0, pauseMs: 900, again: false } }).get('Watched') ?? '',
    /^at least 900 ms without activity, because/,
  );
  const motion = { share: 0.4, cycleMs: 800, isVideo: false };
  assert.match(told({ settled: { ...settled, motion } }).get('Moved') ?? '', /^40 % of the viewport .* by what repeats within 800 ms$/);
  const url = 'https://a.test/stream';
  assert.equal(
    told({ settled: { ...settled, notAwaited: [url], polls: true } }).get('Not waited for'),
    `${url}: open to the end without an answer, or silent; what a script asks for again and again, by a timer`,
  );
  for (const name of ['Watched', 'Moved', 'Not waited for']) assert.equal(told({ settled }).get(name), undefined);
});

test('a run that failed is told as a run', () => {
  const of = (reason: 'load-timeout' | 'wrong-protocol') =>
    verdictWords({ outcome: { verdict: 'invalid', reason, detail: '' }, counted: true }, true);
  assert.match(of('load-timeout'), /slower than every run that succeeded/);
  assert.match(of('wrong-protocol'), /^Not the requested server: /);
});

test('a run tells its workload, its requests and its connections, and nothing of a page', () => {
  const run = {
    planned: 20,
    succeeded: 18,
    errors: { timeout: 2 },
    connectionsBefore: 1,
    connections: 2,
    earlyData: 1,
    sentAgain: 3,
    wallSeconds: 0.5,
  };
  const site = { id: '7', url: 'https://api.example/items', workload: { users: 2, requests: 10 } };
  const of = {
    spec: { ...madeSpec(), engine: 'transaction' },
    sites: [site],
  } as unknown as Campaign;
  const facts = new Map(visitFacts({ ...visit, siteId: '7', run } as unknown as Visit, of, [], []));
  assert.equal(facts.get('Requests'), '20 planned, 18 succeeded, 2 failed; 3 sent once more, which the server had not processed');
  assert.equal(facts.get('Connections'), '1 opened before the run, 2 in it, 1 of them with requests in the handshake (0-RTT)');
  assert.match(facts.get('Workload') ?? '', /^2 users send 10 GET requests each/);
  for (const name of ['Document', 'Loaded', 'Protocols', 'HTTP/3 discovery']) assert.equal(facts.get(name), undefined);
});

test('a visit in a container of its own tells of that container’s link, not of a later one’s', () => {
  const checks = [check('05', ['first']), check('09', ['its own']), check('14', ['the next']), check('09', ['of another attempt'], 2)];
  assert.deepEqual(linkOf(visit, checks), ['Link, measured before it', 'Verdict: its own.']);
});

test('a visit that never loaded tells of the link that was found while it was tried', () => {
  const checks = [check('05', ['first']), check('14', ['its own']), check('23', ['the next'])];
  const unloaded = { ...visit, environmentId: null };
  assert.deepEqual(linkOf(unloaded, checks), ['Link, measured before it', 'Verdict: its own.']);
  assert.equal(linkOf(unloaded, [check('05', ['first']), check('23', ['the next'])]), undefined, 'its container never got that far');
});

test('a visit of another campaign tells of its round’s link', () => {
  const of = { spec: madeSpec() } as unknown as Campaign;
  assert.deepEqual(linkOf(visit, [check('05')], of), ['Link, measured before its round', 'Verdict: within tolerance.']);
  assert.deepEqual(linkOf(visit, [], of), ['Link', 'the machine’s own network']);
});

test('an environment tells how much slower the CPU was made, where it was', () => {
  const environment = {
    machine: { cpu: 'a CPU', cores: 2, memoryBytes: 2 ** 30, arch: 'x64', kernel: '7.2' },
    browser: { product: 'Chrome/156', sandbox: true, flags: [] },
    ...{ runner: { version: '1', node: 'v24' }, origin: null },
    link: { backend: 'direct', kernel: null, congestionControl: null, receiveBuffers: { tcp: null, udpMaxBytes: null } },
  } as unknown as Environment;
  const slowdownOf = (cpuSlowdown?: Environment['cpuSlowdown']) =>
    environmentFacts({ ...environment, ...(cpuSlowdown && { cpuSlowdown }) }).find(([name]) => name === 'CPU slowdown')?.[1];
  assert.equal(slowdownOf(), undefined);
  assert.equal(slowdownOf({ factor: 3.5, machineIndex: 3_500 }), '3.5 times slower; benchmark index of this machine: 3,500');
  assert.equal(slowdownOf({ factor: 6, machineIndex: null }), '6 times slower; named by the campaign');
});
