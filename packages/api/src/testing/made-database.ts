// A database as it is after months, made by SQL in seconds: campaigns, rounds, leases and visits whose numbers are made up.
import { presets } from '@pronghorn/core/network';
import { pageMetricNames } from '@pronghorn/core/vocabulary';
import { completeSpec } from '../plugins/app/spec/campaign-spec.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { createCampaignsRepository } from '../tables/campaigns-repository.ts';

export type MadeCampaigns = {
  /** How many of them. */
  campaigns: number;
  sites: number;
  /** The first so many presets. */
  conditions: number;
  /** For each site and condition; each has three visits: h1, h2, h3. */
  rounds: number;
  /** Default: all. With fewer, the campaign is running. */
  roundsDone?: number;
  /** Of each visit; default 0: they have none. */
  resourceBytes?: number;
  branch?: string;
};

const protocols = ['h1', 'h2', 'h3'] as const;

/**
 * Makes the campaigns in a database that is new or has some already; one transaction for each. 100,000 visits take some seconds.
 * Visits over h3 take a little less than the others, those of each site differ. The same call makes the same numbers.
 *
 * @param file of the database; it is closed in the end, and folded into one file.
 * @returns ids of the campaigns, in the order of the parts.
 */
export function makeDatabase(file: string, parts: readonly MadeCampaigns[]): string[] {
  const database = openDatabase(file);
  try {
    database.pragma('cache_size = -200000');
    const triggers = takeTriggersAway(database);
    const ids = parts.flatMap((part) =>
      Array.from({ length: part.campaigns }, () => database.transaction(() => makeOne(database, part))()),
    );
    for (const trigger of triggers) database.exec(trigger);
    database.exec(counters);
    database.exec('ANALYZE');
    database.pragma('wal_checkpoint(TRUNCATE)');
    return ids.map(String);
  } finally {
    database.close();
  }
}

/** They would be run for each row; what they count is counted at once in the end. @returns what puts them back. */
function takeTriggersAway(database: Database): string[] {
  const triggers = database.prepare<[], { name: string; sql: string }>(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
  return triggers.map(({ sql }) => sql);
}

function makeOne(database: Database, part: MadeCampaigns): number {
  const campaigns = createCampaignsRepository(database);
  const { spec, sites } = completeSpec(
    {
      name: `made up, ${part.sites} sites`,
      sites: Array.from({ length: part.sites }, (_, i) => ({ url: `https://site-${i + 1}.example/` })),
      conditions: presets.slice(0, part.conditions).map(({ name }) => name),
      protocols: [...protocols],
      rounds: part.rounds,
      seed: 1,
    },
    1,
    presets,
  );
  const createdAt = new Date(Date.parse('2026-01-01T00:00:00Z') + newestOf(database, 'campaigns', 'id') * 3_600_000).toISOString();
  const annotations = { branch: part.branch ?? 'main', commit: createdAt };
  const { campaignId } = campaigns.insert(
    spec,
    sites,
    { priority: 'schedule', location: null, annotations, createdBy: { kind: 'schedule', name: 'nightly' } },
    createdAt,
  );
  database.prepare('INSERT OR IGNORE INTO campaign_progress (campaignId) VALUES (?)').run(campaignId);
  const { roundsDone = part.rounds } = part;
  const done = roundsDone >= part.rounds;
  const given = {
    ...{ campaignId, createdAt, rounds: part.rounds, roundsDone, slotOrder: '[0,1,2]', resourceBytes: part.resourceBytes ?? 0 },
    ...{ firstRound: newestOf(database, 'rounds', 'id') + 1, firstSeq: newestOf(database, 'visits', 'seq') + 1 },
    conditions: JSON.stringify(spec.conditions.map(({ name }) => name)),
  };
  for (const sql of rows) database.prepare(sql).run(given);
  campaigns.setState(campaignId, done ? 'done' : 'running', done ? createdAt : null);
  return campaignId;
}

const newestOf = (database: Database, table: string, column: string): number =>
  database.prepare<[], { newest: number | null }>(`SELECT max(${column}) AS newest FROM ${table}`).get()?.newest ?? 0;

const integers = [
  ...['requests', 'transferBytes', 'finishedBytes', 'connections', 'hosts'],
  ...['failedRequests', 'blockedRequests', 'webSockets'],
];

/** Of a metric: a share, a count, or a time around one second with a site's own level, 4 % less over h3. */
function madeMetric(name: string, place: number): string {
  const luck = `((visits.seq * ${2_654_435 + 7919 * place}) % 10007) / 10007.0`;
  if (name.endsWith('Share')) return luck;
  if (integers.includes(name)) return `1 + CAST(100 * ${luck} AS INTEGER)`;
  return `(400 + 40 * (rounds.siteId % 50)) * (0.85 + 0.3 * ${luck}) * iif(visits.protocol = 'h3', 0.96, 1.0)`;
}

const rows = [
  `INSERT INTO rounds (id, campaignId, siteId, condition, view, number, slotOrder, state, attempt)
   WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < @rounds)
   SELECT @firstRound - 1 + row_number() OVER (ORDER BY number, siteId, value), campaignId, siteId, value, 'cold', number, @slotOrder,
     iif(number <= @roundsDone, 'done', 'queued'), number <= @roundsDone
   FROM numbers, campaign_sites, json_each(@conditions) WHERE campaignId = @campaignId`,
  `INSERT INTO leases (id, roundId, attempt, runner, leasedAt, expiresAt, state)
   SELECT printf('%08x-0000-4000-9000-%012x', (id * 2654435761) & 4294967295, id), id, 1, 'made up', 0, 0, 'completed'
   FROM rounds WHERE campaignId = @campaignId AND state = 'done'`,
  `INSERT INTO visits (seq, id, campaignId, eventId, roundId, attempt, slot, protocol, position, retry, startedAt, wallMs, contentHash, verdict, counted, ${pageMetricNames})
   SELECT visits.seq, printf('%08x-0000-4000-8000-%012x', (visits.seq * 2654435761) & 4294967295, visits.seq), campaignId, visits.seq, rounds.id, 1, slot,
     visits.protocol, slot, 0, @createdAt, 2000.5, zeroblob(32), 'valid', 1, ${pageMetricNames.map(madeMetric)}
   FROM (SELECT @firstSeq + 3 * (rounds.id - @firstRound) + places.key AS seq, rounds.id, places.key AS slot, places.value AS protocol
         FROM rounds, json_each('${JSON.stringify(protocols)}') AS places WHERE campaignId = @campaignId AND state = 'done') AS visits
   JOIN rounds ON rounds.id = visits.id ORDER BY visits.seq`,
  `INSERT INTO resources (visitSeq, content)
   SELECT seq, randomblob(@resourceBytes) FROM visits WHERE campaignId = @campaignId AND @resourceBytes > 0`,
];

const counters = `
UPDATE campaign_progress SET
  queued = (SELECT count(*) FROM rounds WHERE campaignId = campaign_progress.campaignId AND state = 'queued'),
  done = (SELECT count(*) FROM rounds WHERE campaignId = campaign_progress.campaignId AND state = 'done'),
  visitsValid = (SELECT count(*) FROM visits WHERE campaignId = campaign_progress.campaignId),
  eventId = coalesce((SELECT max(eventId) FROM visits WHERE campaignId = campaign_progress.campaignId), 0)`;
