// node bench/transaction/accuracy.ts [PART…]: whether the client of REST calls tells the truth, over each protocol on loopback. Parts:
//   delay   answers after 50 ms: their median, that of answers at once at the same pace, and what is left of 50 ms, one after another and at a fixed rate
//   stall   a server that stands still for 200 ms of every two seconds: what a closed and an open loop tell of it, and wrk and oha beside them
//   load    that server and `pronghorn load`: by count, by time and at a rate, beside wrk and oha, in the same minute
//   memory  1 and 20 bodies of 10 MB, and 20 of 40 MB at a time, received and sent: the most that client and server had in memory
//   killed  10,000 requests whose server is killed midway: what became of each
// `stall` and `load` need wrk (Debian's) and oha (`cargo install --locked oha --features http3`).
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startOrigin } from '../../nginx/src/index.ts';
import { type Protocol, protocols } from '../../packages/core/src/vocabulary/index.ts';
import { findTransaction, type Plan, type ProgramReport, runPlan } from '../../packages/runner/src/index.ts';

const all = ['delay', 'stall', 'load', 'memory', 'killed'] as const;
const asked = process.argv.slice(2);
const parts = asked.length === 0 ? all : all.filter((part) => asked.includes(part));

const directory = join(tmpdir(), 'pronghorn-bench-accuracy');
const start = async () => {
  const origin = await startOrigin({ directory, calls: { program: findTransaction() } });
  if (origin.calls === undefined) throw new Error('the origin has no host of REST calls');
  const { port } = new URL(origin.calls.url);
  const [, address = ''] = /MAP calls\.pronghorn\.test ([\d.]+)/.exec(origin.trust.hostRules) ?? [];
  const authority = readFileSync(origin.trust.caFile, 'utf8');
  const plan = (path: string, protocol: Protocol, more: Partial<Plan>): Plan => ({
    ...{ urls: [`${origin.calls?.url}${path}`], method: 'GET', body: 0, protocol, mode: 'count', users: 1, requests: 100, seconds: 0 },
    ...{
      requestsPerSecond: 0,
      poisson: false,
      seed: 1,
      connections: 'user',
      shared: 1,
      state: 'warm',
      earlyData: false,
      timeoutMs: 10_000,
    },
    ...{ at: `${address}:${port}`, authority, askUsage: false, maxSamples: 0, ...more },
  });
  return { origin, pid: origin.calls.pid, at: `https://${address}:${port}`, plan };
};
const ms = (value: number) => value.toFixed(2).padStart(8);
const mb = (bytes: number | undefined) => `${((bytes ?? 0) / 1e6).toFixed(1)} MB`.padStart(9);

/** Stops the server for 200 ms of every two seconds, from a second on, until it is told to end. */
async function standStill(pid: number, ended: AbortSignal): Promise<void> {
  await wait(1_000);
  while (!ended.aborted) {
    process.kill(pid, 'SIGSTOP');
    await wait(200);
    process.kill(pid, 'SIGCONT');
    await wait(1_800);
  }
}

async function told(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  await new Promise((resolve) => child.once('close', resolve));
  return text;
}

/** Performs work while a server stands still now and then. */
async function during<T>(pid: number, work: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const standing = standStill(pid, ended.signal);
  try {
    return await work();
  } finally {
    ended.abort();
    await standing;
  }
}

/** Requests a second, and milliseconds. */
type Figures = Record<'rate' | 'p50' | 'p90' | 'p95' | 'p99' | 'max', number>;

const line = (name: string, { rate, p50, p90, p95, p99, max }: Figures) =>
  `${name.padEnd(46)} ${rate.toFixed(0).padStart(6)} /s  p50 ${ms(p50)} p90 ${ms(p90)} p95 ${ms(p95)} p99 ${ms(p99)} max ${ms(max)}`;

async function byOha(version: '1.1' | '2', url: string, ...more: string[]): Promise<Figures> {
  const connections = version === '2' ? ['-c', '1', '-p', '10'] : ['-c', '10'];
  const fixed = ['--no-tui', '--insecure', '--output-format', 'json', '--http-version', version];
  const { summary, latencyPercentiles: at } = JSON.parse(await told('oha', [...fixed, ...connections, ...more, url]));
  return {
    ...{ rate: summary.requestsPerSec, p50: at.p50 * 1e3, p90: at.p90 * 1e3, p95: at.p95 * 1e3 },
    ...{ p99: at.p99 * 1e3, max: summary.slowest * 1e3 },
  };
}

const byWrk = (url: string) => told('wrk', ['--latency', '-t', '1', '-c', '10', '-d', '10s', url]);

/** The built-in server under an address that every tool knows by itself. */
async function loopbackServer(folder: string) {
  const [key, ca] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const request =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=calls -addext subjectAltName=IP:127.0.0.1';
  execFileSync('openssl', [...request.split(' '), '-keyout', key, '-out', ca], { stdio: 'ignore' });
  const program = spawn(findTransaction(), ['serve', '-listen', '127.0.0.1:0', '-certificate', ca, '-key', key], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(program.stdout, 'data');
  return { url: `https://${JSON.parse(`${line}`).address}/ping`, ca, program };
}

/** What `pronghorn load` tells of requests since they were due. */
async function byLoad(url: string, ca: string, folder: string, ...more: string[]): Promise<Figures> {
  const json = join(folder, 'load.json');
  await told(join(import.meta.dirname, '../../pronghorn'), ['load', url, '--ca', ca, '--json', json, '--data', folder, ...more]);
  const { summary }: ProgramReport = JSON.parse(readFileSync(json, 'utf8'));
  return { rate: summary.requestsPerSecond, ...summary.response };
}

const server = await start();
try {
  if (parts.includes('delay')) {
    console.log('answers after 50 ms, ms               p50      p99  /ping p50  left');
    for (const protocol of protocols)
      for (const [name, more] of [
        ['one after another', { requests: 100 }],
        ['10 a second', { mode: 'rate', seconds: 10, requestsPerSecond: 10, users: 10, connections: 'shared' }],
      ] as const) {
        const { summary } = await runPlan(server.plan('/delay?ms=50', protocol, more));
        // At the same pace: a machine that dozes in between takes longer to answer.
        const { summary: answer } = await runPlan(
          server.plan('/ping', protocol, 'mode' in more ? more : { mode: 'rate', seconds: 5, requestsPerSecond: 20 }),
        );
        console.log(
          `${protocol} ${name.padEnd(30)}${ms(summary.latency.p50)} ${ms(summary.latency.p99)} ${ms(answer.latency.p50)}  ${ms(summary.latency.p50 - answer.latency.p50 - 50)}`,
        );
      }
  }
  if (parts.includes('stall')) {
    console.log(
      '\na server that stands still for 200 ms of every two seconds: 200 requests a second, or as many as it takes, for 10 s. Of what is due every 5 ms a',
    );
    console.log('tenth comes while it stands still: p90 is small, and p95 and p99 are near 100 and 180 ms');
    for (const protocol of protocols)
      for (const [name, more] of [
        ['closed loop, 10 users', { mode: 'duration', seconds: 10, users: 10 }],
        ['open loop', { mode: 'rate', seconds: 10, requestsPerSecond: 200, users: 1_000, connections: 'shared', shared: 10 }],
      ] as const) {
        const { summary } = await during(server.pid, () => runPlan(server.plan('/ping', protocol, more)));
        console.log(line(`${protocol} ${name}`, { rate: summary.requestsPerSecond, ...summary.response }));
      }
    const url = `${server.at}/ping`;
    console.log(`\nwrk, h1:\n${await during(server.pid, () => byWrk(url))}`);
    for (const version of ['1.1', '2'] as const)
      for (const more of [[], ['-q', '200', '--latency-correction']])
        console.log(
          line(
            `oha h${version} ${more.join(' ') || 'closed loop'}`,
            await during(server.pid, () => byOha(version, url, '-z', '10s', ...more)),
          ),
        );
  }
  if (parts.includes('load')) {
    console.log('\nthe three modes of load, wrk and oha on one server, HTTP/1.1, 10 connections');
    const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-load-'));
    const { url, ca, program } = await loopbackServer(folder);
    try {
      for (const [name, amid] of [
        ['a server that answers at once', <T>(work: () => Promise<T>) => work()],
        ['a server that stands still for 200 ms of every two seconds', <T>(work: () => Promise<T>) => during(program.pid ?? 0, work)],
      ] as const) {
        const tell = async (tool: string, work: () => Promise<Figures>) => console.log(line(tool, await amid(work)));
        const load = (...more: string[]) => byLoad(url, ca, folder, '--http', '1', '-c', '10', ...more);
        console.log(name);
        await tell('load -n 10000', () => load('-n', '10000'));
        await tell('oha -n 100000', () => byOha('1.1', url, '-n', '100000'));
        await tell('load -d 10', () => load('-d', '10'));
        await tell('oha -z 10s', () => byOha('1.1', url, '-z', '10s'));
        console.log(`wrk -d 10s\n${await amid(() => byWrk(url))}`);
        await tell('load -R 200 -d 10', () => load('-R', '200', '-d', '10'));
        await tell('oha -q 200 -z 10s', () => byOha('1.1', url, '-q', '200', '-z', '10s'));
        await tell('oha -q 200 -z 10s --latency-correction', () => byOha('1.1', url, '-q', '200', '-z', '10s', '--latency-correction'));
      }
    } finally {
      program.kill();
      rmSync(folder, { recursive: true });
    }
  }
  if (parts.includes('memory')) {
    console.log('\nmost memory                            client    server');
    for (const protocol of protocols)
      for (const method of ['GET', 'POST'] as const)
        for (const [users, megabytes] of [
          [1, 10],
          [20, 10],
          [20, 40],
        ] as const) {
          const more = {
            users,
            requests: 5,
            method,
            body: method === 'POST' ? megabytes * 1e6 : 0,
            askUsage: true,
            timeoutMs: 60_000,
          } as const;
          const { summary } = await runPlan(
            server.plan(method === 'POST' ? '/upload' : `/download?size=${megabytes}000000`, protocol, more),
          );
          const name = `${protocol} ${method} ${megabytes} MB, ${users} at a time`;
          console.log(
            `${name.padEnd(34)} ${mb(summary.client.peakMemory)} ${mb(summary.server?.peakMemory)}  ${summary.succeeded} of ${users * 5}`,
          );
        }
  }
} finally {
  await server.origin.stop();
}
if (parts.includes('killed')) {
  console.log('\n10,000 requests of 50 users, the server killed after a second');
  for (const protocol of protocols) {
    const { origin, pid, plan } = await start();
    try {
      const running = runPlan(plan('/delay?ms=10', protocol, { users: 50, requests: 200, timeoutMs: 2_000, seconds: 30 }));
      await wait(1_000);
      execFileSync('kill', ['-KILL', `${pid}`]);
      const { summary } = await running;
      const failed = Object.values(summary.errors).reduce((sum, count) => sum + count, 0);
      console.log(
        `${protocol} ${summary.succeeded} succeeded and ${failed} failed: ${summary.succeeded + failed} of 10,000; ${JSON.stringify(summary.errors)}`,
      );
    } finally {
      await origin.stop();
    }
  }
}
