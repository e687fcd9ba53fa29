// The service as a process of its own, on a new folder: its memory, CPU time and event loop are its own. Benches use it over HTTP.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiOptions } from '../../packages/api/src/index.ts';
import { type MadeCampaigns, makeDatabase } from '../../packages/api/src/testing/made-database.ts';
import { Client } from '../../packages/core/src/client/index.ts';
import type { Lease, VisitUpload } from '../../packages/core/src/schemas/index.ts';

type RetentionPolicy = NonNullable<ApiOptions['retention']>;

/** Requests to the process that its API does not have. */
export type ServiceOrder = { aheadMs: number } | { retention: RetentionPolicy };

export class Service implements AsyncDisposable {
  readonly url: string;
  readonly client: Client;
  readonly database: string;
  /** Ids of the campaigns that the database was created with. */
  readonly madeIds: readonly string[];
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(url: string, folder: string, madeIds: readonly string[], child: ChildProcess) {
    this.url = url;
    this.client = new Client({ service: url, token: null, timeoutMs: 600_000 });
    this.database = databaseIn(folder);
    this.madeIds = madeIds;
    this.#folder = folder;
    this.#process = child;
  }

  /**
   * @param made campaigns that the database has at the start, or what makes it, and returns their ids
   * @param webRoot the dashboard, at /
   */
  static async start(made: readonly MadeCampaigns[] | ((file: string) => string[]) = [], webRoot?: string): Promise<Service> {
    const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
    const make = (parts: readonly MadeCampaigns[]) => (parts.length === 0 ? [] : makeDatabase(databaseIn(folder), parts));
    const madeIds = typeof made === 'function' ? made(databaseIn(folder)) : make(made);
    const paths = [databaseIn(folder), join(folder, 'evidence'), ...(webRoot === undefined ? [] : [webRoot])];
    const child = fork(join(import.meta.dirname, 'service-process.ts'), paths);
    const [url] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`The service ended with ${code}.`))),
    ])) as [string];
    return new Service(url, folder, madeIds, child);
  }

  async order(order: ServiceOrder): Promise<unknown> {
    const answer = once(this.#process, 'message');
    this.#process.send(order);
    return (await answer)[0];
  }

  /** Leases the next round, which must be there. */
  async lease(): Promise<Lease> {
    const { body: lease } = await this.client.ask('POST /leases', { body: { runner: 'bench' } });
    if (lease === null) throw new Error('The queue is empty.');
    return lease;
  }

  async upload(lease: Lease, visit: VisitUpload): Promise<void> {
    await this.client.ask('PUT /leases/{id}/visits/{visitId}', { id: lease.id, visitId: visit.id, body: visit });
  }

  async complete({ id }: Lease): Promise<void> {
    await this.client.ask('POST /leases/{id}/complete', { id });
  }

  /** By proc_pid_status(5). */
  memoryBytes(): number {
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.#process.pid}/status`, 'utf8'))?.[1]);
  }

  /** CPU time of all threads, by proc_pid_stat(5). */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.#process.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /** Bytes of all files in its folder except evidence. */
  storedBytes(): number {
    return readdirSync(this.#folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { name }) => sum + statSync(join(this.#folder, name)).size, 0);
  }

  /** Ends the process; its folder stays until this is disposed. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true });
  }
}

const databaseIn = (folder: string) => join(folder, 'pronghorn.db');
