import assert from 'node:assert/strict';
import { test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { migrate, readMigrations } from '../../../storage/migrate.ts';

test('campaigns from before it was written down who made them are told apart by what is known of tokens and schedules', () => {
  const database = new Sqlite(':memory:');
  migrate(
    database,
    readMigrations().filter(({ version }) => version < 14),
  );
  database.exec(`
    INSERT INTO campaigns (id, createdAt, state, spec, createdBy) VALUES
      (1, '', 'done', '{}', NULL), (2, '', 'done', '{}', 'nightly'), (3, '', 'done', '{}', 'nightly'), (4, '', 'done', '{}', 'deleted since');
    INSERT INTO tokens (name, role, hash, createdAt, revokedAt) VALUES ('nightly', 'submitter', x'00', '', '');
    INSERT INTO schedules (id, name, createdAt, paused, document) VALUES (1, 'nightly', '', 0, '{}');
    INSERT INTO schedule_starts (scheduleId, decidedAt, outcome, campaignId, words) VALUES (1, 0, 'started', 3, '');
  `);
  migrate(database);
  const kinds = database.prepare('SELECT createdByKind FROM campaigns ORDER BY id').pluck().all();
  assert.deepEqual(kinds, [null, 'token', 'schedule', 'schedule']);
  database.close();
});
