// The engine browsertime, which sitespeed.io and Trevisan et al. measure with. Each visit has its own Chrome, and SpeedIndex from a video.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { evidenceForms } from '@pronghorn/core/schemas';
import { chromeFlags } from '../chrome/flags.ts';
import type { VantagePoint } from '../link/agent-link.ts';
import { throttledMs } from '../machine/cgroups.ts';
import { startCpuGauge } from '../machine/cpu-gauge.ts';
import { describeEnvironment } from '../machine/environment.ts';
import { type BrowsertimePrograms, findBrowsertime } from '../machine/find.ts';
import { processIdentity } from '../machine/processes.ts';
import { endsWithUs, toolPath } from '../machine/run.ts';
import { killProcessesUsing, processesUsing, readWithoutLinks, removeFolder, temporaryFolder } from '../machine/run-folder.ts';
import { cleanEnvironment, rightsOf, unprivilegedUid } from '../machine/unprivileged.ts';
import { browsertimeOptions, hasVideo, type ProgramMessage, type VisitOrder, windowSize } from './browsertime/options.ts';
import { type DemoOrigin, type Engine, type Load, type Loaded, labFor } from './engine.ts';

const program = fileURLToPath(new URL('browsertime/visit-program.ts', import.meta.url));

/** Limit from its start to the navigation: browsertime, a display, chromedriver, Chrome, a recorder. */
const startMs = 60_000;
/** Limit from the end of the load to its evidence: the page's timings, and a video's numbers. */
const readMs = 90_000;
/** Beyond what the limits allow for the load: browsertime's own waits. */
const spareMs = 40_000;
/** Limit until a killed process is gone. */
const goneMs = 3_000;

/**
 * @param lab the demo origin, when there is one; its trust goes only to Chromes that load its pages
 * @param vantagePoint where its Chromes run
 */
export function browsertimeEngine(lab: DemoOrigin | undefined, vantagePoint: VantagePoint): Engine {
  const running = new Set<Visit>();
  let closed = false;
  return {
    load: async (load) => {
      if (closed) throw new Error('The engine was closed.');
      if (load.view === 'warm' || load.visitor !== undefined)
        throw new Error('The engine browsertime makes only first views, without a visitor’s settings.');
      const visit = new Visit(load, lab, vantagePoint);
      running.add(visit);
      try {
        return await visit.perform();
      } finally {
        await visit.end();
        running.delete(visit);
      }
    },
    close: async () => {
      closed = true;
      await Promise.all([...running].map((visit) => visit.end()));
    },
  };
}

class Visit {
  readonly #load: Load;
  readonly #lab: DemoOrigin | undefined;
  readonly #vantagePoint: VantagePoint;
  readonly #asOther = process.getuid?.() === 0;
  #folder: string | undefined;
  #child: ChildProcess | undefined;
  #display: number | undefined;
  #output = '';
  #ended = false;

  constructor(load: Load, lab: DemoOrigin | undefined, vantagePoint: VantagePoint) {
    this.#load = load;
    this.#lab = labFor(load, lab);
    this.#vantagePoint = vantagePoint;
  }

  async perform(): Promise<Loaded> {
    const { protocol, discovery, forced, effectiveConnection = '4g', url, limits, engineOptions } = this.#load;
    const programs = findBrowsertime(hasVideo(engineOptions));
    const sandbox = process.env.PRONGHORN_NO_SANDBOX !== '1';
    const flags = [
      ...chromeFlags({ protocol, discovery, forced, browser: 'chrome', effectiveConnection, pageHints: true, lab: this.#lab?.trust }),
      ...(sandbox ? [] : ['--no-sandbox']),
    ];
    const folder = temporaryFolder('browsertime', this.#asOther ? unprivilegedUid : undefined);
    this.#folder = folder;
    const bin = this.#linkPrograms(folder, programs);
    if (programs.video !== undefined) makeSocketFolder();
    const order: VisitOrder = {
      url,
      limits,
      options: browsertimeOptions({
        ...{ flags, folder, limits, options: engineOptions },
        chrome: join(bin, 'chrome'),
        chromedriver: join(bin, 'chromedriver'),
      }),
      browsertime: programs.package,
      folder,
      owner: this.#asOther ? unprivilegedUid : null,
      display: programs.video === undefined ? null : windowSize(true),
    };
    const { gathered, cpu, throttled } = await this.#run(order, bin);
    const environment = describeEnvironment(
      {
        product: gathered.product,
        executable: programs.chrome,
        flags: gathered.commandLine.filter((flag) => !ofOneVisit.test(flag)),
        sandbox,
        preferences: {},
        driver: { name: 'browsertime', version: programs.version, options: engineOptions ?? {}, viewport: gathered.viewport },
        ...(programs.video === undefined ? {} : { speedIndexFrom: 'video' }),
      },
      this.#vantagePoint.link,
      this.#lab?.settings,
      'process',
    );
    const video = programs.video === undefined ? undefined : readWithoutLinks(join(folder, 'video', '1.mp4'), evidenceForms.video.maxBytes);
    return {
      evidence: { ...gathered.evidence, earlierConnections: [], cpu, throttledMs: throttled },
      environment,
      ...(video === undefined ? {} : { video }),
    };
  }

  /** Ends all that the visit started and takes its files away. Never throws. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      // It ends itself, and lets its display do so; what hangs is killed, and all that it started is tied to it.
      child.stdin?.end();
      await Promise.race([gone, delay(goneMs / 2)]);
      child.kill('SIGKILL');
      await Promise.race([gone, delay(goneMs)]);
    }
    const folder = this.#folder;
    if (folder === undefined) return;
    const deadline = performance.now() + goneMs;
    while (processesUsing(folder).length > 0 && performance.now() < deadline) await delay(20);
    killProcessesUsing(folder);
    if (this.#display !== undefined) forgetDisplay(this.#display);
    try {
      removeFolder(folder);
    } catch {
      // It goes with this process's own folder.
    }
  }

  async #run(
    order: VisitOrder,
    bin: string,
  ): Promise<{
    gathered: Extract<ProgramMessage, { kind: 'gathered' }>;
    cpu: ReturnType<ReturnType<typeof startCpuGauge>>;
    throttled: number;
  }> {
    if (this.#ended) throw new Error('The engine was closed.');
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', program];
    const [command = '', ...args] = [
      ...this.#vantagePoint.enter,
      ...endsWithUs(toolPath('setpriv')),
      ...(this.#vantagePoint.fence?.around ?? []),
      ...node,
    ];
    const { folder } = order;
    const child = spawn(command, args, {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: {
        ...cleanEnvironment(),
        ...{ PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
        ...(process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
      },
    });
    this.#child = child;
    for (const pipe of child.stdio) pipe?.on('error', () => {});
    for (const words of [child.stdout, child.stderr])
      words?.on('data', (chunk) => (this.#output = `${this.#output}${chunk}`.slice(-4_000)));
    child.stdin?.write(`${JSON.stringify(order)}\n`);
    let readCpu = startCpuGauge();
    let throttledBefore = throttledMs();
    let cpu = { ownShare: 0, foreignShare: 0 };
    let throttled = 0;
    return await new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = (act: () => void) => {
        clearTimeout(timer);
        act();
      };
      const fail = (why: string) => settle(() => reject(new Error(`browsertime: ${why}`)));
      const within = (ms: number, what: string) => {
        clearTimeout(timer);
        timer = setTimeout(() => fail(`${what} took longer than ${ms} ms, and was ended.${this.#lastWords()}`), ms);
      };
      within(startMs, 'What comes before the navigation');
      child.once('error', (error) => fail(`its program did not start: ${error.message}`));
      child.once('close', (code, signal) => fail(`its program ended with ${signal ?? code}.${this.#lastWords()}`));
      const onMessage = (message: ProgramMessage) => {
        switch (message.kind) {
          case 'display':
            if (Number.isInteger(message.number)) this.#display = message.number;
            break;
          case 'begun':
            readCpu = startCpuGauge();
            throttledBefore = throttledMs();
            within(order.limits.loadTimeoutMs + order.limits.settleMaxMs + spareMs, 'The load');
            break;
          case 'ended':
            cpu = readCpu();
            throttled = throttledMs() - throttledBefore;
            within(readMs, 'Reading what was measured');
            break;
          case 'gathered':
            settle(() => resolve({ gathered: message, cpu, throttled }));
            break;
          case 'failed':
            fail(`${message.why}.${this.#lastWords()}`);
        }
      };
      createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
        try {
          onMessage(JSON.parse(line) as ProgramMessage);
        } catch (error) {
          fail(`its program sent an invalid answer: ${error}`);
        }
      });
    });
  }

  #lastWords(): string {
    const words = this.#output.trim().split('\n').slice(-3).join(' ');
    return words === '' ? '' : ` Its last words: ${words}`;
  }

  /**
   * Programs that browsertime finds by their names, each tied to what starts it: whatever ends this process ends them, one after the other. The
   * one for Chrome notes its arguments, which chromedriver and browsertime add to.
   */
  #linkPrograms(folder: string, { chrome, chromedriver, video }: BrowsertimePrograms): string {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    // No process may gain privileges, unless a setuid helper has to make Chrome's sandbox.
    const rights = this.#asOther && rightsOf(chrome).length > 0 ? ['--no-new-privs'] : [];
    const tied = [toolPath('setpriv'), ...rights, '--pdeathsig', 'KILL', '--'];
    const link = (name: string, path: string, before = '') =>
      writeFileSync(join(bin, name), `#!/bin/sh\n${before}exec ${quoted([...tied, path])} "$@"\n`, { mode: 0o755 });
    link('chrome', chrome, `printf '%s\\0' "$@" > ${quoted([join(folder, 'chrome.flags')])}\n`);
    link('chromedriver', chromedriver);
    if (video === undefined) return bin;
    link('Xvfb', video.xvfb);
    link('ffmpeg', video.ffmpeg);
    link('python3', video.python);
    return bin;
  }
}

/** Takes away what an X server leaves that was killed; not that of another one which has the number since. */
function forgetDisplay(number: number): void {
  const lock = `/tmp/.X${number}-lock`;
  try {
    if (processIdentity(Number(readFileSync(lock, 'utf8'))) !== undefined) return;
    for (const path of [lock, `/tmp/.X11-unix/X${number}`]) rmSync(path, { force: true });
  } catch {
    // It removed them itself.
  }
}

/** Where X servers of all users have their sockets: only root can make it correctly. */
function makeSocketFolder(): void {
  const path = '/tmp/.X11-unix';
  if (existsSync(path)) return;
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o1777);
}

/** Flags that differ from visit to visit: no part of an environment. */
const ofOneVisit = /^(--user-data-dir=|--remote-debugging-port=|data:)/;

const quoted = (words: readonly string[]): string => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
