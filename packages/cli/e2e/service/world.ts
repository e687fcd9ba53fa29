// An api and runners on one machine, for tests that end them in every possible way.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startApi } from '@pronghorn/api';
import { type Answer, allItems, Client, type Given, type Route } from '@pronghorn/core/client';
import type { Campaign, CampaignRequest } from '@pronghorn/core/schemas';
import { quickLimits, until } from '../command.ts';

const script = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const apiScript = script('api-process.ts');
const runnerScript = script('../../../runner/src/testing/stand-in-runner.ts');

/** A process that says things line by line. */
export interface Speaking {
  child: ChildProcess;
  /** All lines so far. */
  lines: string[];
  /** Resolves with the next line that matches. */
  says(what: RegExp): Promise<string>;
  /** Lets a runner that waits before each load make this many. */
  go(loads: number): void;
  ended: Promise<void>;
  kill(): Promise<void>;
}

type How = { onLine?: (line: string) => void; env?: Record<string, string>; enter?: readonly string[] };

/** @param enter prefix of the command */
function speak(script: string, args: string[], { onLine = () => {}, env = {}, enter = [] }: How): Speaking {
  const [program = '', ...all] = [...enter, process.execPath, script, ...args];
  const child = spawn(program, all, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  child.stdin.on('error', () => {}); // it may have been killed before it read all
  const lines: string[] = [];
  let looked = 0;
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    onLine(line);
  });
  let over = false;
  const ended = once(child, 'close').then(() => {
    over = true;
  });
  return {
    child,
    lines,
    ended,
    async says(what) {
      let at = -1;
      const has = () => {
        at = lines.findIndex((line, index) => index >= looked && what.test(line));
        if (at < 0 && over) throw new Error(`The process ended without saying ${what}. It said: ${lines.slice(-20).join('\n')}`);
        return at >= 0;
      };
      await until(has, 120_000, () => `a process to say ${what}; it said: ${lines.slice(-20).join('\n')}`);
      looked = at + 1;
      return lines[at] ?? '';
    },
    go: (loads) => void child.stdin.write('\n'.repeat(loads)),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** @param onLine called with every line of every runner */
export async function openWorld(t: TestContext, onLine: (line: string) => void = () => {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-world-'));
  const running = new Set<Speaking>();
  const serving = new Set<() => Promise<void>>();
  t.after(async () => {
    await Promise.all([...running].map((one) => one.kill()));
    await Promise.all([...serving].map((close) => close()));
    rmSync(folder, { recursive: true, force: true });
  });
  const [database, evidenceDirectory] = [join(folder, 'pronghorn.db'), join(folder, 'evidence')];
  // An address of the loopback that nobody else has: while an api restarts, its port stays free.
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  let port = 0;
  const urlOf = () => `http://${host}:${port}`;
  const clock = { aheadMs: 0 };
  const keep = (one: Speaking) => {
    running.add(one);
    void one.ended.then(() => running.delete(one));
    return one;
  };
  const ask = async <R extends Route>(route: R, given: Given<R>): Promise<Answer<R>['body']> =>
    (await new Client({ service: urlOf(), token: null, timeoutMs: 120_000 }).ask(route, given)).body;
  return {
    folder,
    database,
    /** Of an api in this process: move it to let time pass. */
    clock,
    get port() {
      return port;
    },
    get url() {
      return urlOf();
    },
    ask,
    /** In this process. */
    startApi: async () => {
      const api = await startApi({
        ...{ database, evidenceDirectory, host, port, now: () => Date.now() + clock.aheadMs },
        queue: { idleSeconds: 1 },
      });
      port = Number(new URL(api.url).port);
      const close = async () => {
        if (serving.delete(close)) await api.close();
      };
      serving.add(close);
      return { close };
    },
    /** In one of its own, which can be killed. */
    startApiProcess: async () => {
      const api = keep(speak(apiScript, [database, evidenceDirectory, host, String(port)], {}));
      port = Number(new URL((await api.says(/^listens/)).split(' ')[1] ?? '').port);
      return api;
    },
    startRunner: (
      name: string,
      { apiUrl = urlOf(), args = [], ...how }: { apiUrl?: string; args?: string[] } & Pick<How, 'env' | 'enter'> = {},
    ) => keep(speak(runnerScript, [apiUrl, name, ...args], { onLine, ...how })),
    submit: (rounds: number, given: Partial<CampaignRequest> = {}): Promise<Campaign> => {
      const sites = [{ url: 'https://shop.example/' }];
      return ask('POST /campaigns', { body: { sites, protocols: ['h2', 'h3'], rounds, seed: 7, limits: quickLimits, ...given } });
    },
    campaign: (id = '1') => ask('GET /campaigns/{id}', { id }),
    rounds: (id = '1') => allItems((query) => ask('GET /campaigns/{id}/rounds', { id, query })),
    visits: (id = '1') => allItems((query) => ask('GET /campaigns/{id}/visits', { id, query })),
    runner: async (name: string) => (await allItems((query) => ask('GET /runners', { query }))).find((one) => one.name === name),
  };
}

/** For a runner that waits before each load until the test lets it go on. */
export const stepwise = { STAND_IN_STEPS: 'yes' };

/** Asks again and again until it is so. @throws Error that says what was to come, after two minutes */
export async function untilTrue(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const giveUp = performance.now() + 120_000;
  while (!(await isSo())) {
    if (performance.now() > giveUp) throw new Error(`Waited two minutes for ${what}`);
    await delay(50);
  }
}
