import { randomUUID } from 'node:crypto';
import type { HarImport, HostAnswer } from '@pronghorn/core/schemas';
import { found } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import { assertOwn } from '../access/access.ts';

/** Rows in one transaction: a few milliseconds, after which everybody else comes first. */
export const rowsAtOnce = 500;
/** Longer than any import takes to be stored: what is not whole by then was left by a process that died. */
const abandonedMs = 3_600_000;

type Counted = Pick<HarImport, 'name' | 'creator' | 'pages' | 'requests'> & { contentHash: string };
type Total = { contentHash: string; hosts: number; months: readonly string[] };

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
    finish(id: number, { contentHash, hosts, months }: Total, caller: Caller): number | undefined {
      const other = imports.findByHash(contentHash);
      if (other !== undefined) return other;
      imports.finish(id, contentHash, hosts, months);
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
