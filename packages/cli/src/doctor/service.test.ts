// A real service, and real proxies in front of it that do what proxies do.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { type Api, type ApiOptions, buildApi } from '@pronghorn/api';
import { version } from '@pronghorn/core/vocabulary';
import { sampleRegistration } from '../../../api/src/testing/samples.ts';
import { examine, type Finding, speaksQuic } from './service.ts';

async function service(t: TestContext, options: Partial<ApiOptions> = {}): Promise<{ app: Api; url: string; port: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-service-doctor-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const app = await buildApi({
    ...{ database: ':memory:', evidenceDirectory: join(folder, 'evidence'), readiness: { minFreeBytes: 1 } },
    ...{ access: { kind: 'tokens', lookUp: async () => [{ address: '93.184.216.34', family: 4 }] }, allowedHosts: ['service.example'] },
    ...options,
  });
  t.after(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, url, port: Number(new URL(url).port) };
}

const viewer = async (app: Api) => (await app.commit(() => app.tables.tokens.create({ name: 'night watch', role: 'viewer' }, null))).token;
const of = (findings: readonly Finding[], subject: string) => findings.filter((finding) => finding.subject === subject);
const only = (findings: readonly Finding[], subject: string): Finding => {
  const [one, ...more] = of(findings, subject);
  assert.ok(one !== undefined && more.length === 0, `${subject}: ${JSON.stringify(findings)}`);
  return one;
};
const asAdmin = async (app: Api, method: 'POST' | 'PUT', path: string, payload: object) => {
  const name = `admin ${Math.random()}`;
  const { token } = await app.commit(() => app.tables.tokens.create({ name, role: 'admin' }, null));
  const reply = await app.inject({ method, url: `/api/v1${path}`, payload, headers: { authorization: `Bearer ${token}` } });
  assert.ok(reply.statusCode < 300, reply.body);
  return reply.body === '' ? undefined : reply.json();
};
const campaign = { sites: [{ url: 'https://site.example/' }], protocols: ['h2'], rounds: 1 };

/** A proxy in front of a service. */
async function listening(t: TestContext, server: ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
const passOn =
  (port: number, pass: (from: IncomingMessage, to: ServerResponse) => void): RequestListener =>
  (request, reply) => {
    const { method, url: path, headers } = request;
    request.pipe(
      httpRequest({ port, host: '127.0.0.1', method, path, headers: { ...headers, host: 'service.example' } }, (from) => pass(from, reply)),
    );
  };
const through = (from: IncomingMessage, to: ServerResponse, more = {}) => {
  to.writeHead(from.statusCode ?? 500, { ...from.headers, ...more });
  from.pipe(to);
};

test('a service that works is told of in lines that are all well, to a viewer', async (t) => {
  const { app, url } = await service(t);
  const token = await viewer(app);
  await asAdmin(app, 'POST', '/campaigns', campaign);
  await asAdmin(app, 'POST', '/notifications', { name: 'hook', kind: 'webhook', url: 'https://site.example/', events: ['gate-failed'] });
  await asAdmin(app, 'POST', '/runners', sampleRegistration('one', { location: 'fra' }));
  const findings = await examine({ url, token });
  assert.deepEqual(
    findings.map(({ level, subject }) => [subject, level]),
    [
      ['Service', 'good'],
      ['Version', 'good'],
      ['Clock', 'good'],
      ['Ready', 'good'],
      ['Token', 'good'],
      ['Runners', 'good'],
      ['Schedules', 'good'],
      ['Queue', 'good'],
      ['Notifications', 'good'],
      ['Event streams', 'good'],
    ],
    JSON.stringify(findings, null, 1),
  );
  assert.equal(only(findings, 'Version').text, version);
  assert.match(only(findings, 'Ready').text, /^all of database, schema, disk, clock, evidence; \d+(\.\d)? [MG]B are free$/);
  assert.equal(only(findings, 'Token').text, 'night watch, viewer');
  assert.match(only(findings, 'Runners').text, /^fra: 1 of 1 running \(one alive\); all can shape their link$/);
});

test('without a token, and with a wrong one, it says what needs one', async (t) => {
  const { url } = await service(t);
  const without = only(await examine({ url, token: null }), 'Token');
  assert.deepEqual(
    [without.level, without.text],
    ['note', 'none: runners, schedules, queue and notifications need one. Give a viewer’s token with --token-file or PRONGHORN_TOKEN.'],
  );
  assert.match(only(await examine({ url, token: 'prg_wrong' }), 'Token').text, /^unknown, expired or revoked/);
  const { app, url: other } = await service(t);
  const { token } = await app.commit(() => app.tables.tokens.create({ name: 'worker', role: 'runner' }, null));
  const findings = await examine({ url: other, token });
  assert.equal(only(findings, 'Queue').text, 'hidden from this token; a viewer’s token shows them');
});

test('what does not answer, or by another name, or is something else, is named with what to do', async (t) => {
  const gone = await listening(
    t,
    createServer().on('connection', (socket) => socket.destroy()),
  );
  assert.match(
    only(await examine({ url: `http://127.0.0.1:${gone}`, token: null }), 'Service').text,
    /can't be reached \(.+\)\. Check the address/,
  );
  const { port } = await service(t);
  const named = await listening(
    t,
    createServer((request, reply) => {
      httpRequest({ port, host: '127.0.0.1', path: request.url, headers: { host: 'other.example' } }, (from) => through(from, reply)).end();
    }),
  );
  assert.match(
    only(await examine({ url: `http://127.0.0.1:${named}`, token: null }), 'Service').text,
    /answers 421: .*Add the name to allowedHosts\.$/,
  );
  const other = await listening(
    t,
    createServer((_request, reply) => reply.end('<h1>Hello</h1>')),
  );
  assert.match(
    only(await examine({ url: `http://127.0.0.1:${other}`, token: null }), 'Service').text,
    /answers 200: this is not a Pronghorn service/,
  );
});

test('whatever answers in place of a service, there is a line of it and an end', async (t) => {
  let health: unknown = null;
  const port = await listening(
    t,
    createServer((request, reply) => {
      const path = request.url?.split('?', 1)[0];
      const answers: Record<string, unknown> = { '/api/v1/health': health, '/api/v1/session': { role: 'viewer', name: 'v' } };
      const answer = path !== undefined && path in answers ? answers[path] : { items: [], nextCursor: 'again' };
      reply.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    }),
  );
  const ask = () => examine({ url: `http://127.0.0.1:${port}`, token: 'prg_x' });
  for (health of [null, 5, {}, { version: { major: 1 } }, { detail: { toString: null } }])
    assert.match(only(await ask(), 'Service').text, /answers 200: this is not a Pronghorn service\. Check the address and the gateway\.$/);
  health = { version };
  for (const subject of ['Runners', 'Schedules', 'Notifications'])
    assert.match(only(await ask(), subject).text, /^GET \/\w+ has no end: after 20 pages there is another one$/);
});

test('a proxy that holds event streams back, and one that takes /readyz for itself, are told', async (t) => {
  const { app, port } = await service(t);
  await asAdmin(app, 'POST', '/campaigns', campaign);
  const proxy = createServer((request, reply) => {
    if (request.url === '/readyz') return void reply.writeHead(404).end('not here');
    passOn(port, (from, to) => {
      if (!/event-stream/.test(from.headers['content-type'] ?? '')) return through(from, to);
      // As nginx buffers: headers go on, contents once there are enough of them.
      to.writeHead(from.statusCode ?? 500, from.headers).flushHeaders();
      from.resume();
    })(request, reply);
  });
  const url = `http://127.0.0.1:${await listening(t, proxy)}`;
  const findings = await examine({ url, token: await viewer(app) });
  const { level, text } = only(findings, 'Event streams');
  assert.equal(level, 'bad');
  assert.match(text, /^no event came through in 5 s: a proxy holds them back.*proxy_buffering off\)\.$/);
  assert.match(only(findings, 'Ready').text, /\/readyz answers 404\. Let the gateway pass it on/);
});

test('a clock that is off, a disk that is full, a night that was missed, a message that was given up: each has its line', async (t) => {
  const { app, port } = await service(t, { readiness: { minFreeBytes: 1e18 }, access: { kind: 'tokens', allowNet: ['127.0.0.0/8'] } });
  const token = await viewer(app);
  const hook = await listening(
    t,
    createServer((_request, reply) => reply.writeHead(500).end()),
  );
  await asAdmin(app, 'POST', '/notifications', {
    name: 'hook',
    kind: 'webhook',
    url: `http://127.0.0.1:${hook}/x`,
    events: ['gate-failed'],
  });
  await asAdmin(app, 'POST', '/notifications/1/test', {});
  await app.notifications.tick();
  await asAdmin(app, 'POST', '/schedules', {
    name: 'nightly',
    cron: '30 2 * * *',
    campaign: { ...campaign, sites: [{ url: 'https://127.0.0.1/' }] },
  });
  const words = 'Missed: the service did not run at that time.';
  await app.commit(() =>
    app.tables.schedules.insertStart(1, { dueAt: 0, decidedAt: 0, outcome: 'missed', campaignId: null, words, startedBy: null }),
  );
  const proxy = createServer(passOn(port, (from, to) => through(from, to, { date: new Date(Date.now() - 600_000).toUTCString() })));
  const findings = await examine({ url: `http://127.0.0.1:${await listening(t, proxy)}`, token });
  assert.match(only(findings, 'Clock').text, /^the service's clock is 10 min.* behind this machine's\. Set both by NTP/);
  assert.match(only(findings, 'Ready').text, /^disk: \d+(\.\d)? [MG]B are free; at least/);
  assert.equal(
    only(findings, 'Schedules').text,
    'nightly was not started at 1970-01-01T00:00:00.000Z (missed): Missed: the service did not run at that time.',
  );
  assert.match(
    only(findings, 'Notifications').text,
    /^hook \(http:\/\/127\.0\.0\.1:\d+\): the last message was not delivered after one try: answered 500/,
  );
  assert.deepEqual(
    [only(findings, 'Runners').level, only(findings, 'Runners').text],
    ['bad', 'none has registered, so nothing is measured. Start one: ./pronghorn runner --api …'],
  );
});

test('runners that are lost, and those without a fence, are named', async (t) => {
  let now = Date.now() - 3_600_000;
  const { app, url } = await service(t, { now: () => now });
  await asAdmin(app, 'POST', '/runners', sampleRegistration('gone', { location: 'fra' }));
  now += 3_600_000;
  const bare = sampleRegistration('bare', { location: 'nyc' });
  await asAdmin(app, 'POST', '/runners', { ...bare, capabilities: { ...bare.capabilities, backends: ['direct'] } });
  const lines = of(await examine({ url, token: await viewer(app) }), 'Runners').map(({ level, text }) => `${level} ${text}`);
  assert.match(lines[0] ?? '', /^bad fra: 0 of 1 running \(none\)\. Nothing is measured there/);
  assert.match(lines[1] ?? '', /^good nyc: 1 of 1 running \(bare alive\); 0 can shape their link/);
  assert.match(lines[2] ?? '', /^note gone has sent no heartbeat since /);
  assert.match(lines[3] ?? '', /^note bare has no fence: its pages can reach everything that its machine reaches/);
});

test('days that a certificate is good for, and that nobody trusts it', async (t) => {
  const { app, port } = await service(t);
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-certificate-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  const kind = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
  ];
  execFileSync('openssl', ['req', '-x509', ...kind, '-days', '5', ...files], { stdio: 'ignore' });
  const [key, cert] = ['key.pem', 'certificate.pem'].map((name) => readFileSync(join(folder, name)));
  const gateway = createTlsServer({ ...(key && { key }), ...(cert && { cert }) }, passOn(port, through));
  const url = `https://localhost:${await listening(t, gateway)}`;
  const untrusted = await examine({ url, token: null });
  assert.match(only(untrusted, 'Service').text, /can't be reached \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
  assert.match(
    only(untrusted, 'TLS').text,
    /^the certificate is valid for [45] days, until \d{4}-\d\d-\d\d, but this machine does not trust it/,
  );
  // As an operator with a CA of their own asks.
  const program = `import { examine } from ${JSON.stringify(join(import.meta.dirname, 'service.ts'))};
    process.stdout.write(JSON.stringify(await examine({ url: '${url}', token: '${await viewer(app)}' })));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem') },
  });
  const trusted = JSON.parse(stdout) as Finding[];
  assert.match(only(trusted, 'TLS').text, /^the certificate is valid for [45] days, until .*\. Renew it now/);
  assert.equal(only(trusted, 'TLS').level, 'bad');
  assert.match(only(trusted, 'HTTP/3').text, /^not offered by the gateway/);
});

test('QUIC is spoken where a version that nobody knows is answered with those that are; silence is none', async (t) => {
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  let answers = true;
  socket.on('message', (packet, { port, address }) => {
    if (!answers || packet.length < 1_200 || (packet[0] ?? 0) < 0xc0) return;
    // RFC 9000, 17.2.1: version 0, the two ids changed over, then versions.
    const [from, to] = [packet.subarray(15, 23), packet.subarray(6, 14)];
    socket.send(Buffer.concat([Buffer.from([0x80, 0, 0, 0, 0, 8]), from, Buffer.from([8]), to, Buffer.from([0, 0, 0, 1])]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  assert.equal(await speaksQuic('127.0.0.1', port), true);
  answers = false;
  assert.equal(await speaksQuic('127.0.0.1', port), false);
});
