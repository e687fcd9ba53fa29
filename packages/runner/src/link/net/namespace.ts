// A network namespace without a mount: it lives as long as its holder, a process that always ends with this one.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { endProcess, endsWithUs, run, toolPath } from '../../machine/run.ts';

/** Far longer than the kernel takes to make a namespace. */
const startMs = 60_000;

export class Namespace {
  /** Its purpose in error messages: visit, router, … */
  readonly name: string;
  readonly pid: number;
  readonly #holder: ChildProcess;

  private constructor(name: string, pid: number, holder: ChildProcess) {
    this.name = name;
    this.pid = pid;
    this.#holder = holder;
  }

  /**
   * Makes a namespace with its loopback device up. It, and every device in it, goes when the last process in it ends.
   *
   * @throws Error when this process may not make namespaces
   */
  static async create(name: string): Promise<Namespace> {
    const argv = [...endsWithUs(toolPath('setpriv')), toolPath('unshare'), '--net', '--', toolPath('sleep'), 'infinity'];
    const holder = spawn(argv[0] as string, argv.slice(1), { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let lastWords = '';
    holder.stderr?.on('data', (chunk) => (lastWords += chunk));
    let failed: Error | undefined;
    holder.once('error', (error) => (failed = error));
    const own = readlinkSync('/proc/self/ns/net');
    for (const start = performance.now(); ; ) {
      if (failed !== undefined || holder.exitCode !== null || holder.pid === undefined)
        throw new Error(
          `The ${name} namespace could not be made: ${(failed?.message ?? lastWords.trim()) || 'its process ended at once'}.`,
        );
      // unshare first makes the namespace, then becomes sleep.
      if (isSleeping(holder.pid, own)) break;
      if (performance.now() - start > startMs) {
        holder.kill('SIGKILL');
        throw new Error(`The ${name} namespace was not made within ${startMs} ms.`);
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    holder.unref();
    const namespace = new Namespace(name, holder.pid, holder);
    await namespace.run(['ip', 'link', 'set', 'lo', 'up']);
    return namespace;
  }

  /** Command prefix that starts a program inside. Everything but the network stays as outside. */
  get enter(): string[] {
    return [toolPath('nsenter'), `--net=/proc/${this.pid}/ns/net`, '--'];
  }

  /**
   * Runs a program inside to its end.
   *
   * @returns what it printed
   * @throws Error with its last words when it fails
   */
  async run(argv: readonly string[], input?: string): Promise<string> {
    const [program = '', ...args] = argv;
    return await run([...this.enter, toolPath(program), ...args], input);
  }

  /** Sets a parameter of the namespace, such as net.ipv4.ip_forward. @returns whether it could: /proc/sys is read-only in many containers */
  async sysctl(name: string, value: string): Promise<boolean> {
    try {
      await this.run(['sh', '-c', `echo "$1" > "/proc/sys/$(echo "$2" | tr . /)"`, 'sysctl', value, name]);
      return true;
    } catch {
      return false;
    }
  }

  /** Sets a parameter that a link can't do without. @throws Error that begins with `otherwise`: what happens without it */
  async mustSet(name: string, value: string, otherwise: string): Promise<void> {
    if (await this.sysctl(name, value)) return;
    if ((await this.run(['cat', `/proc/sys/${name.replaceAll('.', '/')}`])).trim() === value) return;
    throw new Error(
      `${otherwise}: ${name} can’t be set to ${value} here. In a container start it with a writable /proc/sys, as docker/README.md says.`,
    );
  }

  /** Ends the holder; the namespace goes with the last process that is still in it. */
  async close(): Promise<void> {
    await endProcess(this.#holder);
  }
}

function isSleeping(pid: number, ownNamespace: string): boolean {
  try {
    return (
      existsSync(`/proc/${pid}/ns/net`) &&
      readlinkSync(`/proc/${pid}/ns/net`) !== ownNamespace &&
      /\/sleep$/.test(readlinkSync(`/proc/${pid}/exe`))
    );
  } catch {
    return false;
  }
}
