// Runs the operator's visit command once: a line to its standard input, which stays open while it is wanted, and all of its output.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The longest answer: the evidence of a page of 10,000 requests with a frame for each change is a tenth of it. */
const longestBytes = 256 * 2 ** 20;
/** Of what it says beside, the last so many characters are told when it fails. */
const lastWords = 2_000;
/** What is told to end has so long to leave nothing behind. */
const graceMs = 30_000;

export interface RunOptions {
  /** Milliseconds until it is ended. */
  atMostMs: number;
  /** Ends it. */
  signal: AbortSignal;
  mostBytes?: number;
}

/**
 * Runs a command of the shell. It is ended by SIGTERM to all of its processes and the end of its standard input, for what passes on only one
 * of the two; whoever is left after half a minute is killed. When this process is killed, its standard input ends.
 *
 * @returns what it wrote on standard output, when it has ended
 * @throws Error with its last words when it ended with a fault or without output, was too slow or wrote too much, or was to end
 */
export async function runCommand(
  command: string,
  input: string,
  { atMostMs, signal, mostBytes = longestBytes }: RunOptions,
): Promise<string> {
  signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', command], { stdio: 'pipe', detached: true });
  const closed = once(child, 'close');
  const out: Buffer[] = [];
  let bytes = 0;
  let words = '';
  let fault: string | undefined;
  let killing: NodeJS.Timeout | undefined;
  const end = (why: string) => {
    if (fault !== undefined) return;
    fault = why;
    child.stdin.end();
    signalAll(child.pid, 'SIGTERM');
    killing = setTimeout(() => {
      signalAll(child.pid, 'SIGKILL');
      // Whoever left the group may hold them open for ever.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    }, graceMs);
  };
  const onStop = () => end('was told to stop');
  signal.addEventListener('abort', onStop);
  const slow = setTimeout(() => end(`did not answer within ${Math.round(atMostMs / 1_000)} s and was ended`), atMostMs);
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostBytes) out.push(chunk);
    else end(`wrote more than ${mostBytes} bytes and was ended`);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-lastWords);
  });
  child.stdin.on('error', () => {}); // one that reads nothing says so by what it answers
  child.stdin.write(input);
  try {
    const [code, by] = await closed;
    // An answer may be cut off by what ended it.
    if (fault === undefined && (bytes === 0 || code !== 0))
      fault = `ended ${by === null ? `with exit code ${code}` : `by ${by}`}${bytes === 0 ? ' and without an answer' : ''}`;
  } finally {
    clearTimeout(slow);
    clearTimeout(killing);
    signal.removeEventListener('abort', onStop);
    child.stdin.destroy();
  }
  if (fault === undefined) return Buffer.concat(out).toString('utf8');
  throw new Error(`The visit command ${fault}.${words.trim() === '' ? '' : ` It said: ${words.trim()}`}`);
}

/** The shell may stand between us and the program: its group has both. */
function signalAll(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of them have ended.
  }
}
