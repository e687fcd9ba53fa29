// Adds up a run that another client than the Go program performed, by the Go program: percentiles are the same of all clients.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { toolPath } from '../link/run.ts';
import { endsWithUs } from '../machine/ends-with-us.ts';
import { findTransaction } from './find.ts';
import type { Plan, Told } from './program.ts';

/** A request as the program tells and reads it; times in milliseconds since the run's begin. */
export interface RequestLine {
  user: number;
  due: number;
  sent: number;
  firstByte: number;
  end: number;
  /** When whoever asked had the last byte, where that is later. */
  handed: number;
  bytesSent: number;
  bytesReceived: number;
  /** Number of its connection; 0: not known. */
  connection: number;
  /** Whether it waited for a connection to be opened. */
  opened: boolean;
  status: number;
  error?: string;
  detail?: string;
}

export interface Tally {
  add(requests: readonly RequestLine[]): void;
  /** @returns the summary without what requests don't tell: of connections, packets and costs. @throws Error with the program's words */
  end(): Promise<Pick<Told, 'summary' | 'requests'>>;
  /** Ends it without a word. */
  giveUp(): void;
}

export function startTally(plan: Plan): Tally {
  const [command = '', ...args] = [...endsWithUs(toolPath('setpriv')), findTransaction(), 'tally'];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { PATH: process.env.PATH, GOMAXPROCS: '1' } });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4_000)));
  // One that ended early is told by its exit.
  child.stdin.on('error', () => {});
  const write = (value: unknown) => child.stdin.write(`${JSON.stringify(value)}\n`);
  write(plan);
  const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  ended.catch(() => {});
  const requests: string[] = [];
  let summary: Told['summary'] | undefined;
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('{"kind":"request"')) requests.push(line);
      else summary = JSON.parse(line) as Told['summary'];
    }
  })();
  return {
    add: (lines) => {
      for (const line of lines) write(line);
    },
    end: async () => {
      child.stdin.end();
      const [how] = await Promise.all([ended, reading]);
      if (how !== 0 || summary === undefined)
        throw new Error(`The requests could not be added up (exit ${how}): ${said.trim().replace(/^transaction: /, '')}`);
      return { summary, requests };
    },
    giveUp: () => void child.kill('SIGKILL'),
  };
}
