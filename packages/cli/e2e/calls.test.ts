// Campaigns of REST calls: the scenarios and small factorial studies.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isThorough, proves } from '@pronghorn/core/testing';
import { type Exported, run, temporaryData } from './command.ts';
import { measuredCalls } from './conditions.ts';

/** Cold, handshakes decide: what the note is about. A server of one's own is measured cold and warm below. */
const views = isThorough ? ['cold', 'warm'] : ['cold'];

/** Other work on the machine makes no run invalid: what is tested is not how fast it is. */
const busy = ['--busy', '1'];

test('a round of the seven scenarios has all runs, its table, and a note where handshakes decide', proves('rest-calls'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const json = join(data, 'out.json');
  const { code, stdout, stderr } = await run([
    'scenarios',
    '--rounds',
    '1',
    '--view',
    views.join(),
    ...busy,
    '--json',
    json,
    '--data',
    data,
  ]);
  assert.equal(code, 0, stderr + stdout);
  const { campaign, visits } = JSON.parse(await readFile(json, 'utf8')) as Exported;
  assert.deepEqual([campaign.spec.engine, campaign.sites.length, campaign.spec.views], ['transaction', 7, views]);
  assert.equal(visits.filter(({ counted }) => counted).length, 7 * 2 * views.length, stdout);
  for (const { outcome, protocol } of visits) {
    assert.ok(outcome.verdict === 'valid' && 'latency' in outcome.metrics, JSON.stringify(outcome));
    assert.deepEqual([outcome.metrics.failedRequests, outcome.metrics[`${protocol as 'h2' | 'h3'}Share`]], [0, 1]);
  }
  for (const { name } of campaign.sites) for (const view of views) assert.match(stdout, new RegExp(`^${name} +native +${view} +h2 `, 'm'));
  // A round shows nothing, so nothing is named.
  assert.match(stdout, /No protocol is shown to be faster in any of (7|14) cells/);
  assert.match(
    stdout.replaceAll(/\s+/g, ' '),
    /Cold, Go’s HTTP\/2 client dials for each of many first requests, but its HTTP\/3 client once/,
  );
});

test('a design of a file is run, with its tables, and a line for each run', proves('rest-calls'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const [design, runs, json] = ['design.json', 'runs.csv', 'out.json'].map((name) => join(data, name)) as [string, string, string];
  const factors = { method: ['POST', 'GET'], payload: ['1kB', '20kB'], concurrency: ['2x5'], condition: ['native'] };
  await writeFile(design, JSON.stringify({ name: 'Tiny', factors, protocols: ['h2', 'h3'], replications: 2, view: 'cold' }));
  const { code, stdout, stderr } = await run(['factorial', design, ...busy, '--runs-csv', runs, '--json', json, '--data', data]);
  assert.equal(code, 0, stderr + stdout);
  const [header, ...lines] = (await readFile(runs, 'utf8')).trimEnd().split('\r\n');
  assert.match(header ?? '', /^protocol,method,payload,concurrency,network,replication,verdict,latency_ms,/);
  assert.equal(lines.length, 2 * 4 * 2);
  assert.deepEqual((JSON.parse(await readFile(json, 'utf8')) as Exported).campaign.spec.views, ['cold']);
  for (const line of lines) assert.match(line, /^h[23],(POST|GET),(1|20) kB,2×5,native,[12],valid,\d/);
  assert.match(stdout, /mean latency, HTTP\/3 against HTTP\/2/);
  assert.match(stdout, /^method × payload +[\d.]+ /m);
  assert.match(stdout.replaceAll(/\s+/g, ' '), /the smallest p of Mann–Whitney with 2 against 2 is 0\.33/);
});

test('a study that is none, and designs that are wrong, are told with what is expected', proves('rest-calls'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const refused = async (content: object | undefined, words: RegExp) => {
    const design = join(data, content === undefined ? 'nowhere.json' : 'design.json');
    if (content !== undefined) await writeFile(design, JSON.stringify(content));
    const { code, stdout, stderr } = await run(['factorial', design, '--data', data]);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr.replaceAll(/\s+/g, ' '), words);
  };
  const factors = { method: ['GET'], payload: ['1kB'], concurrency: ['2x5'], condition: ['native'] };
  await refused(undefined, /There is no study or file .*nowhere\.json\. The built-in studies are rest-study/);
  await refused({ name: 'x', factors: { ...factors, concurrency: ['many'] } }, /is wrong at \/factors\/concurrency\/0: /);
  await refused({ name: 'x', factors: { ...factors, payload: ['1 parsec'] } }, /has the payload "1 parsec"\. Expected bytes up to 1 GiB/);
  await refused({ name: 'x', factors, half: ['method', 'payload', 'concurrency'] }, /halves the factor method, which has 1 level\. /);
});

test(
  'calls of a server on this machine are measured behind a link over each protocol, cold and warm',
  {
    ...proves('rest-calls', 'link'),
    skip: process.getuid?.() === 0 ? false : 'needs root',
  },
  (t) => measuredCalls(t, 'native', 0),
);
