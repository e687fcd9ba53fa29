import assert from 'node:assert/strict';
import { test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { migrate, readMigrations } from '../../../storage/migrate.ts';

test('what was measured before progress was kept is counted once, as it was counted then', () => {
  const database = new Sqlite(':memory:');
  migrate(
    database,
    readMigrations().filter(({ version }) => version < 10),
  );
  database.exec(`
    INSERT INTO campaigns (id, createdAt, state, spec) VALUES (1, '2026-01-01', 'running', '{"name":"One"}'), (2, '2026-01-02', 'queued', '{"name":"Two"}');
    INSERT INTO sites (id, url, expectStatus) VALUES (1, 'https://site.example/', 200);
    INSERT INTO campaign_sites VALUES (1, 0, 1, 'site'), (2, 0, 1, 'site');
    INSERT INTO rounds (id, campaignId, siteId, condition, view, number, slotOrder, state, attempt, cancelledBy) VALUES
      (1, 1, 1, 'native', 'cold', 1, '[0]', 'done', 2, NULL),
      (2, 1, 1, 'native', 'cold', 2, '[0]', 'leased', 1, NULL),
      (3, 1, 1, 'native', 'cold', 3, '[0]', 'queued', 1, NULL),
      (4, 1, 1, 'native', 'cold', 4, '[0]', 'cancelled', 1, 'losses');
    INSERT INTO leases (id, roundId, attempt, runner, leasedAt, expiresAt, state) VALUES
      ('a', 1, 1, 'r', 0, 0, 'lost'), ('b', 1, 2, 'r', 0, 0, 'completed'), ('c', 2, 1, 'r', 0, 0, 'active'), ('d', 3, 1, 'r', 0, 0, 'lost'), ('e', 4, 1, 'r', 0, 0, 'lost');
  `);
  const visit = database.prepare(
    `INSERT INTO visits (id, campaignId, roundId, attempt, slot, protocol, position, retry, startedAt, wallMs, contentHash, verdict, reason, onLoad)
     VALUES (?, 1, ?, ?, 0, 'h2', 0, 0, '', 1, x'00', ?, ?, ?)`,
  );
  const visits: [roundId: number, attempt: number, verdict: 'valid' | 'invalid'][] = [
    [1, 1, 'valid'], // of a lost attempt
    [1, 2, 'invalid'],
    [1, 2, 'valid'],
    [2, 1, 'valid'],
    [3, 1, 'valid'], // its round waits for another attempt
    [4, 1, 'invalid'],
  ];
  for (const [place, [roundId, attempt, verdict]] of visits.entries()) {
    visit.run(String(place), roundId, attempt, verdict, verdict === 'valid' ? null : 'load-timeout', verdict === 'valid' ? 1 : null);
  }
  migrate(database);
  const columns = 'campaignId, queued, leased, done, cancelled, visitsValid, visitsInvalid';
  assert.deepEqual(database.prepare(`SELECT ${columns} FROM campaign_progress`).all(), [
    { campaignId: 1, queued: 1, leased: 1, done: 1, cancelled: 1, visitsValid: 2, visitsInvalid: 1 },
    { campaignId: 2, queued: 0, leased: 0, done: 0, cancelled: 0, visitsValid: 0, visitsInvalid: 0 },
  ]);
  assert.deepEqual(database.prepare('SELECT name FROM campaigns').pluck().all(), ['One', 'Two']);
  database.close();
});
