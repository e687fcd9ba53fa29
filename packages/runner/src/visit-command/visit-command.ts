// The operator's command, each run of which performs one visit, in a container or elsewhere.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Capabilities } from '@pronghorn/core/schemas';
import { maxStepsMs } from '../gather/take-steps.ts';
import type { LinkChoice } from '../link/backends.ts';
import type { Fencing } from '../link/fence/fence.ts';
import { pagesBefore, VisitorError } from '../visitor/load-visitor.ts';
import { type Answer, type AnswerOf, type Request, readAnswer, requestLine } from './wire.ts';

/** Time for starting and removing a container, on a machine that is busy with it. */
const startMs = 120_000;
/** The slowest condition's proof: ten seconds of loss, then rates of both directions. */
const proofMs = 120_000;
/** Covers a page of hundreds of hosts without answers: 10 s for each of three tries, four at once. */
const discoveryMs = 2_700_000;

export class VisitCommand {
  readonly #command: string;
  readonly #stop = new AbortController();
  #turn: Promise<unknown> = Promise.resolve();

  /** @param command for the shell */
  constructor(command: string) {
    this.#command = command;
  }

  /**
   * Runs the command for one request; requests wait for each other, so that no two containers are at work.
   *
   * @throws VisitorError when what the page needs first can't be had there
   * @throws Error when the command fails, is too slow, or reports a failure inside
   */
  ask(request: Extract<Request, { ask: 'capabilities' }>): Promise<AnswerOf<'capabilities'>>;
  ask(request: Extract<Request, { ask: 'proof' }>): Promise<AnswerOf<'proof'>>;
  ask(request: Extract<Request, { ask: 'discovery' }>): Promise<AnswerOf<'discovery'>>;
  ask(request: Extract<Request, { ask: 'steps' }>): Promise<AnswerOf<'steps'>>;
  ask(request: Extract<Request, { ask: 'load' }>): Promise<AnswerOf<'loaded' | 'link-off'>>;
  ask(request: Request): Promise<Answer> {
    const answer = this.#turn.then(() => this.#run(request));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  /** Ends running commands and starts no more. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('The runner was stopped.'));
    await this.#turn;
  }

  async #run(request: Request): Promise<Answer> {
    const { signal } = this.#stop;
    const answer = readAnswer(await runCommand(this.#command, requestLine(request), { timeoutMs: timeoutOf(request), signal }));
    if (answer.kind === 'failed') throw answer.reason === undefined ? new Error(answer.why) : new VisitorError(answer.reason, answer.why);
    const fitting = request.ask === 'load' ? ['loaded', 'link-off'] : [request.ask];
    if (!fitting.includes(answer.kind)) throw new Error(`The visit command answered ${answer.kind} to a request for ${request.ask}.`);
    return answer;
  }
}

/** @throws Error when the command fails, or what it leads to can't measure: with the reason */
export async function surveyVisitCommand(command: string, choice: LinkChoice, fencing: Fencing): Promise<Capabilities> {
  return (await new VisitCommand(command).ask({ ask: 'capabilities', choice, fencing })).capabilities;
}

/** Milliseconds without an answer after which something hangs. */
export function timeoutOf(request: Request): number {
  switch (request.ask) {
    case 'capabilities':
      return startMs;
    case 'proof':
      return startMs + proofMs;
    case 'discovery':
      return startMs + discoveryMs;
    case 'steps':
      return startMs + maxStepsMs(request.load.visitor?.visitor.steps ?? []) + 30_000;
    case 'load': {
      const { limits } = request.load;
      return startMs + (limits.loadTimeoutMs + limits.settleMaxMs + 20_000) * (1 + pagesBefore(request.load).length);
    }
  }
}

// Runs the operator's visit command once: a line to its standard input, which stays open while it is wanted, and all of its output.

/** The longest answer: the evidence of a page of 10,000 requests with a frame for each change is a tenth of it. */
const maxAnswerBytes = 256 * 2 ** 20;
/** Characters of its last words that an error quotes. */
const lastWords = 2_000;
/** Time to clean up after the signal to end. */
const graceMs = 30_000;

interface RunOptions {
  timeoutMs: number;
  signal: AbortSignal;
  maxBytes?: number;
}

/**
 * Runs a command of the shell. It is ended by SIGTERM to all of its processes and the end of its standard input, for what passes on only one
 * of the two; what is left after half a minute is killed. When this process is killed, its standard input ends.
 *
 * @returns what it wrote on standard output, when it has ended
 * @throws Error with its last words when it ended with a fault or without output, was too slow or wrote too much, or was to end
 */
export async function runCommand(
  command: string,
  input: string,
  { timeoutMs, signal, maxBytes = maxAnswerBytes }: RunOptions,
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
      // A process that left the group may hold them open for ever.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    }, graceMs);
  };
  const onStop = () => end('was stopped');
  signal.addEventListener('abort', onStop);
  const slow = setTimeout(() => end(`did not answer within ${Math.round(timeoutMs / 1_000)} s and was ended`), timeoutMs);
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) out.push(chunk);
    else end(`wrote more than ${maxBytes} bytes and was ended`);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-lastWords);
  });
  child.stdin.on('error', () => {}); // one that reads nothing says so by what it answers
  child.stdin.write(input);
  try {
    const [code, by] = await closed;
    // An answer may be cut off by the command's end.
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
