// One end of a probe as the runner sees it: a process in a namespace that answers requests.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endProcess, endsWithUs, toolPath } from '../../machine/run.ts';
import type { Namespace } from '../net/namespace.ts';
import type { Reply, Request, Target, Task, Tasks } from './messages.ts';

const program = fileURLToPath(new URL('probe-process.ts', import.meta.url));

interface Pending {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

export class ProbeEnd {
  readonly name: string;
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #lastWords = '';
  #ended: string | undefined;

  /** Starts the process; it always dies with this one: by the kernel's signal, and by the end of its channel. */
  constructor(name: string, namespace: Namespace, address: string, priority: readonly string[]) {
    this.name = name;
    this.address = address;
    const argv = [...priority, ...namespace.enter, ...endsWithUs(toolPath('setpriv')), process.execPath, program];
    this.#child = spawn(argv[0] as string, argv.slice(1), {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1' },
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#lastWords = (this.#lastWords + text).slice(-2_000)));
    this.#child.on('message', (reply: Reply) => {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if ('error' in reply) pending?.reject(new Error(`The probe’s ${this.name} end: ${reply.error}.`));
      else pending?.resolve(reply.answer);
    });
    this.#child.once('error', (error) => this.#fail(error.message));
    this.#child.once('close', (code, signal) => this.#fail(this.#lastWords.trim() || `${signal ?? `exit code ${code}`}`));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Has a task done.
   *
   * @param withinMs how long its answer may take, by what is asked; the process is ended when it doesn't come
   * @throws Error with the end's own words, when it has ended, and when the time is over
   */
  async ask<K extends Task>(task: K, ask: Tasks[K]['asks'], withinMs = 10_000): Promise<Tasks[K]['answers']> {
    if (this.#ended !== undefined) throw new Error(this.#ended);
    const id = ++this.#lastId;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Tasks[K]['answers']>((resolve, reject) => {
        this.#pending.set(id, { resolve: (answer) => resolve(answer as Tasks[K]['answers']), reject });
        timer = setTimeout(() => {
          this.#fail(`it did not answer ${task} within ${Math.round(withinMs)} ms`);
          this.#child.kill('SIGKILL');
        }, withinMs);
        // A failed write means that it is gone: 'close' has the reason.
        this.#child.send({ id, task, ask } as Request, () => {});
      });
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  async close(): Promise<void> {
    this.#fail('it was closed');
    await endProcess(this.#child);
  }

  #fail(why: string): void {
    this.#ended ??= `The probe’s ${this.name} end is gone: ${why}. Open the probe again.`;
    for (const { reject } of this.#pending.values()) reject(new Error(this.#ended));
    this.#pending.clear();
  }
}

export const between = (from: ProbeEnd, to: ProbeEnd, port: number): Target => ({ from: from.address, to: to.address, port });
