// The operator's command that performs one visit each time it is run, in a container or wherever else it leads.
import type { Capabilities } from '@pronghorn/core/schemas';
import type { LinkChoice } from '../link/backends.ts';
import type { Fencing } from '../link/fence/fence.ts';
import { pagesBefore } from '../visitor/pages-before.ts';
import { longestStepsMs } from '../visitor/take-steps.ts';
import { VisitorError } from '../visitor/visitor-error.ts';
import { runCommand } from './run-command.ts';
import { type Answer, type Request, readAnswer, requestLine, type Told } from './wire.ts';

/** For a container to start and to be removed, on a machine that is busy with it. */
const startMs = 120_000;
/** The slowest condition's proof: ten seconds of loss, then rates of both directions. */
const proofMs = 120_000;
/** A page of hundreds of hosts, each of which answers nothing: 10 s for each of three tries, four at once. */
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
   * @throws Error when the command fails, is too slow, or tells of a failure inside
   */
  ask(request: Extract<Request, { ask: 'capabilities' }>): Promise<Told<'capabilities'>>;
  ask(request: Extract<Request, { ask: 'proof' }>): Promise<Told<'proof'>>;
  ask(request: Extract<Request, { ask: 'discovery' }>): Promise<Told<'discovery'>>;
  ask(request: Extract<Request, { ask: 'steps' }>): Promise<Told<'steps'>>;
  ask(request: Extract<Request, { ask: 'load' }>): Promise<Told<'loaded' | 'link-off'>>;
  ask(request: Request): Promise<Answer> {
    const answer = this.#turn.then(() => this.#run(request));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  /** Ends what runs; nothing is run any more. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('The runner was told to stop.'));
    await this.#turn;
  }

  async #run(request: Request): Promise<Answer> {
    const { signal } = this.#stop;
    const answer = readAnswer(await runCommand(this.#command, requestLine(request), { atMostMs: patienceMs(request), signal }));
    if (answer.told === 'failed') throw answer.reason === undefined ? new Error(answer.why) : new VisitorError(answer.reason, answer.why);
    const fitting = request.ask === 'load' ? ['loaded', 'link-off'] : [request.ask];
    if (!fitting.includes(answer.told)) throw new Error(`The visit command was asked for ${request.ask} and told ${answer.told}.`);
    return answer;
  }
}

/** @throws Error when the command fails, or what it leads to can't measure: with the reason */
export async function surveyVisitCommand(command: string, choice: LinkChoice, fencing: Fencing): Promise<Capabilities> {
  return (await new VisitCommand(command).ask({ ask: 'capabilities', choice, fencing })).capabilities;
}

/** After so long without an answer something hangs, milliseconds. */
export function patienceMs(request: Request): number {
  switch (request.ask) {
    case 'capabilities':
      return startMs;
    case 'proof':
      return startMs + proofMs;
    case 'discovery':
      return startMs + discoveryMs;
    case 'steps':
      return startMs + longestStepsMs(request.load.visitor?.visitor.steps ?? []) + 30_000;
    case 'load': {
      const { limits } = request.load;
      return startMs + (limits.loadTimeoutMs + limits.settleMaxMs + 20_000) * (1 + pagesBefore(request.load).length);
    }
  }
}
