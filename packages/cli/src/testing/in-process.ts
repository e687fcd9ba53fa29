// The command line in this process: what it prints, and the exit code that it would end with. A start of its own costs seconds of CPU time.
import { AsyncLocalStorage } from 'node:async_hooks';
import { commandLine } from '../program/command-line.ts';

export interface Ended {
  /** null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Call {
  stdout: string;
  stderr: string;
  environment: NodeJS.ProcessEnv;
}

/** Whatever one call causes is its own, also while others run beside it, and so is what the test runner prints between. */
const calls = new AsyncLocalStorage<Call>();

for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
  stream.write = (chunk: string | Uint8Array, ...given: unknown[]): boolean => {
    const call = calls.getStore();
    // Bytes are the test runner's report of an error that nobody caught.
    if (call === undefined || typeof chunk !== 'string') return write(chunk, ...given);
    call[name] += chunk;
    const written = given.at(-1);
    if (typeof written === 'function') process.nextTick(written as () => void);
    return true;
  };
}

const { env } = process;
Object.defineProperty(process, 'env', { get: () => calls.getStore()?.environment ?? env });

/** Runs the command line to its end. Signals don't reach it. */
export async function runHere(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ended> {
  const call: Call = { stdout: '', stderr: '', environment };
  const before = signals.map((signal) => process.listeners(signal));
  try {
    const code = await calls.run(call, () => commandLine(words));
    return { code, stdout: call.stdout, stderr: call.stderr };
  } finally {
    // Its process would have ended with them; this one must still end by a signal.
    for (const [index, signal] of signals.entries())
      for (const added of process.listeners(signal)) if (!before[index]?.includes(added)) process.off(signal, added);
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
