import type { Delivery, DeliveryState, NotificationEvent, NotificationRequest, NotificationTarget, Page } from '@pronghorn/core/schemas';
import type { MessageContent } from '../plugins/app/notifications/notifications.ts';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';

type Row = {
  seq: number;
  id: string;
  targetId: number;
  event: Delivery['event'];
  campaignId: number | null;
  scheduleId: number | null;
  content: string | null;
  createdAt: string;
  state: DeliveryState;
  attempts: number;
  nextAttemptAt: number | null;
  deliveredAt: string | null;
  lastError: string | null;
};

/** A delivery that this process took on. `attempts` counts the try that is to come. */
export type Claimed = Pick<Row, 'id' | 'targetId' | 'event' | 'campaignId' | 'scheduleId' | 'createdAt' | 'attempts'> & {
  content: MessageContent | null;
};

/** Owns the table notification_deliveries. */
export type DeliveriesRepository = ReturnType<typeof createDeliveriesRepository>;

export function createDeliveriesRepository(database: Database) {
  const insertDelivery = database.prepare(
    `INSERT INTO notification_deliveries (id, targetId, event, campaignId, scheduleId, content, createdAt, nextAttemptAt)
     VALUES (@id, @targetId, @event, @campaignId, @scheduleId, @content, @createdAt, @nextAttemptAt)`,
  );
  // One statement: no other process can claim it between the look and the update.
  const claimNext = database.prepare<{ now: number; until: number }, Row>(
    `UPDATE notification_deliveries SET nextAttemptAt = @until, attempts = attempts + 1
     WHERE seq = (
       SELECT deliveries.seq FROM notification_deliveries AS deliveries JOIN notification_targets ON notification_targets.id = targetId
       WHERE state = 'waiting' AND nextAttemptAt <= @now AND enabled = 1 ORDER BY nextAttemptAt, deliveries.seq LIMIT 1)
     RETURNING *`,
  );
  const updateBeyond = database.prepare<{ beyond: number; now: number }>(
    `UPDATE notification_deliveries SET nextAttemptAt = @now WHERE state = 'waiting' AND nextAttemptAt > @beyond`,
  );
  const updateContent = database.prepare<{ id: string; attempts: number; content: string; until: number }>(
    `UPDATE notification_deliveries SET content = @content, nextAttemptAt = @until
     WHERE id = @id AND attempts = @attempts AND state = 'waiting'`,
  );
  const updateDelivered = database.prepare<[string, string]>(
    `UPDATE notification_deliveries SET state = 'delivered', nextAttemptAt = NULL, lastError = NULL, deliveredAt = ? WHERE id = ?`,
  );
  // Not one that another process delivered meanwhile.
  const updateFailed = database.prepare<{ id: string; attempts: number; nextAttemptAt: number | null; lastError: string }>(
    `UPDATE notification_deliveries
     SET state = iif(@nextAttemptAt IS NULL, 'given-up', 'waiting'), nextAttemptAt = @nextAttemptAt, lastError = @lastError
     WHERE id = @id AND attempts = @attempts AND state = 'waiting'`,
  );
  const removeOld = database.prepare<[string]>(`DELETE FROM notification_deliveries WHERE state <> 'waiting' AND createdAt < ?`);
  const selectEarliest = database.prepare<[], { at: number | null }>(
    `SELECT min(nextAttemptAt) AS at FROM notification_deliveries JOIN notification_targets ON notification_targets.id = targetId
     WHERE state = 'waiting' AND enabled = 1`,
  );
  const selectPage = database.prepare<{ targetId: number; cursor: number | null; limit: number }, Row>(
    `SELECT * FROM notification_deliveries WHERE targetId = @targetId AND (@cursor IS NULL OR seq < @cursor)
     ORDER BY seq DESC LIMIT @limit + 1`,
  );
  const selectCounts = database.prepare<[number], { waiting: number; givenUp: number }>(
    `SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'given-up') AS givenUp
     FROM notification_deliveries WHERE targetId = ?`,
  );
  const select = database.prepare<[string], Row>('SELECT * FROM notification_deliveries WHERE id = ?');

  return {
    /** @param delivery.createdAt milliseconds since 1970; its first try is due at once. */
    insert({ content, createdAt, ...row }: Omit<Claimed, 'attempts' | 'createdAt'> & { createdAt: number }): void {
      insertDelivery.run({
        ...row,
        content: content === null ? null : JSON.stringify(content),
        createdAt: new Date(createdAt).toISOString(),
        nextAttemptAt: createdAt,
      });
    },

    /**
     * Takes on the delivery that waits longest.
     * @param until from when on another process may take it over, milliseconds since 1970.
     */
    claim(now: number, until: number): Claimed | undefined {
      const row = claimNext.get({ now, until });
      if (row === undefined) return undefined;
      const { id, targetId, event, campaignId, scheduleId, createdAt, attempts, content } = row;
      const parsed = content === null ? null : (JSON.parse(content) as MessageContent);
      return { id, targetId, event, campaignId, scheduleId, createdAt, attempts, content: parsed };
    },
    /** Makes due what waits for a time after `beyond`. */
    hasten: (beyond: number, now: number): void => void updateBeyond.run({ beyond, now }),
    /** Forgets what was delivered or given up and happened before a time, milliseconds since 1970. */
    forgetBefore: (time: number): void => void removeOld.run(new Date(time).toISOString()),
    /**
     * Of one that was claimed; making it may have taken long.
     * @param until as of `claim`, anew. @returns whether it is still this claim's to send.
     */
    setContent: ({ id, attempts }: Claimed, content: MessageContent, until: number): boolean =>
      updateContent.run({ id, attempts, content: JSON.stringify(content), until }).changes === 1,
    setDelivered: (id: string, at: string): void => void updateDelivered.run(at, id),
    /** @param attempts of the claim; a later claim's outcome stands. @param nextAttemptAt null: it is given up. */
    setFailed: (id: string, attempts: number, nextAttemptAt: number | null, lastError: string): void =>
      void updateFailed.run({ id, attempts, nextAttemptAt, lastError }),

    /** Of the next try of any; null: none waits. */
    earliest: (): number | null => selectEarliest.get()?.at ?? null,
    /** Newest first. */
    page: (targetId: number, { limit, cursor }: Slice): Page<Delivery> =>
      pageOf(selectPage.all({ targetId, cursor, limit }), limit, toDelivery, (row) => row.seq),
    countsOf: (targetId: number): Pick<NotificationTarget, 'waiting' | 'givenUp'> =>
      selectCounts.get(targetId) ?? { waiting: 0, givenUp: 0 },
    find(id: string): Delivery | undefined {
      const row = select.get(id);
      return row && toDelivery(row);
    },
  };
}

const toDelivery = ({ id, event, createdAt, state, attempts, nextAttemptAt, deliveredAt, lastError }: Row): Delivery => ({
  id,
  event,
  createdAt,
  state,
  attempts,
  nextAttemptAt: nextAttemptAt === null ? null : new Date(nextAttemptAt).toISOString(),
  deliveredAt,
  lastError,
});

/** Where messages go, with what the API never shows. The secret of Slack's is empty. */
type StoredTarget = Required<NotificationRequest> & { id: number; secret: string; createdAt: string };

type TargetRow = Omit<StoredTarget, 'events' | 'enabled'> & { events: string; enabled: number };

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
  const select = database.prepare<[number], TargetRow>('SELECT * FROM notification_targets WHERE id = ?');
  const selectNamed = database.prepare<[string], { id: number }>('SELECT id FROM notification_targets WHERE name = ?');
  const selectPage = database.prepare<Slice & { name: string | null }, TargetRow>(
    'SELECT * FROM notification_targets WHERE id > coalesce(@cursor, 0) AND (@name IS NULL OR name = @name) ORDER BY id LIMIT @limit + 1',
  );
  const selectEnabled = database.prepare<[], TargetRow>('SELECT * FROM notification_targets WHERE enabled = 1 ORDER BY id');
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

const toTarget = ({ events, enabled, ...row }: TargetRow): StoredTarget => ({
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
