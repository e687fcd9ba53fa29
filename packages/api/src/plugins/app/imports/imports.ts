// Imports, stored and removed in steps, between which everybody else is answered.
import { setImmediate } from 'node:timers/promises';
import type { HostAnswer } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import type { Caller } from '../../../store/caller.ts';
import type { Store } from '../../../store/store.ts';
import { rowsAtOnce } from './import-commands.ts';
import type { ReadHar } from './read-har.ts';

declare module 'fastify' {
  interface FastifyInstance {
    imports: ReturnType<typeof createImports>;
  }
}

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
        const other = await imports.finish(id, { contentHash, hosts: hosts.size, months: [...months].sort() }, caller);
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
