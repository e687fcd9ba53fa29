import type { NotificationEvent, NotificationRequest, NotificationTarget, Page } from '@pronghorn/core/schemas';
import type { Database } from '../../../storage/database.ts';
import { pageOf, type Slice } from '../../../storage/page.ts';

/** Where messages go, with what the API never shows. The secret of Slack's is empty. */
export type StoredTarget = Required<NotificationRequest> & { id: number; secret: string; createdAt: string };

type Row = Omit<StoredTarget, 'events' | 'enabled'> & { events: string; enabled: number };

/** Owns the table notification_targets. */
export type TargetsRepository = ReturnType<typeof createTargetsRepository>;

export function createTargetsRepository(database: Database) {
  const insertTarget = database.prepare(
    `INSERT INTO notification_targets (name, kind, url, events, campaigns, enabled, secret, createdAt)
     VALUES (@name, @kind, @url, @events, @campaigns, @enabled, @secret, @createdAt)`,
  );
  const updateTarget = database.prepare(
    `UPDATE notification_targets SET name = @name, kind = @kind, url = @url, events = @events, campaigns = @campaigns, enabled = @enabled,
       secret = @secret WHERE id = @id`,
  );
  const select = database.prepare<[number], Row>('SELECT * FROM notification_targets WHERE id = ?');
  const selectNamed = database.prepare<[string], { id: number }>('SELECT id FROM notification_targets WHERE name = ?');
  const selectPage = database.prepare<Slice & { name: string | null }, Row>(
    'SELECT * FROM notification_targets WHERE id > coalesce(@cursor, 0) AND (@name IS NULL OR name = @name) ORDER BY id LIMIT @limit + 1',
  );
  const selectEnabled = database.prepare<[], Row>('SELECT * FROM notification_targets WHERE enabled = 1 ORDER BY id');
  const remove = database.prepare<[number]>('DELETE FROM notification_targets WHERE id = ?');

  const columnsOf = (request: Required<NotificationRequest>) => ({
    ...request,
    events: JSON.stringify(request.events),
    enabled: request.enabled ? 1 : 0,
  });

  return {
    insert(request: Required<NotificationRequest>, secret: string, createdAt: string): number {
      return Number(insertTarget.run({ ...columnsOf(request), secret, createdAt }).lastInsertRowid);
    },
    update: (id: number, request: Required<NotificationRequest>, secret: string): void =>
      void updateTarget.run({ ...columnsOf(request), id, secret }),
    /** @returns whether there was one. Its deliveries go with it. */
    delete: (id: number): boolean => remove.run(id).changes === 1,
    find(id: number): StoredTarget | undefined {
      const row = select.get(id);
      return row && toTarget(row);
    },
    idNamed: (name: string): number | undefined => selectNamed.get(name)?.id,
    enabled: (): StoredTarget[] => selectEnabled.all().map(toTarget),
    /** @param name of no other one; null: all. */
    page: (
      { limit, cursor }: Slice,
      name: string | null,
      countsOf: (targetId: number) => Pick<NotificationTarget, 'waiting' | 'givenUp'>,
    ): Page<NotificationTarget> =>
      pageOf(
        selectPage.all({ cursor, limit, name }),
        limit,
        (row) => shown(toTarget(row), countsOf(row.id)),
        (row) => row.id,
      ),
  };
}

const toTarget = ({ events, enabled, ...row }: Row): StoredTarget => ({
  ...row,
  events: JSON.parse(events) as NotificationEvent[],
  enabled: enabled === 1,
});

/** As the API shows it: without its secret, and without the path of its URL, which often is one. */
export function shown(
  { secret, url, id, ...target }: StoredTarget,
  counts: Pick<NotificationTarget, 'waiting' | 'givenUp'>,
): NotificationTarget {
  return { ...target, id: String(id), origin: new URL(url).origin, ...counts };
}
