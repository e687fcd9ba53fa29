// Adds up a run that another client than the Go program performed, by the Go program: percentiles are the same of all clients.
import { createInterface } from 'node:readline';
import { type Plan, type RunReport, startProgram } from './program.ts';

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
  /** True if it waited for a connection to be opened. */
  opened: boolean;
  status: number;
  error?: string;
  detail?: string;
}

export interface Tally {
  add(requests: readonly RequestLine[]): void;
  /** @returns the summary without what requests don't tell: of connections, packets and costs. @throws Error with the program's words */
  end(): Promise<Pick<RunReport, 'summary' | 'requests'>>;
  /** Ends it without a word. */
  giveUp(): void;
}

export function startTally(plan: Plan): Tally {
  const { child, ended, lastWords } = startProgram('tally', { threads: 1 });
  ended.catch(() => {});
  const write = (value: unknown) => child.stdin.write(`${JSON.stringify(value)}\n`);
  write(plan);
  const requests: string[] = [];
  let summary: RunReport['summary'] | undefined;
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('{"kind":"request"')) requests.push(line);
      else summary = JSON.parse(line) as RunReport['summary'];
    }
  })();
  return {
    add: (lines) => {
      for (const line of lines) write(line);
    },
    end: async () => {
      child.stdin.end();
      const [how] = await Promise.all([ended, reading]);
      if (how !== 0 || summary === undefined) throw new Error(`The requests could not be added up (exit ${how})${lastWords()}`);
      return { summary, requests };
    },
    giveUp: () => void child.kill('SIGKILL'),
  };
}
