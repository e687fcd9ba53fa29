// Imports, stored and removed in steps, between which everybody else is answered.

import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { HarImport, HostAnswer } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import { found } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Store } from '../../../store/store.ts';
import type { Tables } from '../../../store/tables.ts';
import { assertOwn } from '../access/access.ts';
import type { ReadHar } from './read-har.ts';

declare module 'fastify' {
  interface FastifyInstance {
    imports: ReturnType<typeof createImports>;
  }
}

/** Rows in one transaction: a few milliseconds, after which everybody else comes first. */
const rowsAtOnce = 500;
/** Longer than any import takes to be stored: what is not whole by then was left by a process that died. */
const abandonedMs = 3_600_000;

function createImports({ imports }: Pick<Store, 'imports'>) {
  async function remove(id: number): Promise<void> {
    while (!(await imports.removeSome(id))) await setImmediate();
  }

  return {
    /** @returns 'same' when the same HAR was counted before. */
    async add({ tally, contentHash }: ReadHar, name: string | null, caller: Caller): Promise<{ id: number; stored: 'new' | 'same' }> {
      const { creator, pages, requests } = tally;
      const { id, isSame } = await imports.begin({ contentHash, name, creator, pages, requests }, caller);
      if (isSame) return { id, stored: 'same' };
      try {
        const [hosts, months] = [new Set<string>(), new Set<string>()];
        let some: HostAnswer[] = [];
        for (const answer of tally.answers()) {
          hosts.add(answer.host);
          months.add(answer.month);
          if (some.push(answer) < rowsAtOnce) continue;
          await imports.addAnswers(id, some);
          some = [];
          await setImmediate();
        }
        await imports.addAnswers(id, some);
        const other = await imports.finish(
          id,
          { contentHash, hosts: hosts.size, months: [...months].sort(), leftOut: tally.leftOut },
          caller,
        );
        if (other === undefined) return { id, stored: 'new' };
        await remove(id);
        return { id: other, stored: 'same' };
      } catch (error) {
        await remove(id).catch(() => {}); // or the next start does it
        throw error;
      }
    },

    /** It counts no longer at once; its rows go in steps. @throws as the command `hide`. */
    async delete(id: string, caller: Caller): Promise<void> {
      await imports.hide(id, caller);
      await remove(Number(id));
    },

    /** What processes that died left half-stored, or half-forgotten. */
    async removeAbandoned(): Promise<void> {
      for (const id of await imports.abandoned()) await remove(id);
    },
  };
}

export default fp(async (app) => {
  const imports = createImports(app.store);
  app.decorate('imports', imports);
  app.addHook('onReady', async () => {
    // Beside the start of the service, which it need not wait for.
    imports
      .removeAbandoned()
      .catch((error) => app.database.open && app.log.error({ err: error }, 'an import that was left half-stored could not be removed'));
  });
});

type Counted = Pick<HarImport, 'name' | 'creator' | 'pages' | 'requests'> & { contentHash: string };
type Total = Pick<HarImport, 'hosts' | 'months' | 'leftOut'> & { contentHash: string };

/** An import comes and goes in steps; it counts from the last on, and until the first. Refusals are ProblemErrors. */
export function importCommands({ timeNow, audit, imports }: Tables) {
  return {
    /** @returns isSame: it is that as which the same HAR was counted before. */
    begin({ contentHash, ...counted }: Counted, caller: Caller): { id: number; isSame: boolean } {
      const before = imports.findByHash(contentHash);
      if (before !== undefined) return { id: before, isSame: true };
      const row = { createdAt: timeNow(), createdBy: caller.access.name, ...counted };
      return { id: imports.insert(row, randomUUID()), isSame: false };
    },

    addAnswers: (id: number, answers: readonly HostAnswer[]): void => imports.insertAnswers(id, answers),

    /** @returns another import, when somebody sent the same HAR meanwhile; else undefined. */
    finish(id: number, { contentHash, ...total }: Total, caller: Caller): number | undefined {
      const other = imports.findByHash(contentHash);
      if (other !== undefined) return other;
      imports.finish(id, contentHash, total);
      const { name, pages, requests } = found(imports.find(id), `import ${id}`);
      audit.of(caller, 'import.create', id, { name, pages, requests });
      return undefined;
    },

    /** From now on it counts no longer, and its HAR may be sent anew. @throws ProblemError not-found, forbidden. */
    hide(id: string, caller: Caller): void {
      const { name, createdBy } = found(imports.find(rowId(id)), `import ${id}`);
      assertOwn(caller.access, `Import ${id}`, createdBy);
      imports.hide(rowId(id), randomUUID());
      audit.of(caller, 'import.delete', id, { name });
    },

    /** Removes one that does not count, some of it. @returns whether that was all. */
    removeSome(id: number): boolean {
      if (imports.deleteAnswers(id, rowsAtOnce) === rowsAtOnce) return false;
      imports.delete(id);
      return true;
    },
  };
}

export const createImportReads = ({ now, imports }: Tables) => ({
  find: (id: string): HarImport | undefined => imports.find(rowId(id)),
  page: imports.page,
  /** What processes that died left half-stored, or half-forgotten. */
  abandoned: (): number[] => imports.unfinishedBefore(new Date(now() - abandonedMs).toISOString()),
});
