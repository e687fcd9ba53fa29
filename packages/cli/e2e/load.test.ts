// One run against a server on the loopback, in the manner of wrk: figures, files, what is refused, and what becomes of a server that dies.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isThorough, proves } from '@pronghorn/core/testing';
import type { ProgramReport } from '@pronghorn/runner';
import { type CallsServer, callsServer } from './calls.ts';
import { alive, descendants, run, start, temporaryData, until } from './command.ts';

let data: string;
let server: CallsServer;
const cleanUp: (() => Promise<void>)[] = [];
before(async () => {
  data = await temporaryData((remove) => cleanUp.push(remove));
  server = await callsServer();
  cleanUp.push(server.close);
});
after(async () => {
  for (const undo of cleanUp) await undo();
});

const load = (url: string, ...options: string[]) => run(['load', url, ...options, '--data', data]);
const trusted = (path: string, ...options: string[]) => load(`${server.url}${path}`, '--ca', server.ca, ...options);
const told = async (file: string): Promise<ProgramReport & { url: string }> => JSON.parse(await readFile(file, 'utf8'));
const failed = ({ summary }: ProgramReport) => Object.values(summary.errors).reduce((sum, count) => sum + count, 0);

for (const [http, name] of [
  ['1', 'HTTP/1.1'],
  ['2', 'HTTP/2'],
  ['3', 'HTTP/3'],
] as const) {
  test(`a second over ${name}: its figures as text, as JSON, and as a line for each second`, proves('load'), async () => {
    const [json, csv] = [join(data, `${http}.json`), join(data, `${http}.csv`)];
    const { code, stdout, stderr } = await trusted('/json', ...['--http', http, '-d', '1', '-c', '2', '--json', json, '--csv', csv]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`^${name.replace('.', '\\.')}, [\\d,]+ requests in \\d+\\.\\d\\d s over 2 connections: [\\d,]+/s`));
    assert.match(stdout, /^ms +p50 +p90 +p95 +p99 +p999 +max +mean\nlatency +[\d.]+ /m);
    const { summary, connections, url } = await told(json);
    assert.deepEqual([url, summary.errors, summary.connectionsBefore, summary.connections], [`${server.url}/json`, {}, 2, 0]);
    assert.equal(connections.length, 2);
    assert.ok(summary.latency.count === summary.succeeded && summary.latency.p99 >= summary.latency.p50, JSON.stringify(summary));
    const [header, ...lines] = (await readFile(csv, 'utf8')).trimEnd().split('\r\n');
    assert.equal(header, 'second,succeeded,failed,bytesReceived,bytesSent');
    const [at, succeeded, failedRequests] = (lines[0] ?? '').split(',').map(Number);
    assert.deepEqual([at, failedRequests], [1, 0]);
    // On a busy machine the last requests end later, and a further second may pass.
    assert.ok(lines.length >= 1 && lines.length <= 1 + summary.wallSeconds, `${lines.length} in ${summary.wallSeconds} s`);
    assert.ok(succeeded !== undefined && succeeded > 0 && succeeded <= summary.succeeded, `${succeeded} of ${summary.succeeded}`);
  });
}

test('a body that is made up is sent whole, as often as was asked for', proves('load'), async () => {
  const json = join(data, 'post.json');
  const post = ['--method', 'POST', '--body', '1MiB', '-n', '5', '-c', '2', '--http', '3', '--json', json];
  const { code, stderr } = await trusted('/upload', ...post);
  assert.equal(code, 0, stderr);
  const { summary } = await told(json);
  assert.deepEqual([summary.planned, summary.succeeded, summary.bytesSent], [10, 10, 10 * 2 ** 20]);
});

test('an answer that takes 50 ms takes that long, whichever protocol brings it', proves('load'), async () => {
  for (const http of isThorough ? ['1', '2', '3'] : ['3']) {
    const json = join(data, 'delay.json');
    const { code, stderr } = await trusted('/delay?ms=50', '--http', http, '-R', '20', '-d', '1', '-c', '4', '--json', json);
    assert.equal(code, 0, stderr);
    const { summary } = await told(json);
    // How much more it takes is bench/'s to say.
    assert.ok(summary.latency.p50 > 45, JSON.stringify(summary.latency));
  }
});

describe('refused before a request is sent', proves('load', 'hostile'), () => {
  const refused: [args: string[], words: RegExp][] = [
    [['http://127.0.0.1:1/'], /is not an https URL: HTTP\/2 and HTTP\/3 need one/],
    [['https://127.0.0.1:1/', '--body', '2MB'], /A GET request has no body: add --method POST/],
    [['https://127.0.0.1:1/', '--body', 'much'], /Expected bytes up to 1 GiB, such as 500000, 2MB or 512KiB/],
    [['https://127.0.0.1:1/', '--http', '4'], /There is no HTTP\/4; expected 1, 2, 3/],
    [['https://127.0.0.1:1/', '--http', '1', '-s', '2'], /a connection has one request at a time: use more connections/],
    [['https://127.0.0.1:1/', '-n', '5', '-R', '5'], /Use either --requests or --rate/],
    [['https://127.0.0.1:1/', '-R', '5', '-s', '5'], /has as many concurrent requests as the rate needs: leave out --streams/],
    [['https://127.0.0.1:99999/'], /is not a URL; expected one such as .* with a port up to 65535/],
    [['https://me:secret@127.0.0.1:1/'], /contains a user name or password.* Leave them out/],
    [['https://127.0.0.1:1/100%'], /has a % that is not followed by two hexadecimal digits\. Write %25/],
    [['https://127.0.0.1:1/', '--http', 'constructor'], /There is no HTTP\/constructor; expected/],
    [['https://127.0.0.1:1/', '--ca', '/etc/hostname'], /--ca \/etc\/hostname has no certificate in PEM/],
    [['https://127.0.0.1:1/', '--json', '/dev/null', '--csv', '/dev/null'], /--json and --csv are both \/dev\/null/],
    [['https://127.0.0.1:1/', '-d', '601'], /whole number from 1 to 600/],
    [['https://127.0.0.1:1/', '--ca', '/nowhere.pem'], /--ca \/nowhere\.pem can't be read \(there is no such file or folder\)/],
    [['https://127.0.0.1:1/', '--json', '/proc/nowhere/out'], /--json \/proc\/nowhere\/out can't be written \(there is no such file/],
    [
      ['https://no-such-host.invalid/'],
      /has not shown that it is yours to load: the request failed: the host has no address .* Load only servers that you run/s,
    ],
  ];
  for (const [args, words] of refused)
    test(`pronghorn load ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await run(['load', ...args], { PRONGHORN_DATA: join(data, 'refused') });
      assert.equal(code, 2, stderr);
      assert.match(stderr, words);
      assert.doesNotMatch(stderr, /^\s+at |node:internal/m, 'no stack trace');
      assert.equal(stdout, '');
    });
});

test('a file that can’t be written takes neither the figures nor the other file', proves('load'), async () => {
  const csv = join(data, 'beside.csv');
  const { code, stdout, stderr } = await trusted('/ping', '-n', '5', '-c', '1', '--json', '/dev/full', '--csv', csv);
  assert.equal(code, 1);
  assert.match(stdout, /5 requests in/);
  assert.match(stderr, /\/dev\/full can't be written \(.*\)\. Only the figures above remain/);
  assert.match(await readFile(csv, 'utf8'), /^second,succeeded/);
});

test(
  'where nobody answers, or nobody vouches for the certificate, every request has that name, and the exit code is 1',
  proves('load'),
  async () => {
    const nobody = await load('https://127.0.0.1:1/', '-n', '3', '-c', '2');
    assert.equal(nobody.code, 1, nobody.stderr);
    assert.match(nobody.stdout, /6 of them failed.*:\s+6 nothing listens on its port/s);
    for (const http of ['2', '3']) {
      const unknown = await load(server.url, '-n', '3', '-c', '2', '--http', http);
      assert.equal(unknown.code, 1, unknown.stderr);
      assert.match(unknown.stdout, /6 of them failed.*:\s+6 its certificate, TLS version or cipher was refused/s);
    }
  },
);

const address = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

test('another machine’s server is loaded when it shows the token of this data folder, and not before', {
  ...proves('load', 'fence'),
  skip: address === undefined && 'this machine has no address but its loopback',
}, async (t) => {
  const other = await callsServer({ address: address as string });
  t.after(other.close);
  const before = await load(`${other.url}/ping`, '--ca', other.ca, '-n', '1');
  assert.equal(before.code, 2);
  assert.match(before.stderr, /has not shown that it is yours to load: it answers with status 404/);
  const [token = ''] = /pronghorn-[0-9a-f]{32}/.exec(before.stderr) ?? [];
  const wrong = await callsServer({ address: address as string, token: 'pronghorn-of-somebody-else' });
  t.after(wrong.close);
  assert.match((await load(`${wrong.url}/ping`, '--ca', wrong.ca, '-n', '1')).stderr, /it answers "pronghorn-of-somebody-else"/);
  const own = await callsServer({ address: address as string, token });
  t.after(own.close);
  const { code, stderr } = await load(`${own.url}/ping`, '--ca', own.ca, '-n', '1');
  assert.equal(code, 0, stderr);
});

test(
  'of a server that is killed every request is accounted for, as a success or by its error’s name',
  proves('load', 'crashes'),
  async (t) => {
    const mortal = await callsServer();
    t.after(mortal.close);
    const json = join(data, 'killed.json');
    // It takes 20 seconds at least, so that the server dies amid it.
    const options = ['--ca', mortal.ca, '-c', '4', '-n', '400', '--timeout', '1', '--json', json];
    const loading = load(`${mortal.url}/delay?ms=50`, ...options);
    const writes = () => Number(/^syscw: (\d+)/m.exec(readFileSync(`/proc/${mortal.process.pid}/io`, 'utf8'))?.[1]);
    const idle = writes();
    await until(() => writes() > idle + 100, 60_000, 'the server to answer');
    mortal.process.child.kill('SIGKILL');
    const { code, stdout, stderr } = await loading;
    assert.equal(code, 0, stderr + stdout);
    const all = await told(json);
    assert.ok(all.summary.succeeded > 0 && failed(all) > 0, JSON.stringify(all.summary.errors));
    assert.equal(all.summary.succeeded + failed(all), all.summary.planned);
    assert.equal(all.summary.planned, 1_600);
    assert.equal(all.summary.errors.other ?? 0, 0, JSON.stringify(all.summary.details));
    assert.match(stdout, /nothing listens on its port/);
  },
);

test('Ctrl-C ends a run at once and leaves nothing behind', proves('load'), async () => {
  const loading = start(['load', `${server.url}/delay?ms=1000`, '--ca', server.ca, '-d', '600', '-c', '2', '--data', data]);
  await until(() => descendants(loading.pid).length > 0, 120_000, 'the client to be there');
  const below = descendants(loading.pid);
  loading.child.kill('SIGINT');
  const { code, stdout, stderr } = await loading.ended;
  assert.deepEqual([code, stdout], [130, '']);
  assert.match(stderr, /Interrupted: an unfinished run has no figures/);
  await until(() => alive(below).length === 0, 60_000, 'the client to end');
});
