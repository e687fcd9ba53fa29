// node bench/transaction/clients.ts [ROUNDS] [SECONDS] [CONCURRENT]: the client of REST calls beside wrk, h2load, oha and a plain client in Go, on nginx and on the
// built-in server: requests a second, p99, and CPU time a request. Server and client have a core each. Needs wrk and h2load (Debian's wrk and
// nghttp2-client), oha (`cargo install --locked oha --features http3`) and `go`.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startOrigin } from '../../nginx/src/index.ts';
import { median, randomSource, shuffle } from '../../packages/core/src/math/index.ts';
import { type Protocol, protocols } from '../../packages/core/src/vocabulary/index.ts';
import { findTransaction } from '../../packages/runner/src/index.ts';

const [rounds = 5, seconds = 4, concurrent = 50] = process.argv.slice(2).map(Number);
const version: Record<Protocol, string> = { h1: '1.1', h2: '2', h3: '3' };
const longest = 30_000;

interface Run {
  perSecond: number;
  p99: number | null;
  /** Microseconds of the client for each request. */
  cpu: number;
}

interface Target {
  name: string;
  url: string;
  /** Where the host of the URL is. */
  at: string;
  pids: readonly number[];
}

interface Tool {
  name: string;
  protocols: readonly Protocol[];
  command(target: Target, protocol: Protocol): string[];
  input?(target: Target, protocol: Protocol): string;
  read(text: string): { requests: number; perSecond: number; p99: number | null };
}

const plain = join(tmpdir(), `plain-client-${process.pid}`);
execFileSync('go', ['build', '-o', plain, '.'], { cwd: new URL('plain/', import.meta.url), stdio: 'inherit' });

const number = (text: string, pattern: RegExp): number => {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`${pattern} is not in:\n${text}`);
  return Number(found);
};
const milliseconds = (text: string, pattern: RegExp): number => {
  const [, value = '', unit = ''] = pattern.exec(text) ?? [];
  return Number(value) * ({ us: 1e-3, ms: 1, s: 1e3 }[unit] ?? Number.NaN);
};
/** HTTP/1.1 has one request under way on a connection; the others share one. */
const connections = (protocol: Protocol) => (protocol === 'h1' ? concurrent : 1);

const tools: readonly Tool[] = [
  {
    name: 'pronghorn',
    protocols,
    command: () => [findTransaction(), 'run'],
    input: ({ url, at }, protocol) =>
      JSON.stringify({
        urls: [url],
        method: 'GET',
        body: 0,
        protocol,
        mode: 'duration',
        users: concurrent,
        requests: 0,
        seconds,
        requestsPerSecond: 0,
        poisson: false,
        seed: 1,
        connections: 'shared',
        shared: connections(protocol),
        state: 'warm',
        earlyData: false,
        timeoutMs: 5_000,
        at,
        authority,
        askUsage: false,
        maxSamples: 0,
      }),
    read: (text) => {
      const end = JSON.parse(text.split('\n').find((line) => line.startsWith('{"kind":"end"')) ?? '');
      return { requests: end.succeeded, perSecond: end.requestsPerSecond, p99: end.latency.p99 };
    },
  },
  {
    name: 'plain Go',
    protocols,
    command: ({ url, at }, protocol) => [plain, version[protocol].slice(0, 1), addressed(url, at), `${concurrent}`, `${seconds}`],
    read: (text) => {
      const [requests = 0, wall = 1, , p99 = 0] = text.split(' ').map(Number);
      return { requests, perSecond: requests / wall, p99 };
    },
  },
  {
    name: 'oha',
    protocols,
    command: ({ url, at }, protocol) => [
      ...['oha', '--no-tui', '--insecure', '--output-format', 'json', '-z', `${seconds}s`, '--http-version', version[protocol]],
      ...(protocol === 'h1' ? ['-c', `${concurrent}`] : ['-c', '1', '-p', `${concurrent}`]),
      addressed(url, at),
    ],
    read: (text) => {
      const { summary, latencyPercentiles, statusCodeDistribution } = JSON.parse(text);
      const requests = Number(statusCodeDistribution['200'] ?? 0);
      return { requests, perSecond: requests / summary.total, p99: latencyPercentiles.p99 === null ? null : latencyPercentiles.p99 * 1e3 };
    },
  },
  {
    name: 'wrk',
    protocols: ['h1'],
    command: ({ url, at }) => ['wrk', '--latency', '-t', '1', '-c', `${concurrent}`, '-d', `${seconds}s`, addressed(url, at)],
    read: (text) => ({
      requests: number(text, /(\d+) requests in/),
      perSecond: number(text, /Requests\/sec:\s+([\d.]+)/),
      p99: milliseconds(text, /99%\s+([\d.]+)(us|ms|s)/),
    }),
  },
  {
    name: 'h2load',
    protocols: ['h1', 'h2'],
    command: ({ url, at }, protocol) => [
      ...['h2load', '-t', '1', '-D', `${seconds}`, '-c', `${connections(protocol)}`, '-m', `${concurrent / connections(protocol)}`],
      ...(protocol === 'h1' ? ['--h1'] : []),
      addressed(url, at),
    ],
    // It tells no percentile.
    read: (text) => ({
      requests: number(text, /(\d+) succeeded/),
      perSecond: number(text, /finished in [\d.]+s, ([\d.]+) req\/s/),
      p99: null,
    }),
  },
];

/** None of the other tools verifies the certificate's name. */
const addressed = (url: string, at: string) => url.replace(new URL(url).host, at);

async function run(tool: Tool, target: Target, protocol: Protocol): Promise<Run | string> {
  const [command = '', ...args] = tool.command(target, protocol);
  // bash tells what the program and its threads took of the CPU.
  const child = spawn('taskset', ['-c', '1', 'bash', '-c', 'TIMEFORMAT="cpu %U %S"; time "$@"', 'bash', command, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  child.stdin.end(tool.input?.(target, protocol) ?? '');
  const hung = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), seconds * 1_000 + longest);
  const code = await new Promise((resolve) => child.once('close', (...how) => resolve(how.find((one) => one !== null))));
  clearTimeout(hung);
  if (code !== 0) return code === 'SIGKILL' ? 'did not end' : `exit ${code}: ${said.trim().split('\n')[0]}`;
  const [, user = '', system = ''] = /cpu ([\d.]+) ([\d.]+)/.exec(said) ?? [];
  try {
    const { requests, perSecond, p99 } = tool.read(text);
    return requests === 0 ? 'no request succeeded' : { perSecond, p99, cpu: ((Number(user) + Number(system)) * 1e6) / requests };
  } catch (error) {
    return `unreadable: ${(error as Error).message.slice(0, 200)}`;
  }
}

const directory = join(tmpdir(), 'pronghorn-bench-clients');
const origin = await startOrigin({ directory, calls: { program: findTransaction() } });
const authority = readFileSync(origin.trust.caFile, 'utf8');
const { calls } = origin;
if (calls === undefined) throw new Error('the origin has no host of REST calls');
const atOf = (url: string) => {
  const { hostname, port } = new URL(url);
  const [, address = ''] = new RegExp(`MAP ${hostname.replaceAll('.', '\\.')} ([\\d.]+)`).exec(origin.trust.hostRules) ?? [];
  return `${address}:${port}`;
};
const childrenOf = (pid: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        return readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === `${pid}`;
      } catch {
        return false;
      }
    });
// A small picture, which nobody is sent compressed: oha and the plain client would get a page so, and the others would not.
const [picture = ''] = execFileSync('find', [directory, '-path', '*/article/assets/author.*.png'], { encoding: 'utf8' }).trim().split('\n');
const small = new URL(`/assets/${basename(picture)}`, origin.sites.find(({ name }) => name === 'article')?.url).href;
const targets: Target[] = [
  { name: 'nginx', url: small, at: atOf(small), pids: [origin.pid, ...childrenOf(origin.pid)] },
  { name: 'built-in', url: `${calls.url}/data?size=1024`, at: atOf(calls.url), pids: [calls.pid] },
];
for (const { pids } of targets) for (const pid of pids) execFileSync('taskset', ['-a', '-c', '-p', '0', `${pid}`], { stdio: 'ignore' });

const random = randomSource(1);
try {
  for (const target of targets) {
    const found = new Map<string, Run[]>();
    const failed = new Map<string, string>();
    for (let round = 0; round < rounds; round++)
      for (const protocol of shuffle(protocols, random))
        for (const tool of shuffle(
          tools.filter((one) => one.protocols.includes(protocol)),
          random,
        )) {
          const key = `${protocol} ${tool.name}`;
          if (failed.has(key)) continue;
          const told = await run(tool, target, protocol);
          if (typeof told === 'string') failed.set(key, told);
          else found.set(key, [...(found.get(key) ?? []), told]);
        }
    console.log(`\n${target.name}, ${target.url}, ${concurrent} at a time, ${rounds} × ${seconds} s`);
    for (const protocol of protocols)
      for (const { name } of tools.filter((one) => one.protocols.includes(protocol))) {
        const runs = found.get(`${protocol} ${name}`) ?? [];
        const why = failed.get(`${protocol} ${name}`);
        if (why !== undefined || runs.length === 0) {
          console.log(`${protocol} ${name.padEnd(10)} ${why}`);
          continue;
        }
        const ours = found.get(`${protocol} pronghorn`) ?? [];
        const ratio = median(ours.map(({ perSecond }, n) => perSecond / (runs[n]?.perSecond ?? Number.NaN)).filter(Number.isFinite));
        const middle = (of: (one: Run) => number | null) => {
          const values = runs.map(of).filter((value) => value !== null);
          return values.length === 0 ? '–' : median(values).toFixed(1);
        };
        console.log(
          `${protocol} ${name.padEnd(10)} ${middle(({ perSecond }) => Math.round(perSecond)).padStart(9)} /s  p99 ${middle(({ p99 }) => p99).padStart(6)} ms  client CPU ${middle(({ cpu }) => cpu).padStart(6)} µs  pronghorn ÷ it ${ratio.toFixed(2)}`,
        );
      }
  }
} finally {
  await origin.stop();
  execFileSync('rm', ['-f', plain]);
}
