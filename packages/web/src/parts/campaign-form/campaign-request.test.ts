import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CampaignRequest,
  connectionsOfUsers,
  type Workload,
  workloadModes,
  workloadOf,
  workloadProblems,
} from '@pronghorn/core/schemas';
import { requestedEngine } from '@pronghorn/core/vocabulary';
import { changed } from '../forms/fields.ts';
import { queryOf, requestOf } from './address.ts';
import { connectionChoices, modeChoices, timeMetricsOfRuns } from './campaign-fields.ts';
import {
  asPages,
  asRuns,
  hasField,
  isOfRuns,
  type NumberOfWorkload,
  precisionOf,
  problemsOf,
  setOf,
  usualNumber,
  workloadWith,
} from './campaign-request.ts';
import { measureLine } from './command-lines.ts';
import { withScheme } from './site-list.ts';

const site = { url: 'https://api.example/items' };
const numbers: readonly NumberOfWorkload[] = ['users', 'requests', 'seconds', 'shared', 'bodyBytes', 'requestTimeoutMs'];

test('the form offers what core has, and shows in grey what core takes', () => {
  assert.deepEqual(
    modeChoices.map(({ value }) => value),
    [...workloadModes],
  );
  assert.deepEqual(
    connectionChoices.map(({ value }) => value),
    [...connectionsOfUsers],
  );
  assert.equal(timeMetricsOfRuns[0], 'responseTime');
  for (const mode of workloadModes) {
    const whole = workloadOf({ engine: 'transaction', workload: { mode } }, site);
    for (const field of numbers) assert.equal(usualNumber(field, { mode }), whole?.[field], `${field} of ${mode}`);
  }
  for (const request of [{}, { workload: {} }, { engine: 'transaction' }, { engine: 'firefox', workload: {} }] as const)
    assert.equal(isOfRuns(request), requestedEngine(request) === 'transaction');
});

test('another choice takes along what it has no use for, so that nothing of it is refused', () => {
  const full: Workload = {
    users: 4,
    mode: 'rate',
    requestsPerSecond: 5,
    arrivals: 'poisson',
    seconds: 3,
    method: 'POST',
    bodyBytes: 7,
    connections: 'shared',
    shared: 2,
  };
  assert.deepEqual(workloadProblems(full), []);
  for (const [key, values] of [
    ['mode', ['count', 'duration', undefined]],
    ['method', ['GET', undefined]],
    ['connections', ['user', 'each', undefined]],
  ] as const)
    for (const value of values) assert.deepEqual(workloadProblems(workloadWith(full, { [key]: value }) ?? {}), [], `${key} ${value}`);
  assert.equal(workloadWith({ users: 5 }, { users: undefined }), undefined);
  assert.equal(hasField('seconds', {}), false);
  assert.equal(hasField('seconds', { seconds: 5 }), true, 'what must be mended is shown');
});

test('pages that become calls, and calls that become pages, lose what is of the other kind alone', () => {
  const pages = {
    ...{ sites: [{ ...site, visitor: { language: 'de' } }], visitor: { device: 'phone' as const }, browser: 'headless-shell' as const },
    ...{ primaryMetric: 'speedIndex' as const, limits: { quietMs: 100, retries: 1 }, rounds: 5, views: ['cold' as const] },
  };
  const calls = changed<CampaignRequest>(pages, asRuns(pages));
  assert.deepEqual(calls, { sites: [site], rounds: 5, limits: { retries: 1 }, engine: 'transaction' });
  const back = changed<CampaignRequest>({ ...calls, workload: { users: 5 } }, asPages(calls));
  assert.deepEqual(back, { sites: [site], rounds: 5, limits: { retries: 1 } });
});

test('address and command line say the same workload', () => {
  const workload: Workload = {
    mode: 'rate',
    requestsPerSecond: 50,
    arrivals: 'poisson',
    users: 20,
    method: 'POST',
    bodyBytes: 2_000,
    paths: ['/a', '/b?x=1'],
    requestTimeoutMs: 2_500,
  };
  const request = { sites: [site], conditions: ['native'], rounds: 12, engine: 'transaction' as const, workload };
  assert.deepEqual(requestOf(queryOf(request) as never), request);
  const { line } = measureLine(request, []);
  assert.match(
    line.replaceAll(/ \\\n {2}/g, ' '),
    /--engine transaction --method POST --body 2000 --path \/a --path '\/b\?x=1' --users 20 --rate 50 --poisson --request-timeout 2.5$/,
  );
  assert.match(measureLine({ sites: [site], workload: { mode: 'duration' } }, []).line, /--for 10/);
});

test('the set of conditions is known whatever names it, and the precision by its name or its numbers', () => {
  assert.deepEqual([undefined, ['native'], ['typical'], ['native', 'loss-1', '4g', 'latency-100']].map(setOf), [
    'native',
    'native',
    'typical',
    'typical',
  ]);
  assert.deepEqual([['native', '4g'], ['typical', 'satellite'], []].map(setOf), [null, null, null]);
  const sites = [site];
  assert.deepEqual(
    [{ precision: 'quick' as const }, { rounds: 20 }, { maximumRounds: 60 }, { rounds: 10, maximumRounds: 60 }, {}].map((part) =>
      precisionOf({ sites, ...part }),
    ),
    ['quick', 'normal', 'until-clear', null, null],
  );
});

test('a word without a dot is named as wrong; a host with a scheme or a port is not', () => {
  const problems = (...urls: string[]) => problemsOf({ sites: urls.map((url) => ({ url })) }).map(({ pointer }) => pointer);
  assert.deepEqual(problems('https://shop.example/', 'h3', 'h2,h3'), ['#/sites/1/url', '#/sites/2/url']);
  assert.deepEqual(problems(...['https://intranet/', 'https://shop:8443', 'https://localhost'].map(withScheme)), []);
});
