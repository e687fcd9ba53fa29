// Owns the tables alerts, alert_campaigns and alert_sites.
import { type Alert, type AlertKind, type AlertState, alertKinds, type Page, type Since } from '@pronghorn/core/schemas';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';

/** Null: any. */
export type AlertFilter = {
  state: AlertState | null;
  kind: AlertKind | null;
  siteId: number | null;
  scheduleId: number | null;
  campaignId: number | null;
  gateId: number | null;
};

/** As the newest of the campaigns that show it says, by which later ones are judged. */
export type ShownAlert<Facts> = {
  id: number;
  subject: string;
  scheduleId: number | null;
  facts: Facts;
  campaignId: number;
  newestCampaignId: number;
  resolvedAt: string | null;
};

/** What a campaign shows of it. */
export type Sighting = Pick<Alert, 'title' | 'words' | 'since'> & { campaignId: number; siteIds: readonly number[]; facts: unknown };

type ShownRow = ShownAlert<string>;
type Row = Omit<Alert, 'id' | 'state' | 'since' | 'campaignId' | 'firstCampaignId' | 'scheduleId' | 'gateId' | 'siteId'> & {
  id: number;
  campaignId: number;
  firstCampaignId: number;
  scheduleId: number | null;
  gateId: number | null;
  siteId: number | null;
  since: string | null;
};

export type AlertsRepository = ReturnType<typeof createAlertsRepository>;

export function createAlertsRepository(database: Database) {
  const thereOf = (campaignId: string) =>
    `EXISTS (SELECT 1 FROM campaigns INDEXED BY campaigns_listed WHERE campaigns.id = ${campaignId} AND deletedAt IS NULL)`;
  const insert = database.prepare<{
    kind: AlertKind;
    subject: string;
    scheduleId: number | null;
    gateId: number | null;
    newest: number;
  }>(`INSERT INTO alerts (kind, subject, scheduleId, gateId, newestCampaignId) VALUES (@kind, @subject, @scheduleId, @gateId, @newest)`);
  const edge = (order: 'ASC' | 'DESC') =>
    `(SELECT campaignId FROM alert_campaigns WHERE alertId = alerts.id AND ${thereOf('campaignId')} ORDER BY campaignId ${order} LIMIT 1)`;
  const joinNewest = `JOIN alert_campaigns AS newest ON newest.alertId = alerts.id AND newest.campaignId = ${edge('DESC')}`;
  const selectStanding = database.prepare<[string], { id: number; subject: string }>(
    'SELECT id, subject FROM alerts WHERE subject = ? AND resolvedAt IS NULL',
  );
  const shown = 'SELECT alerts.id, subject, scheduleId, facts, newest.campaignId, newestCampaignId, resolvedAt FROM alerts';
  const selectStandingOf = database.prepare<{ kind: AlertKind; siteId: number | null; scheduleId: number | null }, ShownRow>(
    `${shown} INDEXED BY alerts_unresolved ${joinNewest} WHERE resolvedAt IS NULL AND kind = @kind
       AND (@siteId IS NULL OR EXISTS (SELECT 1 FROM alert_sites WHERE alertId = alerts.id AND siteId = @siteId))
       AND (@scheduleId IS NULL OR scheduleId = @scheduleId)`,
  );
  const selectShownSince = database.prepare<{ kind: AlertKind; scheduleId: number; from: number }, ShownRow>(
    `${shown} INDEXED BY alerts_of_schedule ${joinNewest} WHERE kind = @kind AND scheduleId = @scheduleId AND (resolvedAt IS NULL OR newest.campaignId >= @from)
       AND NOT EXISTS (SELECT 1 FROM alerts AS later WHERE later.subject = alerts.subject AND later.id > alerts.id)`,
  );
  const selectNewest = database.prepare<[string], { newest: number }>(
    'SELECT max(newestCampaignId) AS newest FROM alerts WHERE subject = ?',
  );
  const updateNewest = database.prepare<[number, number]>('UPDATE alerts SET newestCampaignId = max(newestCampaignId, ?) WHERE id = ?');
  const insertSighting = database.prepare<{
    alertId: number;
    campaignId: number;
    at: string;
    title: string;
    words: string;
    since: string | null;
    facts: string;
  }>(
    `INSERT INTO alert_campaigns (alertId, campaignId, at, title, words, since, facts) VALUES (@alertId, @campaignId, @at, @title, @words, @since, @facts)
     ON CONFLICT DO UPDATE SET title = @title, words = @words, since = @since, facts = @facts`,
  );
  const removeSites = database.prepare<[number]>('DELETE FROM alert_sites WHERE alertId = ?');
  const insertSite = database.prepare<[number, number]>('INSERT INTO alert_sites (alertId, siteId) VALUES (?, ?)');
  const updateAcknowledged = database.prepare<{ id: number; at: string | null; by: string | null }>(
    'UPDATE alerts SET acknowledgedAt = @at, acknowledgedBy = @by WHERE id = @id',
  );
  const updateResolved = database.prepare<[string, number, number]>(
    'UPDATE alerts SET resolvedAt = ?, newestCampaignId = ? WHERE id = ? AND resolvedAt IS NULL',
  );
  // A subject that has another one meanwhile keeps that. Regressions are judged by all nights that are there.
  const updateReopened = database.prepare<[number]>('UPDATE OR IGNORE alerts SET resolvedAt = NULL WHERE id = ?');
  const updateUnresolved = database.prepare<[number]>(
    "UPDATE OR IGNORE alerts SET resolvedAt = NULL WHERE newestCampaignId = ? AND resolvedAt IS NOT NULL AND kind <> 'regression'",
  );
  const updateResolvedAgain = database.prepare<{ campaignId: number; at: string }>(
    `UPDATE alerts SET resolvedAt = @at WHERE newestCampaignId = @campaignId AND resolvedAt IS NULL AND kind <> 'regression'
       AND NOT EXISTS (SELECT 1 FROM alert_campaigns WHERE alertId = alerts.id AND campaignId = @campaignId)`,
  );
  const removeOld = database.prepare<[string]>('DELETE FROM alerts WHERE resolvedAt < ?');
  const readable = `SELECT alerts.id, kind, scheduleId, gateId, acknowledgedAt, acknowledgedBy, resolvedAt,
      newest.campaignId, newest.at AS lastSeenAt, title, words, since, oldest.campaignId AS firstCampaignId, oldest.at AS createdAt,
      (SELECT iif(count(*) = 1, min(siteId), NULL) FROM alert_sites WHERE alertId = alerts.id) AS siteId,
      (SELECT name FROM campaign_sites WHERE campaign_sites.campaignId = newest.campaignId AND siteId = (SELECT iif(count(*) = 1, min(siteId), NULL) FROM alert_sites WHERE alertId = alerts.id)) AS siteName
    FROM alerts ${joinNewest}
    JOIN (SELECT alertId, campaignId, at FROM alert_campaigns) AS oldest ON oldest.alertId = alerts.id AND oldest.campaignId = ${edge('ASC')}`;
  const select = database.prepare<[number], Row>(`${readable} WHERE alerts.id = ?`);
  const filtered = `(@kind IS NULL OR kind = @kind) AND (@scheduleId IS NULL OR scheduleId = @scheduleId) AND (@gateId IS NULL OR gateId = @gateId)
      AND (@siteId IS NULL OR EXISTS (SELECT 1 FROM alert_sites WHERE alertId = alerts.id AND siteId = @siteId))
      AND (@campaignId IS NULL OR EXISTS (SELECT 1 FROM alert_campaigns AS shown WHERE shown.alertId = alerts.id AND shown.campaignId = @campaignId))`;
  const those = {
    any: 'true',
    open: 'resolvedAt IS NULL AND acknowledgedAt IS NULL',
    acknowledged: 'resolvedAt IS NULL AND acknowledgedAt IS NOT NULL',
    resolved: 'resolvedAt IS NOT NULL',
  };
  type Wanted = Omit<AlertFilter, 'state'> & { cursor: number | null; limit: number };
  const kindFactor = `(CASE kind ${alertKinds.map((kind) => `WHEN '${kind}' THEN ${urgency(kind)}`).join(' ')} END)`;
  const pageOfState = (state: keyof typeof those) => {
    const place = state === 'open' || state === 'acknowledged' ? `(${kindFactor} + alerts.id)` : 'alerts.id';
    return database.prepare<Wanted, Row>(
      `${readable} WHERE ${those[state]} AND ${filtered} AND (@cursor IS NULL OR ${place} < @cursor) ORDER BY ${place} DESC LIMIT @limit + 1`,
    );
  };
  const pages = {
    any: pageOfState('any'),
    open: pageOfState('open'),
    acknowledged: pageOfState('acknowledged'),
    resolved: pageOfState('resolved'),
  };
  const openOnes = `FROM alerts INDEXED BY alerts_unresolved WHERE ${those.open}
    AND EXISTS (SELECT 1 FROM alert_campaigns WHERE alertId = alerts.id AND ${thereOf('campaignId')})`;
  const countOpen = database.prepare<[], number>(`SELECT count(*) ${openOnes}`).pluck();
  const selectCounts = database.prepare<[], { kind: AlertKind; state: 'open' | 'acknowledged'; alerts: number }>(
    `SELECT kind, iif(acknowledgedAt IS NULL, 'open', 'acknowledged') AS state, count(*) AS alerts FROM alerts INDEXED BY alerts_unresolved
     WHERE resolvedAt IS NULL AND EXISTS (SELECT 1 FROM alert_campaigns WHERE alertId = alerts.id AND ${thereOf('campaignId')})
     GROUP BY kind, state`,
  );
  const selectOpenOfSites = database.prepare<[], { siteId: number; alerts: number; isWorse: 0 | 1 }>(
    `SELECT siteId, count(*) AS alerts, max(kind = 'regression') AS isWorse
     FROM alert_sites JOIN alerts ON alerts.id = alertId WHERE alertId IN (SELECT id ${openOnes}) GROUP BY siteId`,
  );

  const toShown = <Facts>({ facts, ...row }: ShownRow): ShownAlert<Facts> => ({ ...row, facts: JSON.parse(facts) as Facts });
  const there = database.prepare<[number]>('SELECT 1 FROM campaigns WHERE id = ? AND deletedAt IS NULL');
  const sinceNow = (since: Since): Since =>
    since.campaignId === null || there.get(Number(since.campaignId)) ? since : { ...since, campaignId: null };
  const toAlert = (row: Row): Alert => ({
    ...row,
    id: String(row.id),
    state: row.resolvedAt !== null ? 'resolved' : row.acknowledgedAt !== null ? 'acknowledged' : 'open',
    campaignId: String(row.campaignId),
    firstCampaignId: String(row.firstCampaignId),
    scheduleId: idOf(row.scheduleId),
    gateId: idOf(row.gateId),
    siteId: idOf(row.siteId),
    since: row.since === null ? null : sinceNow(JSON.parse(row.since) as Since),
  });

  return {
    /** The one that is not resolved. */
    standing: (subject: string): { id: number; subject: string } | undefined => selectStanding.get(subject),
    /** Those that are not resolved and that a campaign shows. @param of null: any. */
    standingOf: <Facts>(kind: AlertKind, of: { siteId: number | null; scheduleId: number | null }): ShownAlert<Facts>[] =>
      selectStandingOf.all({ kind, ...of }).map((row) => toShown<Facts>(row)),
    /** The newest of each subject of a schedule that is not resolved, or that campaigns from one on show. */
    shownSince: <Facts>(kind: AlertKind, scheduleId: number, from: number): ShownAlert<Facts>[] =>
      selectShownSince.all({ kind, scheduleId, from }).map((row) => toShown<Facts>(row)),
    /** The newest campaign by which a subject was judged, since it first had an alert; 0: it has had none. */
    newestOf: (subject: string): number => selectNewest.get(subject)?.newest ?? 0,
    insert: (alert: { kind: AlertKind; subject: string; scheduleId: number | null; gateId: number | null }, campaignId: number): number =>
      Number(insert.run({ ...alert, newest: campaignId }).lastInsertRowid),
    /** @param at ISO 8601; of a campaign that shows it already, the time stays. */
    see(alertId: number, { campaignId, title, words, since, siteIds, facts }: Sighting, at: string): void {
      const row = { title, words, since: since === null ? null : JSON.stringify(since), facts: JSON.stringify(facts) };
      insertSighting.run({ alertId, campaignId, at, ...row });
      updateNewest.run(campaignId, alertId);
      removeSites.run(alertId);
      for (const siteId of siteIds) insertSite.run(alertId, siteId);
    },
    /** @param at ISO 8601; null: takes it back. */
    acknowledge: (id: number, at: string | null, by: string | null): void => void updateAcknowledged.run({ id, at, by }),
    /** @param at ISO 8601. @param campaignId that is fine. */
    resolve: (id: number, at: string, campaignId: number): void => void updateResolved.run(at, campaignId, id),
    /** It is not resolved any more. */
    reopen: (id: number): void => void updateReopened.run(id),
    /** Takes back what a campaign resolved. */
    unresolve: (campaignId: number): void => void updateUnresolved.run(campaignId),
    /** Does that again. @param at ISO 8601. */
    resolveAgain: (campaignId: number, at: string): void => void updateResolvedAgain.run({ campaignId, at }),
    /** Forgets those that were resolved before a time, ISO 8601. */
    forgetBefore: (time: string): void => void removeOld.run(time),

    /** Without its campaign, if that is deleted. */
    sinceNow,
    find(id: number): Alert | undefined {
      const row = select.get(id);
      return row && toAlert(row);
    },
    /** Newest first; of those that are open or acknowledged, regressions before failed gates before unmeasured sites. */
    page({ state, ...filter }: AlertFilter, { limit, cursor }: Slice): Page<Alert> {
      const isByKind = state === 'open' || state === 'acknowledged';
      const placeOf = ({ id, kind }: Row) => (isByKind ? urgency(kind) : 0) + id;
      return pageOf(pages[state ?? 'any'].all({ ...filter, cursor, limit }), limit, toAlert, placeOf);
    },
    /** Those that are not resolved, by kind. */
    counts: (): { kind: AlertKind; state: 'open' | 'acknowledged'; alerts: number }[] => selectCounts.all(),
    countOpen: (): number => countOpen.get() ?? 0,
    /** How many open ones each site has, and whether a regression is among them. */
    openOfSites: (): Map<number, { alerts: number; isWorse: 0 | 1 }> =>
      new Map(selectOpenOfSites.all().map(({ siteId, ...open }) => [siteId, open])),
  };
}

/** Added to its id, the place of an alert among others: beyond any id. */
const urgency = (kind: AlertKind): number => (alertKinds.length - alertKinds.indexOf(kind)) * 1e12;

const idOf = (row: number | null): string | null => (row === null ? null : String(row));
