// One run of REST calls by the Go program: a plan goes in as JSON, lines of JSON come out.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { VisitRun } from '@pronghorn/core/schemas';
import type { Fence } from '../link/fence/fence.ts';
import { findTransaction } from '../machine/find.ts';
import { endsWithUs, toolPath } from '../machine/run.ts';

/** `workload.Plan` of packages/transaction. */
export interface Plan {
  urls: string[];
  method: string;
  body: number;
  protocol: string;
  mode: 'count' | 'duration' | 'rate';
  users: number;
  requests: number;
  seconds: number;
  requestsPerSecond: number;
  poisson: boolean;
  seed: number;
  connections: 'user' | 'shared' | 'pool';
  shared: number;
  state: 'warm' | 'cold' | 'each';
  earlyData: boolean;
  timeoutMs: number;
  /** ip:port; empty: as the name resolves. */
  at: string;
  /** PEM; empty: the system's authorities. */
  authority: string;
  askUsage: boolean;
  /** Maximum of requests that are reported one by one. */
  maxSamples: number;
}

interface Process {
  cpuSeconds: number;
  peakMemory: number;
}

/** The program's description of itself, stored with its results. */
export interface About {
  go: string;
  modules: Record<string, string>;
  limits: Record<string, number>;
}

/** Fields that a client doesn't know are missing, as Chrome knows little of its sockets. */
export interface Connection {
  handshakeMs: number;
  resumed?: boolean;
  earlyData?: boolean;
  cipher: string;
  remote: string;
  gso?: boolean;
  receiveBuffer?: number;
}

/** Figures that a visit's record has as the program reports them. */
export const recordedFigures = [
  'planned',
  'succeeded',
  'errors',
  'details',
  'wallSeconds',
  'connectionsBefore',
  'connections',
  'earlyData',
  'sentAgain',
  'latency',
  'ttfb',
  'response',
] as const;

/** `workload.Summary`. */
export interface Summary extends Pick<VisitRun, (typeof recordedFigures)[number]> {
  requestsPerSecond: number;
  bytesSent: number;
  bytesReceived: number;
  bytesFinished: number;
  traffic: {
    packetsSent: number | null;
    packetsReceived: number | null;
    retransmitted: number | null;
    dropped: number | null;
    minRttMs: number | null;
  };
  client: Process;
  server: Process | null;
  handshake: number | null;
}

export interface RunReport {
  seconds: VisitRun['seconds'];
  connections: Connection[];
  summary: Summary;
  /** The lines of single requests, as the program wrote them. */
  requests: string[];
}

export interface ProgramReport extends RunReport {
  about: About;
}

export interface RunOptions {
  /** Command prefix that starts the program behind the link. */
  enter?: readonly string[];
  /** Limits it to public addresses, where no router does. Over HTTP/3 it names an address with each datagram: the one of its plan. */
  fence?: Pick<Fence, 'around'> | undefined;
  signal?: AbortSignal;
  /** Threads of the client; default: one for each core. */
  threads?: number;
  onSecond?: (second: VisitRun['seconds'][number]) => void;
}

/** `ownership.Question` of packages/transaction. */
export interface Question {
  origin: string;
  /** PEM; empty: the system's authorities. */
  authority: string;
  timeoutMs: number;
}

/** `ownership.Answer`. */
export interface Answer {
  /** ip:port that answered. */
  remote: string;
  status: number;
  line: string;
  error?: string;
  detail?: string;
}

/** It ends by itself within its plan's time; after this grace it is killed. */
const graceMs = 20_000;
/** `workload.MaxSeconds`. */
export const maxSeconds = 7_200;

/**
 * Milliseconds after which a client that has not ended is killed. The time of a request may pass while connections are warmed (over HTTP/1.1 a pool's twice), at a fixed rate until the
 * last request is sent, until that has ended, and three times while the built-in server is asked.
 */
export const limitMsOf = ({ seconds, timeoutMs }: Pick<Plan, 'seconds' | 'timeoutMs'>): number =>
  (seconds || maxSeconds) * 1_000 + 7 * timeoutMs + graceMs;

/**
 * Performs a plan. The summary has the outcomes of its requests.
 *
 * @throws Error when the plan can't be run, or the program fails
 */
export async function runPlan(plan: Plan, { onSecond, ...options }: RunOptions = {}): Promise<ProgramReport> {
  const limitMs = limitMsOf(plan);
  const { child, ended, lastWords } = startProgram('run', { ...options, limitMs });
  child.stdin.end(JSON.stringify(plan));
  const report: Partial<ProgramReport> & Pick<RunReport, 'seconds' | 'connections' | 'requests'> = {
    seconds: [],
    connections: [],
    requests: [],
  };
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      // Most lines are single requests: they are kept as they are.
      if (line.startsWith('{"kind":"request"')) {
        report.requests.push(line);
        continue;
      }
      const { kind, ...rest } = JSON.parse(line) as { kind: string } & Record<string, unknown>;
      if (kind === 'about') report.about = rest as unknown as About;
      else if (kind === 'connection') report.connections.push(rest as unknown as Connection);
      else if (kind === 'end') report.summary = rest as unknown as Summary;
      else if (kind === 'second') {
        const second = rest as unknown as VisitRun['seconds'][number];
        report.seconds.push(second);
        onSecond?.(second);
      }
    }
  })();
  const [how] = await Promise.all([ended, reading]);
  const { about, summary } = report;
  if (how !== 0 || about === undefined || summary === undefined) {
    throw new Error(`The run of REST calls failed (${how === 'SIGKILL' ? `ended after ${limitMs} ms` : `exit ${how}`})${lastWords()}`);
  }
  return { ...report, about, summary };
}

/**
 * Asks a server once for the token of the service whose requests it permits.
 *
 * @throws Error when the question can't be asked, or the program fails
 */
export async function confirm(question: Question, options: Pick<RunOptions, 'enter' | 'fence' | 'signal'> = {}): Promise<Answer> {
  const { child, ended, lastWords } = startProgram('confirm', { ...options, limitMs: question.timeoutMs + graceMs });
  child.stdin.end(JSON.stringify(question));
  const [how, line] = await Promise.all([ended, text(child.stdout)]);
  if (how !== 0) throw new Error(`The server of REST calls could not be asked (exit ${how})${lastWords()}`);
  return JSON.parse(line) as Answer;
}

interface Started {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
  lastWords(): string;
}

/** Its standard input stays open. @param limitMs when it is ended; undefined: never */
export function startProgram(
  task: 'run' | 'confirm' | 'tally',
  { enter = [], fence, signal, threads, limitMs }: Omit<RunOptions, 'onSecond'> & { limitMs?: number } = {},
): Started {
  const [command = '', ...args] = [...enter, ...endsWithUs(toolPath('setpriv')), ...(fence?.around ?? []), findTransaction(), task];
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(limitMs !== undefined && { timeout: limitMs }),
    killSignal: 'SIGKILL',
    env: { PATH: process.env.PATH, ...(threads !== undefined && { GOMAXPROCS: `${threads}` }) },
    ...(signal && { signal }),
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => (words = (words + more).slice(-4_000)));
  // Its exit code reports an early end.
  child.stdin.on('error', () => {});
  const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killed) => resolve(killed ?? code));
  });
  return {
    child,
    ended,
    lastWords: () => {
      const last = words.trim().replace(/^transaction: /, '');
      return last ? `: ${last}` : '.';
    },
  };
}
