// An api and runners as processes on one machine, for tests that end them in every possible way.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Answer, allItems, Client, type Given, type Route } from '@pronghorn/core/client';
import type { Campaign, CampaignRequest } from '@pronghorn/core/schemas';
import { quickLimits } from '../command.ts';

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
  ended: Promise<void>;
  kill(): Promise<void>;
}

type How = { onLine?: (line: string) => void; env?: Record<string, string>; enter?: readonly string[] };

/** @param enter prefix of the command */
function speak(script: string, args: string[], { onLine = () => {}, env = {}, enter = [] }: How): Speaking {
  const [program = '', ...all] = [...enter, process.execPath, script, ...args];
  const child = spawn(program, all, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  const lines: string[] = [];
  let looked = 0;
  let wake = () => {};
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    onLine(line);
    wake();
  });
  let over = false;
  const ended = once(child, 'close').then(() => {
    over = true;
    wake();
  });
  return {
    child,
    lines,
    ended,
    async says(what) {
      for (;;) {
        const at = lines.findIndex((line, index) => index >= looked && what.test(line));
        if (at >= 0) {
          looked = at + 1;
          return lines[at] ?? '';
        }
        if (over) throw new Error(`The process ended without saying ${what}. It said: ${lines.slice(-20).join('\n')}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
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
  t.after(async () => {
    await Promise.all([...running].map((one) => one.kill()));
    rmSync(folder, { recursive: true, force: true });
  });
  const database = join(folder, 'pronghorn.db');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const keep = (one: Speaking) => {
    running.add(one);
    void one.ended.then(() => running.delete(one));
    return one;
  };
  const client = new Client({ service: url, token: null, timeoutMs: 30_000 });
  const ask = async <R extends Route>(route: R, given: Given<R>): Promise<Answer<R>['body']> => (await client.ask(route, given)).body;
  return {
    folder,
    database,
    port,
    url,
    client,
    ask,
    startApi: async () => {
      const api = keep(speak(apiScript, [database, join(folder, 'evidence'), String(port)], {}));
      await api.says(/^listens/);
      return api;
    },
    startRunner: (
      name: string,
      { apiUrl = url, args = [], ...how }: { apiUrl?: string; args?: string[] } & Pick<How, 'env' | 'enter'> = {},
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

/** Below those that the kernel gives to outgoing connections, one of which could take it while the api restarts. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}
