// Event streams last for hours; what lets their readers in may not.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { openTokens } from '../../../offline.ts';
import { testFolder, tokenApi } from '../../../testing/test-api.ts';

test('a stream ends soon after its reader’s token was revoked or expired, or its session ended; those of others go on', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  const api = await tokenApi(t, {}, { database });
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  await api.ask('submitter', 'POST', '/campaigns', { payload: { sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 } });
  const read = (headers: Record<string, string>) => fetch(`${url}/api/v1/campaigns/1/events`, { headers });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const expiresAt = new Date(api.clock.now + 60_000).toISOString();
  const expiring = await api.app.commit(() => api.app.tables.tokens.create({ name: 'for a minute', role: 'viewer', expiresAt }, null));
  const signedIn = await api.ask(null, 'POST', '/session', { payload: { token: api.tokens.admin } });
  const cookie = `${signedIn.cookies[0]?.name}=${signedIn.cookies[0]?.value}`;
  const tick = (ms: number) => {
    api.clock.now += ms;
  };
  const ending = {
    revoked: [bearer(api.tokens.viewer), () => openRevoke(database, 'the viewer')],
    expired: [bearer(expiring.token), () => tick(60_000)],
    'signed out': [{ cookie }, () => api.ask(null, 'DELETE', '/session', { headers: { cookie, origin: 'http://localhost:80' } })],
  } as const;

  const other = await read(bearer(api.tokens.submitter));
  const replies = await Promise.all(Object.values(ending).map(([headers]) => read(headers)));
  for (const [, end] of Object.values(ending)) await end();
  for (const [place, [how, [headers]]] of Object.entries(ending).entries()) {
    assert.equal(replies[place]?.status, 200, how);
    assert.match((await replies[place]?.text()) ?? '', /event: progress/, how);
    assert.equal((await read(headers)).status, 401, how);
  }
  await api.ask('submitter', 'POST', '/campaigns/1/cancel');
  let told = '';
  for await (const chunk of other.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    told += chunk;
    if (told.includes('"state":"cancelled"')) return;
  }
  assert.fail(`the stream of a token that can be used ended after ${told}`);
});

/** As another process does it: the command line. */
async function openRevoke(database: string, name: string): Promise<void> {
  const tokens = openTokens(database);
  await tokens.revoke(name);
  tokens.close();
}

test('one token holds so many streams, and another one its own', async (t) => {
  const api = await tokenApi(t);
  await api.ask('admin', 'POST', '/campaigns', { payload: { sites: [{ url: 'https://site.example/' }], rounds: 1 } });
  const base = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const follow = (token: string) => fetch(`${base}/api/v1/campaigns/1/events`, { headers: { authorization: `Bearer ${token}` } });
  const streams = await Promise.all(Array.from({ length: 50 }, () => follow(api.tokens.viewer)));
  assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([200]));
  const refused = await follow(api.tokens.viewer);
  assert.deepEqual([refused.status, ((await refused.json()) as { type: string }).type], [429, problemType('too-many-waiting')]);
  const other = await follow(api.tokens.submitter);
  assert.equal(other.status, 200);
  for (const { body } of [...streams, other]) await body?.cancel();
});
