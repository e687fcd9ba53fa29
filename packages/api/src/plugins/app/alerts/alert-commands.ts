import type { Alert, AlertPage } from '@pronghorn/core/schemas';
import { found } from '../../../shared/problems.ts';
import { rowId, type Slice } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import type { AlertFilter } from '../../../tables/alerts-repository.ts';

export const createAlertReads = ({ alerts }: Pick<Tables, 'alerts'>) => ({
  counts: alerts.counts,
  find: (id: string): Alert | undefined => alerts.find(rowId(id)),
  page: (filter: AlertFilter, slice: Slice): AlertPage => ({ ...alerts.page(filter, slice), open: alerts.countOpen() }),
});

export function alertCommands({ alerts, audit, timeNow }: Pick<Tables, 'alerts' | 'audit' | 'timeNow'>) {
  const known = (id: string): Alert => found(alerts.find(rowId(id)), `alert ${id}`);
  return {
    /** Who was first stays written down. @throws ProblemError not-found. */
    acknowledge(id: string, caller: Caller): void {
      const { title, acknowledgedAt } = known(id);
      if (acknowledgedAt !== null) return;
      alerts.acknowledge(rowId(id), timeNow(), caller.access.name);
      audit.of(caller, 'alert.acknowledge', id, { title });
    },
    /** Takes that back. @throws ProblemError not-found. */
    reopen(id: string, caller: Caller): void {
      const { title, acknowledgedAt } = known(id);
      if (acknowledgedAt === null) return;
      alerts.acknowledge(rowId(id), null, null);
      audit.of(caller, 'alert.reopen', id, { title });
    },
  };
}
