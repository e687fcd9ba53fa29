// Talks to a guest through its serial line: one request at a time, each answered by what the command printed and its status.
import { type ChildProcess, spawn } from 'node:child_process';
import { toolPath } from '../run.ts';

/** It takes about a second. */
const startMs = 20_000;
/** A request takes milliseconds. */
const answerMs = 10_000;
/** It goes in a few, when it can. */
const leaveMs = 500;

export class GuestConsole {
  /** Release of the guest's kernel. */
  kernel = '';
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  #heard = '';
  #lastWords = '';
  #gone = false;
  #wake: () => void = () => {};
  #line: Promise<unknown> = Promise.resolve();
  #asked = 0;

  private constructor(argv: readonly string[], folder: string) {
    const [program = '', ...args] = argv;
    // A session of its own: Ctrl-C is for the runner, which closes what it opened.
    this.#process = spawn(toolPath(program), args, { cwd: folder, stdio: 'pipe', detached: true });
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#heard += text;
      this.#wake();
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#lastWords = (this.#lastWords + text).slice(-4_000)));
    this.#process.stdin?.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      const end = (error?: unknown) => {
        if (error instanceof Error) this.#lastWords += error.message;
        this.#gone = true;
        this.#wake();
        resolve();
      };
      this.#process.once('error', end).once('close', () => end());
    });
  }

  /**
   * @param argv starts the guest's kernel
   * @param folder working directory of that
   * @throws Error with its last words when it ends or doesn't get ready
   */
  static async start(argv: readonly string[], folder: string): Promise<GuestConsole> {
    const guest = new GuestConsole(argv, folder);
    try {
      const [, kernel = ''] = await guest.#hear(/^ready (\S+)\r?\n/m, startMs);
      guest.kernel = kernel;
      guest.#hush();
      return guest;
    } catch (error) {
      await guest.close();
      throw error;
    }
  }

  /**
   * Runs a line of shell in the guest.
   *
   * @returns what it printed
   * @throws Error with what it printed when it fails, or when the guest is gone
   */
  async ask(command: string): Promise<string> {
    const turn = this.#line.then(() => this.#exchange(command));
    this.#line = turn.catch(() => {});
    return await turn;
  }

  /** Ends the guest and waits until it is gone. */
  async close(): Promise<void> {
    // Asked to, it ends its processes; killed, it leaves a dead one to the machine's init.
    this.#process.stdin?.write('end busybox poweroff -f\n');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), leaveMs);
    await this.#ended;
    clearTimeout(timer);
  }

  async #exchange(command: string): Promise<string> {
    const mark = `answer${this.#asked++}`;
    this.#heard = '';
    this.#process.stdin?.write(`${mark} ${command}\n`);
    const [, said = '', status] = await this.#hear(new RegExp(`^([^]*?)${mark} end (\\d+)\\r?\\n`), answerMs);
    if (status !== '0') throw new Error(said.trim() || `it ended with status ${status} and said nothing`);
    return said;
  }

  async #hear(pattern: RegExp, withinMs: number): Promise<RegExpMatchArray> {
    const end = performance.now() + withinMs;
    for (;;) {
      const found = this.#heard.match(pattern);
      if (found !== null) return found;
      const left = end - performance.now();
      if (this.#gone) throw new Error(`The link’s guest is gone: ${this.#words() || 'it said nothing'}`);
      if (left <= 0) throw new Error(`The link’s guest did not answer within ${withinMs} ms: ${this.#words()}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** The end of all that it said that was no answer: a kernel that panics says why to standard output. */
  #words(): string {
    return `${this.#lastWords}${this.#heard}`.trim().slice(-2_000);
  }

  /** It alone doesn't keep this process from ending; the kernel ends it with us. */
  #hush(): void {
    this.#process.unref();
    for (const pipe of [this.#process.stdin, this.#process.stdout, this.#process.stderr])
      if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  }
}
