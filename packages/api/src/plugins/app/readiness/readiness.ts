// Whether this process can do its work now: what a load balancer asks before it sends requests, and an operator when something is wrong.
import { randomUUID } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Readiness } from '@pronghorn/core/schemas';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { readMigrations } from '../../../storage/migrate.ts';
import { doubtWords } from '../clock/clock.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readiness: { check(): Promise<Readiness> };
  }
}

export type ReadinessOptions = {
  /** With less room than this on the disk, uploads are about to fail. */
  minFreeBytes: number;
};

/** Whoever asks more often gets the answer of before: the question costs a write. */
const freshMs = 1_000;
/** Who waits so long for the database's lock is not ready. */
const lockedMs = 1_000;

type Options = { evidenceDirectory: string } & ReadinessOptions;

function createReadiness({ store: { clock, service }, now }: FastifyInstance, { evidenceDirectory, minFreeBytes }: Options) {
  const newest = readMigrations().at(-1)?.version ?? 0;

  const checks: Record<Readiness['checks'][number]['name'], () => Promise<string | { warning: string }>> = {
    async database() {
      const waited = Symbol('waited');
      const touched = service.touch();
      touched.catch(() => {}); // it may fail after nobody waits for it any more
      if ((await Promise.race([touched, delay(lockedMs, waited, { ref: false })])) !== waited) return 'writable';
      throw new Error(
        `another process has held it for ${lockedMs / 1000} s; changes wait until it lets go. End that process if it does not.`,
      );
    },
    async schema() {
      const found = await service.schemaVersion();
      if (found === newest) return `version ${found}`;
      throw new Error(`version ${found}, and this process knows ${newest}: a newer Pronghorn uses the database. Update this one.`);
    },
    async disk() {
      const { bavail, bsize } = await statfs(evidenceDirectory);
      const words = `${room(bavail * bsize)} are free`;
      if (bavail * bsize >= minFreeBytes) return words;
      throw new Error(`${words}; at least ${room(minFreeBytes)} are expected. Free some space, or keep less (retention).`);
    },
    /** Ready all the same: what is doubted removes nothing, and measures. */
    async clock() {
      const doubt = await clock.doubt();
      return doubt === null ? 'is believed' : { warning: doubtWords(doubt) };
    },
    async evidence() {
      const file = join(evidenceDirectory, 'incoming', `ready-${randomUUID()}`);
      try {
        await writeFile(file, '');
      } finally {
        await rm(file, { force: true });
      }
      return 'writable';
    },
  };

  async function look(): Promise<Readiness> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          const found = await check();
          const detail = typeof found === 'string' ? { detail: found } : { detail: found.warning, isWarning: true };
          return { name: name as keyof typeof checks, ok: true, ...detail };
        } catch (error) {
          return { name: name as keyof typeof checks, ok: false, detail: (error as Error).message };
        }
      }),
    );
    return { status: results.every(({ ok }) => ok) ? 'ready' : 'not-ready', checks: results };
  }

  let last: { at: number; answer: Promise<Readiness> } | undefined;
  return {
    /** Each check with what it found. Never throws. */
    check(): Promise<Readiness> {
      if (last === undefined || now() - last.at >= freshMs || now() < last.at) last = { at: now(), answer: look() };
      return last.answer;
    },
  };
}

const room = (bytes: number) => (bytes < 1e9 ? `${Math.floor(bytes / 1e6)} MB` : `${Number((bytes / 1e9).toPrecision(2))} GB`);

export default fp<Options>(async (app, options) => {
  app.decorate('readiness', createReadiness(app, options));
});
