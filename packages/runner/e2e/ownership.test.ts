// Who may be loaded is asked of real servers, by the program that loads them, with names that lead where the test says.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, type TestContext, test } from 'node:test';
import {
  type CallsPermission,
  type CampaignSpec,
  defaultCallLimits,
  defaultLimits,
  ownershipPath,
  type Site,
} from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { DemoOrigin } from '../src/engines/engine.ts';
import { transactionEngine } from '../src/engines/transaction.ts';
import { receiveBuffers } from '../src/link/net/receive-buffers.ts';
import { findTransaction } from '../src/machine/find.ts';
import { NotConfirmed } from '../src/transaction/ownership.ts';

const folder = mkdtempSync(join(tmpdir(), 'pronghorn-ownership-'));
const [hosts, certificate, key] = ['hosts', 'certificate.pem', 'key.pem'].map((name) => join(folder, name)) as [string, string, string];
const token = 'pronghorn-0123456789abcdef';
const calls: CallsPermission = { hosts: ['own.example'], loopback: false, limits: defaultCallLimits, token, path: ownershipPath };

/** In a file system of its own, where names lead where `hosts` says and the test's authority is the system's. */
const enter = ['unshare', '--mount', 'sh', '-c'].concat(
  `mount --bind ${hosts} /etc/hosts && mount --bind ${certificate} /etc/ssl/certs/ca-certificates.crt && exec "$@"`,
  '--',
);
const lead = (...addresses: string[]) =>
  writeFileSync(hosts, addresses.map((address) => `${address} own.example other.example\n`).join(''));

before(() => {
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-subj', '/CN=own.example'],
      ...['-addext', 'subjectAltName=DNS:own.example,DNS:other.example', '-keyout', key, '-out', certificate],
    ],
    { stdio: 'ignore' },
  );
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** The built-in server. */
async function serve(t: TestContext, address: string, ...more: string[]) {
  const server = spawn(findTransaction(), ['serve', '-listen', address, '-certificate', certificate, '-key', key, ...more]);
  const stop = async () => {
    if (server.kill()) await once(server, 'exit');
  };
  t.after(stop);
  for await (const line of createInterface({ input: server.stdout }))
    return { port: Number(JSON.parse(line).address.split(':').at(-1)), stop };
  throw new Error(`The server at ${address} ended.`);
}

/** A server that counts what it is asked for. */
async function counting(t: TestContext, address: string, port: number, answer: { status: number; body: string; location?: string }) {
  const asked: string[] = [];
  const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(certificate), allowHTTP1: true }, (request, response) => {
    asked.push(request.url);
    response.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  t.after(() => server.close());
  return { asked, port: (server.address() as { port: number }).port };
}

async function engineOf(t: TestContext, lab?: DemoOrigin) {
  const link = {
    ...{ backend: 'direct' as const, kernel: null, congestionControl: null },
    priority: 'none' as const,
    offloads: 'machine' as const,
    receiveBuffers: await receiveBuffers(),
  };
  const engine = transactionEngine(lab, { enter, link });
  t.after(() => engine.close());
  const workload = { mode: 'count' as const, users: 2, requests: 5 };
  return {
    discover: async (url: string, permission: CallsPermission | null = calls) => {
      const site: Site = { id: '1', url, name: 'own', expectStatus: 200 };
      const spec = { engine: 'transaction', browser: 'none', workload, limits: defaultLimits } as unknown as CampaignSpec;
      return await engine.discover(
        site,
        { spec, ...(permission && { calls: permission ?? undefined }) },
        { id: '1', replaces: null },
        'test',
      );
    },
    run: async (url: string, permission: CallsPermission | null = calls, paths = ['/ping']) =>
      await engine.run({
        ...{ url, browser: 'none', protocol: 'h2', view: 'cold', seed: 1, calls: permission ?? undefined },
        workload: {
          ...{ method: 'GET', bodyBytes: 0, paths, ...workload, seconds: 10, requestsPerSecond: 0, arrivals: 'even' },
          ...{ connections: 'user', shared: 1, earlyData: false, requestTimeoutMs: 30_000 },
        },
      }),
  };
}

test('a server that serves the token is loaded over each protocol', proves('rest-calls', 'hostile'), async (t) => {
  const { port } = await serve(t, '127.0.0.2:0', '-token', token);
  lead('127.0.0.2');
  const { discover, run } = await engineOf(t);
  const {
    failure,
    hosts: [host],
  } = await discover(`https://own.example:${port}/ping`);
  assert.deepEqual([failure, host?.remoteAddress, host?.h3], [null, `127.0.0.2:${port}`, 'proven']);
  assert.equal((await run(`https://own.example:${port}/ping`)).report.summary.succeeded, 10);
});

test('a run of a count ends by the service’s limit, but against a server of our own', proves('rest-calls', 'hostile'), async (t) => {
  const { port } = await serve(t, '127.0.0.2:0', '-token', token);
  lead('127.0.0.2');
  const lab: DemoOrigin = {
    trust: { spki: '', hostRules: 'MAP own.example 127.0.0.2', ca: readFileSync(certificate, 'utf8') },
    serves: (hostname) => hostname === 'own.example',
    settings: {},
    calls: { hostname: 'own.example', settings: {} },
  };
  const brief = { ...calls, limits: { ...defaultCallLimits, seconds: 2 } };
  const succeeded = async (where: DemoOrigin | undefined) => {
    const { run } = await engineOf(t, where);
    return (await run(`https://own.example:${port}/delay`, brief, ['/delay?ms=600'])).report.summary.succeeded;
  };
  // Five requests of 600 ms, one after another.
  const cut = await succeeded(undefined);
  assert.ok(cut > 0 && cut < 10, `${cut} of 10`);
  assert.equal(await succeeded(lab), 10);
});

test('one that does not gets a single request, and the message says what to serve', proves('rest-calls', 'hostile'), async (t) => {
  lead('127.0.0.2');
  const wrong = [
    [{ status: 200, body: 'pronghorn-of-somebody-else\n' }, /answers "pronghorn-of-somebody-else"/],
    [{ status: 404, body: token }, /answers with status 404/],
    [{ status: 302, body: token, location: 'https://own.example/token' }, /answers with status 302/],
    [{ status: 200, body: `<p>\n${token}` }, /answers "<p>"/],
  ] as const;
  for (const [answer, words] of wrong) {
    const { asked, port } = await counting(t, '127.0.0.2', 0, answer);
    const { discover, run } = await engineOf(t);
    const { failure, hosts: found } = await discover(`https://own.example:${port}/ping`);
    assert.equal(failure?.reason, 'not-confirmed');
    assert.match(failure?.detail ?? '', words);
    assert.ok(
      failure?.detail.includes(`Let it answer https://own.example:${port}/.well-known/pronghorn with status 200 and the line ${token},`),
    );
    assert.deepEqual(found, []);
    // Whoever tries at once again is not asked again, and no run is made whatever discovery another runner has stored.
    await assert.rejects(run(`https://own.example:${port}/ping`), NotConfirmed);
    assert.deepEqual(asked, ['/.well-known/pronghorn']);
  }
});

test('without permission no host is asked at all', proves('rest-calls', 'hostile'), async (t) => {
  lead('127.0.0.2');
  const { asked, port } = await counting(t, '127.0.0.2', 0, { status: 200, body: token });
  const { discover, run } = await engineOf(t);
  const other = await discover(`https://other.example:${port}/`);
  assert.deepEqual(
    [other.failure?.reason, /other\.example may not be loaded.*calls\.hosts/.test(other.failure?.detail ?? '')],
    ['not-confirmed', true],
  );
  // A service of before there was any permission.
  assert.match((await discover(`https://own.example:${port}/`, null)).failure?.detail ?? '', /service permits no REST calls/);
  const lowered = { ...calls, limits: { ...defaultCallLimits, users: 1 } };
  await assert.rejects(run(`https://own.example:${port}/ping`, lowered), /no longer permits this run: 2 users work at the same time/);
  // A loopback needs no token where whoever asks is the operator, and is none of a service's targets.
  const loopback = `https://127.0.0.2:${port}/`;
  assert.equal((await discover(loopback)).failure?.reason, 'not-confirmed');
  assert.deepEqual(asked, []);
});

test('a run goes to the address that was asked, wherever its name leads a moment later', proves('rest-calls', 'hostile'), async (t) => {
  const { port } = await serve(t, '127.0.0.2:0', '-token', token);
  const victim = await counting(t, '127.0.0.3', port, { status: 200, body: 'pong' });
  lead('127.0.0.2');
  const { discover, run } = await engineOf(t);
  assert.equal((await discover(`https://own.example:${port}/ping`)).failure, null);
  lead('127.0.0.3');
  const { report } = await run(`https://own.example:${port}/ping`);
  assert.deepEqual([report.summary.succeeded, report.connections[0]?.remote], [10, `127.0.0.2:${port}`]);
  // Another process has to ask anew, and gets no token there.
  await assert.rejects((await engineOf(t)).run(`https://own.example:${port}/ping`), /answers "pong"/);
  assert.deepEqual(victim.asked, ['/.well-known/pronghorn']);
});

test('of a name with several addresses none is loaded but the one that answered', proves('rest-calls', 'hostile'), async (t) => {
  const { port } = await serve(t, '127.0.0.2:0', '-token', token);
  const victim = await counting(t, '127.0.0.3', port, { status: 200, body: 'pong' });
  lead('127.0.0.2', '127.0.0.3');
  const { run } = await engineOf(t);
  const remotes = new Set<string | undefined>();
  for (let round = 0; round < 3; round++) {
    const { report } = await run(`https://own.example:${port}/ping`);
    for (const { remote } of report.connections) remotes.add(remote);
  }
  assert.deepEqual([[...remotes], victim.asked], [[`127.0.0.2:${port}`], []]);
});

test('after a failed run, the host that has the address by then is asked before the next', proves('rest-calls', 'hostile'), async (t) => {
  const first = await serve(t, '127.0.0.2:0', '-token', token);
  const url = `https://own.example:${first.port}/ping`;
  lead('127.0.0.2');
  const { run } = await engineOf(t);
  assert.equal((await run(url)).report.summary.succeeded, 10);
  await first.stop();
  assert.deepEqual((await run(url)).report.summary.errors, { refused: 10 });
  const heir = await counting(t, '127.0.0.2', first.port, { status: 200, body: 'pong' });
  await assert.rejects(run(url), /answers "pong"/);
  assert.deepEqual(heir.asked, ['/.well-known/pronghorn']);
});
