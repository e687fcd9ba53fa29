import assert from 'node:assert/strict';
import { test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { migrate, readMigrations } from '../../../storage/migrate.ts';
import { createCampaignsRepository } from './campaigns-repository.ts';

test('what sites had of their own in the specification of before is with the sites, and the rest of it stays', () => {
  const database = new Sqlite(':memory:');
  migrate(
    database,
    readMigrations().filter(({ version }) => version < 35),
  );
  const [a, b] = ['https://a.example/', 'https://b.example/'];
  const own = { visitor: { device: 'phone' }, levels: { payload: '2 MB' } };
  const spec = {
    name: 'two',
    sites: [
      { url: a, name: 'a', expectStatus: 200 },
      { url: b, name: 'b', expectStatus: 404, ...own },
    ],
    rounds: 3,
  };
  database.prepare(`INSERT INTO campaigns (id, createdAt, state, spec) VALUES (1, '', 'done', ?)`).run(JSON.stringify(spec));
  database.exec(`
    INSERT INTO sites (id, url, expectStatus) VALUES (7, '${b}', 404), (8, '${a}', 200);
    INSERT INTO campaign_sites (campaignId, place, siteId, name) VALUES (1, 0, 8, 'a'), (1, 1, 7, 'b');
  `);
  migrate(database);
  assert.deepEqual(createCampaignsRepository(database).findSpec(1), {
    state: 'done',
    spec: { name: 'two', rounds: 3 },
    sites: [
      { id: '8', url: a, name: 'a', expectStatus: 200 },
      { id: '7', url: b, name: 'b', expectStatus: 404, ...own },
    ],
  });
  database.close();
});
