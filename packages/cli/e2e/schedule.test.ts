import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '@pronghorn/api';
import { proves } from '@pronghorn/core/testing';
import { run } from './command.ts';

test('a schedule is added, listed, paused, started and removed from the command line', proves('schedules'), async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-schedule-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const api = await startApi({ database: ':memory:', evidenceDirectory: join(folder, 'evidence') });
  t.after(() => api.close());

  const schedule = (...words: string[]) => run(['schedule', ...words], { PRONGHORN_API: api.url });

  assert.match((await schedule('list')).stdout, /There are no schedules/);
  const added = await schedule(
    'add',
    'shop',
    '--cron',
    '30 2 * * *',
    '--time-zone',
    'Europe/Berlin',
    '--url',
    'https://shop.example/',
    '--rounds',
    '3',
  );
  assert.match(added.stdout, /^Schedule 1, "shop", starts next at 20\d\d-/);
  const file = join(folder, 'campaign.json');
  writeFileSync(file, JSON.stringify({ sites: [{ url: 'https://blog.example/' }], protocols: ['h2', 'h3'] }));
  assert.equal((await schedule('add', 'blog', '--cron', '@daily', '--campaign', file, '--missed', 'skip')).code, 0);
  const list = (await schedule('list')).stdout;
  assert.match(list, /1 +shop +30 2 \* \* \* +Europe\/Berlin +20\d\d-.* none\n/);
  assert.match(list, /2 +blog +@daily +UTC/);

  assert.match((await schedule('pause', 'shop')).stdout, /"shop", is paused/);
  assert.match((await schedule('list')).stdout, /shop .* paused/);
  assert.match((await schedule('resume', '1')).stdout, /starts next at/);
  assert.match((await schedule('start', 'shop')).stdout, /^Campaign 1 is started: 3 rounds\./);
  assert.match((await schedule('starts', 'shop')).stdout, /by hand +started +1 +Started by hand\./);
  const busy = await schedule('start', 'shop');
  assert.deepEqual(
    [busy.code, busy.stderr],
    [
      2,
      'pronghorn: The schedule’s last campaign is not finished: Campaign 1, which this schedule started before, is not finished: 0 of 3 rounds are. Wait for it, or cancel it.\n',
    ],
  );
  assert.match((await schedule('remove', 'shop')).stdout, /is removed/);
  const gone = await schedule('remove', 'shop');
  assert.deepEqual([gone.code, gone.stderr], [2, 'pronghorn: There is no schedule "shop"; the service has "blog".\n']);
  const wrong = await schedule('add', 'x', '--cron', '* * * * *', '--url', 'https://a.example/');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /is due after 1 min again; expected at least 5 min/);
  assert.match((await schedule('add', 'x', '--cron', '@daily')).stderr, /Name what to measure with either --campaign or --url/);
});
