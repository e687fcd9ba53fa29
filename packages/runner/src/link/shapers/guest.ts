// Shapes in a User-Mode Linux guest, whose kernel has netem where this one has none: it bridges two packet sockets, each on one half of
// a pair of devices whose other half is an end of the link.
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tools } from '../../machine/find.ts';
import { endsWithUs, rightless, run, toolPath } from '../../machine/run.ts';
import { linkDevice } from '../net/addresses.ts';
import { Namespace } from '../net/namespace.ts';
import { pairLines, raise, removeEnds, type Shaper, shaperBy } from './shaper.ts';

/** In the guest: vec0 is the visit's side, so what the visit sends leaves by the far one. */
const devices = { up: 'vec1', down: 'vec0' } as const;

/** User of the guest, with no files and no other processes. */
const guestUid = 47_814;

const folder = () => join(tools(), 'link-guest');
const openSockets = fileURLToPath(new URL('../guest/sockets.pl', import.meta.url));

/** Checks if a guest can be started here. @returns true, or why not and what to do */
export async function canGuest(): Promise<true | string> {
  try {
    accessSync(join(folder(), 'linux'), constants.X_OK);
    accessSync(join(folder(), 'initrd'), constants.R_OK);
  } catch {
    return `there is no guest kernel in ${folder()} (packages/runner/src/link/guest/install.sh ${folder()} brings it, on Debian and amd64)`;
  }
  try {
    for (const program of ['perl', 'ethtool']) toolPath(program);
    return true;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Starts a guest between two namespaces.
 *
 * @throws Error with the guest's last words when it doesn't start
 */
export async function openGuest(near: Namespace, far: Namespace): Promise<Shaper> {
  const can = await canGuest();
  if (can !== true) throw new Error(`The link’s guest can’t be started: ${can}.`);
  const home = await Namespace.create('guest');
  let guest: GuestConsole | undefined;
  const close = async () => {
    await guest?.close();
    await removeEnds(near, far);
    await home.close();
  };
  try {
    const sockets = { near: 'near0', far: 'far0' };
    const up = Object.values(sockets).map((socket) => `link set ${socket} addrgenmode none up`);
    await home.run(['ip', '-batch', '-'], `${[...pairLines(near, far, sockets), ...up].join('\n')}\n`);
    await Promise.all([near, far].map(raise));
    // A packet socket hands over what a device has not done yet: checksums have to be there already.
    await Promise.all([near, far].map((end) => end.run(['ethtool', '-K', linkDevice, 'tx', 'off'])));
    const opening = [toolPath('perl'), openSockets, ...Object.values(sockets)];
    const started = await GuestConsole.start(
      [...home.enter, ...opening, ...(await firstInLine()), ...unprivileged, ...kernelLine],
      folder(),
    );
    guest = started;
    return shaperBy((words) => started.ask(`tc ${plain(words)}`), { backend: 'guest', kernel: started.kernel, devices, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** The guest's shell reads the line: nothing in it may mean something there. */
function plain(line: string): string {
  if (/^[\w .:%,=+-]+$/.test(line)) return line;
  throw new Error(`The line “${line}” is not a command of tc: expected only letters, digits and . : % , = + - _.`);
}

/** Other work of the machine would delay packets. Not every container allows it. */
async function firstInLine(): Promise<string[]> {
  const chrt = ['chrt', '--fifo', '10'];
  return await run([...chrt, 'true']).then(
    () => chrt,
    () => [],
  );
}

/** The guest needs no right at all: what it uses is open already. */
const unprivileged = endsWithUs('setpriv', [...rightless, '--reuid', `${guestUid}`, '--regid', `${guestUid}`, '--clear-groups']);

/** How the guest's kernel is started, in its folder. With 64 MB it comes up without IPv6 every second time, and devices can't be set up. */
export const guestKernel = [
  ...['env', 'LD_LIBRARY_PATH=lib', './linux', 'mem=256M', 'seccomp=on', 'initrd=initrd', 'panic=-1', 'quiet'],
  // It can't write a pid file or a control socket: it leaves nothing behind, and nobody else controls it.
  'uml_dir=/proc/',
  // Its console, with what it says when it can't go on, is standard error; its serial line are the requests and answers.
  ...['console=tty0', 'con=null', 'con0=null,fd:2', 'ssl=null', 'ssl0=fd:0,fd:1'],
] as const;

const kernelLine = [...guestKernel, 'vec0:transport=fd,fd=SOCKET0,depth=64', 'vec1:transport=fd,fd=SOCKET1,depth=64'];

// Talks to a guest through its serial line: one request at a time, each answered by what the command printed and its status.

/** It usually takes a second. */
const startMs = 60_000;
/** A request takes milliseconds. */
const answerMs = 60_000;
/** It usually ends within a few. */
const leaveMs = 500;

export class GuestConsole {
  kernel = '';
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  #received = '';
  #lastWords = '';
  #gone = false;
  #wake: () => void = () => {};
  #line: Promise<unknown> = Promise.resolve();
  #requests = 0;

  private constructor(argv: readonly string[], folder: string) {
    const [program = '', ...args] = argv;
    // Its own session: Ctrl-C is for the runner, which closes what it opened.
    this.#process = spawn(toolPath(program), args, { cwd: folder, stdio: 'pipe', detached: true });
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#received += text;
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
      const [, kernel = ''] = await guest.#receive(/^ready (\S+)\r?\n/m, startMs);
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

  async close(): Promise<void> {
    // Asked to, it ends its processes; killed, it leaves a dead one to the machine's init.
    this.#process.stdin?.write('end busybox poweroff -f\n');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), leaveMs);
    await this.#ended;
    clearTimeout(timer);
  }

  async #exchange(command: string): Promise<string> {
    const mark = `answer${this.#requests++}`;
    this.#received = '';
    this.#process.stdin?.write(`${mark} ${command}\n`);
    const [, output = '', status] = await this.#receive(new RegExp(`^([^]*?)${mark} end (\\d+)\\r?\\n`), answerMs);
    if (status !== '0') throw new Error(output.trim() || `it ended with status ${status} and printed nothing`);
    return output;
  }

  async #receive(pattern: RegExp, withinMs: number): Promise<RegExpMatchArray> {
    const end = performance.now() + withinMs;
    for (;;) {
      const match = this.#received.match(pattern);
      if (match !== null) return match;
      const left = end - performance.now();
      if (this.#gone) throw new Error(`The link’s guest is gone: ${this.#words() || 'it printed nothing'}`);
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

  /** The end of its output that was no answer: a kernel that panics writes the reason to standard output. */
  #words(): string {
    return `${this.#lastWords}${this.#received}`.trim().slice(-2_000);
  }

  /** It doesn't keep this process from ending; the kernel ends it with us. */
  #hush(): void {
    this.#process.unref();
    for (const pipe of [this.#process.stdin, this.#process.stdout, this.#process.stderr])
      if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  }
}
