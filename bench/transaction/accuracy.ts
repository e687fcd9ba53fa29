// node bench/transaction/accuracy.ts [PART…]: whether the client of REST calls tells the truth, over each protocol on loopback. Parts:
//   delay   answers after 50 ms: their median, that of answers at once at the same pace, and what is left of 50 ms, one after another and at a fixed rate
//   stall   a server that stands still for 200 ms of every two seconds: what a closed and an open loop tell of it, and wrk and oha beside them
//   memory  1 and 20 bodies of 10 MB, and 20 of 40 MB at a time, received and sent: the most that client and server had in memory
//   killed  10,000 requests whose server is killed midway: what became of each
// `stall` needs wrk (Debian's) and oha (`cargo install --locked oha --features http3`).
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startOrigin } from '../../nginx/src/index.ts';
import { type Protocol, protocols } from '../../packages/core/src/index.ts';
import { findTransaction, type Plan, runPlan } from '../../packages/runner/src/index.ts';

const all = ['delay', 'stall', 'memory', 'killed'] as const;
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
    const during = async <T>(work: () => Promise<T>): Promise<T> => {
      const ended = new AbortController();
      const standing = standStill(server.pid, ended.signal);
      const result = await work();
      ended.abort();
      await standing;
      return result;
    };
    for (const protocol of protocols)
      for (const [name, more] of [
        ['closed loop, 10 users', { mode: 'duration', seconds: 10, users: 10 }],
        ['open loop', { mode: 'rate', seconds: 10, requestsPerSecond: 200, users: 1_000, connections: 'shared', shared: 10 }],
      ] as const) {
        const { summary } = await during(() => runPlan(server.plan('/ping', protocol, more)));
        const { response } = summary;
        console.log(
          `${protocol} ${name.padEnd(22)} ${summary.requestsPerSecond.toFixed(0).padStart(6)} /s  p50 ${ms(response.p50)} p90 ${ms(response.p90)} p95 ${ms(response.p95)} p99 ${ms(response.p99)} max ${ms(response.max)}`,
        );
      }
    const url = `${server.at}/ping`;
    console.log(`\nwrk, h1:\n${await during(() => told('wrk', ['--latency', '-t', '1', '-c', '10', '-d', '10s', url]))}`);
    for (const version of ['1.1', '2'])
      for (const [name, rate] of [
        ['closed loop', []],
        ['-q 200 --latency-correction', ['-q', '200', '--latency-correction']],
      ] as const) {
        const connections = version === '2' ? ['-c', '1', '-p', '10'] : ['-c', '10'];
        const args = [
          '--no-tui',
          '--insecure',
          '--output-format',
          'json',
          '-z',
          '10s',
          '--http-version',
          version,
          ...connections,
          ...rate,
          url,
        ];
        const { summary, latencyPercentiles: at } = JSON.parse(await during(() => told('oha', args)));
        console.log(
          `oha h${version} ${name.padEnd(28)} ${summary.requestsPerSec.toFixed(0).padStart(6)} /s  p50 ${ms(at.p50 * 1e3)} p90 ${ms(at.p90 * 1e3)} p95 ${ms(at.p95 * 1e3)} p99 ${ms(at.p99 * 1e3)} max ${ms(summary.slowest * 1e3)}`,
        );
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
