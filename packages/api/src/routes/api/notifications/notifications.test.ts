import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Delivery, type NotificationRequest, problemType, type SavedNotificationTarget } from '@pronghorn/core/schemas';
import { samples } from '@pronghorn/core/testing';
import { pausesMs } from '../../../plugins/app/notifications/notification-commands.ts';
import { createDeliverer, postJson } from '../../../plugins/app/notifications/notifications.ts';
import { receiver } from '../../../testing/receiver.ts';
import { sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { sharedStores } from '../../../testing/stores.ts';
import { type TestApi, testApi, testFolder, tokenApi } from '../../../testing/test-api.ts';
import { tickingServices } from '../../../testing/ticking-services.ts';

const asked = {
  name: 'the team',
  kind: 'webhook',
  events: ['campaign-done', 'gate-failed', 'regression-found', 'schedule-failed'],
} as const;

async function target(api: TestApi, given: Partial<NotificationRequest> & { url: string }): Promise<SavedNotificationTarget> {
  const { status, body } = await api.post('/notifications', { ...asked, ...given });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

const deliveriesOf = async (api: TestApi, id: string): Promise<Delivery[]> => (await api.get(`/notifications/${id}/deliveries`)).body.items;

/** Performs all rounds of a campaign: h3 takes 80 % of h2's time, more or less. */
async function perform(api: TestApi, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const lease = await api.lease();
    for (const slot of lease.round.order) {
      const onLoad = (lease.spec.protocols[slot] === 'h3' ? 800 : 1000) + round;
      await api.upload(lease, sampleVisit(lease, slot, { link: null, outcome: { verdict: 'valid', metrics: sampleMetrics({ onLoad }) } }));
    }
    await api.complete(lease);
  }
}

/** As docs/schedules.md shows it. */
function verify(secret: string, header: string, body: string, nowSeconds: number): boolean {
  const parts = Object.fromEntries(header.split(',').map((part) => part.split('=', 2)));
  if (Math.abs(nowSeconds - Number(parts.t)) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${parts.t}.${body}`).digest();
  const given = Buffer.from(parts.v1 ?? '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

test('a target is made, read, changed and deleted; its secret is shown once, its URL never', async (t) => {
  const api = await testApi(t);
  const { secret, ...made } = await target(api, { url: 'https://hooks.example/T1/very-secret' });
  assert.match(secret ?? '', /^whsec_[\w-]{43}$/);
  const shown = { id: made.id, ...asked, events: [...asked.events], campaigns: 'all', enabled: true, origin: 'https://hooks.example' };
  assert.deepEqual(made, { ...shown, createdAt: '2026-03-01T12:00:00.000Z', waiting: 0, givenUp: 0 });
  const [read, list] = [await api.get(`/notifications/${made.id}`), await api.get('/notifications')];
  assert.deepEqual([read.body, list.body], [made, { items: [made], nextCursor: null }]);
  const changed = await api.put(`/notifications/${made.id}`, { name: 'others', kind: 'slack', events: ['gate-failed'], enabled: false });
  assert.deepEqual([changed.status, changed.body.origin, changed.body.enabled], [200, 'https://hooks.example', false]);
  assert.deepEqual([changed.body.secret, api.app.tables.targets.find(Number(made.id))?.secret], [null, '']);
  assert.equal(api.app.tables.targets.find(Number(made.id))?.url, 'https://hooks.example/T1/very-secret');
  assert.equal(
    (await api.post('/notifications', { ...asked, name: 'others', url: 'https://a.example' })).body.type,
    problemType('name-taken'),
  );
  assert.equal((await api.delete(`/notifications/${made.id}`)).status, 204);
  assert.equal((await api.get(`/notifications/${made.id}/deliveries`)).status, 404);
});

test('a target of Slack has no secret, since nobody there checks a signature, until it becomes a webhook', async (t) => {
  const api = await testApi(t);
  const { url, got } = await receiver(t);
  const { id, secret } = await target(api, { url, kind: 'slack' });
  assert.equal(secret, null);
  await api.post(`/notifications/${id}/test`);
  await api.app.notifications.tick();
  assert.deepEqual([got.length, got[0]?.headers['pronghorn-signature']], [1, undefined]);
  const webhook = await api.put(`/notifications/${id}`, asked);
  assert.match(webhook.body.secret, /^whsec_[\w-]{43}$/);
  assert.equal((await api.put(`/notifications/${id}`, asked)).body.secret, null, 'shown once');
  await api.post(`/notifications/${id}/test`);
  await api.app.notifications.tick();
  const { headers = {}, text = '' } = got[1] ?? {};
  assert.ok(verify(webhook.body.secret, String(headers['pronghorn-signature']), text, api.clock.now / 1000));
});

test('what another process took over while the verdicts were computed is sent by that one alone', async (t) => {
  const api = await testApi(t);
  const { url, got } = await receiver(t);
  const { id } = await target(api, { url });
  await api.campaign({ rounds: 1 });
  await perform(api, 1);
  const { notifications, results, destinations } = api.app;
  const deliverDue = createDeliverer(api.app, {
    publicUrl: null,
    resolve: ({ href }) => destinations.resolveAllowed(href),
    async summaryOf(campaignId) {
      api.clock.now += 61_000;
      await notifications.tick(); // as another process would
      return JSON.parse(results.textOf((await results.summary(campaignId)).document));
    },
  });
  await deliverDue();
  assert.equal(got.length, 1);
  assert.deepEqual(
    (await deliveriesOf(api, id)).map(({ state, attempts }) => [state, attempts]),
    [['delivered', 2]],
  );
});

test('a target that schedules name can’t be deleted, and the answer names them', async (t) => {
  const api = await testApi(t);
  const { id } = await target(api, { url: 'https://hooks.example/' });
  const schedule = { name: 'nightly', cron: '30 2 * * *', notifications: [id], campaign: { sites: [{ url: 'https://site.example/' }] } };
  assert.equal((await api.post('/schedules', schedule)).status, 201);
  const refused = await api.delete(`/notifications/${id}`);
  assert.deepEqual([refused.status, refused.body.type], [409, problemType('target-in-use')]);
  assert.match(refused.body.detail, /is named by schedule 1 \(nightly\)/);
  await api.put('/schedules/1', { ...schedule, notifications: null });
  assert.equal((await api.delete(`/notifications/${id}`)).status, 204);
});

test('a campaign that is done is told with its verdicts, under a signature that the receiver can check', async (t) => {
  const api = await testApi(t);
  const { url, got } = await receiver(t);
  const { id, secret } = await target(api, { url });
  assert.ok(secret !== null);
  const campaign = await api.campaign({ name: 'the shop', protocols: ['h2', 'h3'], rounds: 12 });
  await perform(api, 11);
  assert.deepEqual(await deliveriesOf(api, id), []);
  await perform(api, 1);
  assert.equal((await deliveriesOf(api, id))[0]?.state, 'waiting');
  await api.app.notifications.tick();

  const [{ headers, text, path } = { headers: {}, text: '', path: '' }, ...others] = got;
  assert.deepEqual([others, path], [[], '/hook?key=s3cret']);
  const [delivery] = await deliveriesOf(api, id);
  const message = JSON.parse(text);
  assert.deepEqual(
    { ...message, lines: null },
    {
      id: delivery?.id,
      event: 'campaign-done',
      createdAt: '2026-03-01T12:00:00.000Z',
      title: 'the shop is done: HTTP/3 is faster by 200 ms (20 %).',
      lines: null,
      url: null,
      campaignId: campaign.id,
      scheduleId: null,
      details: { 'h3-faster': 1 },
    },
  );
  assert.match(
    message.lines.join('\n'),
    /^site\.example, native: HTTP\/3 is faster: the page finishes loading \d+ ms \(20 %\) sooner over HTTP\/3 than over HTTP\/2; 95 % sure it is .* p = /,
  );
  assert.deepEqual([headers['pronghorn-delivery'], headers['pronghorn-event']], [delivery?.id, 'campaign-done']);
  assert.deepEqual([delivery?.state, delivery?.attempts, delivery?.deliveredAt], ['delivered', 1, '2026-03-01T12:00:00.000Z']);

  const seconds = api.clock.now / 1000;
  const header = String(headers['pronghorn-signature']);
  assert.ok(verify(secret, header, text, seconds + 299));
  assert.ok(!verify(secret, header, text, seconds + 301), 'an old message sent again');
  assert.ok(!verify(secret, header, text.replace('h3-faster', 'h2-faster'), seconds), 'another message');
  assert.ok(!verify('whsec_other', header, text, seconds), 'another sender');
  assert.ok(!verify(secret, header.replace(/t=\d+/, `t=${seconds + 1000}`), text, seconds + 1000), 'another time');
});

test('Slack gets text and blocks with the answer, and no name can ping its channel', async (t) => {
  const api = await testApi(t);
  const { url, got } = await receiver(t, (reply) => reply.writeHead(200).end('ok'));
  await target(api, { url, kind: 'slack' });
  await api.campaign({
    name: '<!channel> & shop',
    sites: [{ url: 'https://site.example/', name: '<!here>' }],
    protocols: ['h1'],
    rounds: 1,
  });
  await perform(api, 1);
  await api.app.notifications.tick();
  assert.deepEqual(JSON.parse(got[0]?.text ?? ''), {
    text: '&lt;!channel&gt; &amp; shop is done\n&lt;!here&gt;, native: median onLoad: h1 1000.',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: '<!channel> & shop is done' } },
      { type: 'section', text: { type: 'mrkdwn', text: '• &lt;!here&gt;, native: median onLoad: h1 1000.' } },
    ],
  });
});

test('where the service knows its own address, messages lead to the campaign', async (t) => {
  const api = await testApi(t, { notifications: { publicUrl: 'https://pronghorn.example/measure/' } });
  const { url, got } = await receiver(t);
  await target(api, { url });
  await target(api, { url, name: 'slack', kind: 'slack' });
  await api.campaign({ protocols: ['h1'] });
  await perform(api, 1);
  await api.app.notifications.tick();
  const [message, slack] = got.map(({ text }) => JSON.parse(text)).sort((a) => (a.blocks ? 1 : -1));
  assert.equal(message.url, 'https://pronghorn.example/measure/#/campaigns/1');
  assert.equal(slack.blocks.at(-1).text.text, '<https://pronghorn.example/measure/#/campaigns/1|Open the campaign>');
});

test('a message is written with what it tells of, or not at all', async (t) => {
  const api = await testApi(t);
  const { id } = await target(api, { url: 'https://hooks.example/' });
  const content = { title: 'The gate failed', lines: [], details: { gate: 'nightly' } };
  assert.throws(() =>
    api.app.database
      .transaction(() => {
        assert.equal(api.app.tables.outbox.enqueue({ event: 'gate-failed', content }), 1);
        throw new Error('what it tells of did not happen');
      })
      .immediate(),
  );
  assert.deepEqual(await deliveriesOf(api, id), []);
});

test('only targets that chose the event, and are named where a schedule names some, are told', async (t) => {
  const api = await testApi(t);
  const url = 'https://hooks.example/';
  const ids: string[] = [];
  for (const given of [
    { name: 'all' },
    { name: 'other events', events: ['campaign-done' as const] },
    { name: 'scheduled', campaigns: 'scheduled' as const },
    { name: 'off', enabled: false },
  ]) {
    ids.push((await target(api, { url, ...given })).id);
  }
  const told = async () => Promise.all(ids.map(async (id) => (await deliveriesOf(api, id)).length));
  const content = { title: '', lines: [], details: null };
  await api.app.commit(() => api.app.tables.outbox.enqueue({ event: 'gate-failed', content }));
  assert.deepEqual(await told(), [1, 0, 0, 0]);
  await api.app.commit(() => api.app.tables.outbox.enqueue({ event: 'gate-failed', scheduleId: 1, content }));
  assert.deepEqual(await told(), [2, 0, 1, 0]);
  await api.app.commit(() => api.app.tables.outbox.enqueue({ event: 'gate-failed', scheduleId: 1, only: [ids[2] ?? ''], content }));
  assert.deepEqual(await told(), [2, 0, 2, 0]);
});

test('what fails is tried again after growing pauses, then given up, and all of it can be seen', async (t) => {
  const api = await testApi(t);
  let status = 503;
  const { url, got } = await receiver(t, (reply) => reply.writeHead(status).end());
  const { id } = await target(api, { url });
  await api.post(`/notifications/${id}/test`);
  const begin = api.clock.now;
  const triedAfter: number[] = [];
  for (let tries = 0; tries <= pausesMs.length; tries++) {
    await api.app.notifications.tick();
    await api.app.notifications.tick(); // too early for the next
    triedAfter.push(api.clock.now - begin);
    assert.equal(got.length, tries + 1);
    const [delivery] = await deliveriesOf(api, id);
    assert.deepEqual([delivery?.attempts, delivery?.lastError], [tries + 1, 'answered 503']);
    if (delivery?.nextAttemptAt) api.clock.now = Date.parse(delivery.nextAttemptAt);
  }
  assert.deepEqual(
    triedAfter.map((ms) => ms / 1000),
    [0, 10, 70, 370, 2170, 9370, 30_970],
  );
  assert.equal((await deliveriesOf(api, id))[0]?.state, 'given-up');
  assert.deepEqual((await api.get(`/notifications/${id}`)).body.givenUp, 1);
  assert.equal(new Set(got.map(({ headers }) => headers['pronghorn-delivery'])).size, 1);
  assert.equal(new Set(got.map(({ text }) => text)).size, 1);
  assert.equal(new Set(got.map(({ headers }) => headers['pronghorn-signature'])).size, 7, 'every try is signed with its own time');

  status = 200;
  await api.post(`/notifications/${id}/test`);
  await api.app.notifications.tick();
  assert.equal((await deliveriesOf(api, id))[0]?.state, 'delivered');
});

test('redirects are not followed, and endless answers not read', async (t) => {
  const api = await testApi(t);
  const elsewhere = await receiver(t);
  const redirecting = await receiver(t, (reply) => reply.writeHead(307, { location: elsewhere.url }).end());
  const endless = await receiver(t, (reply) => {
    reply.writeHead(200);
    const more = () => {
      while (!reply.destroyed && reply.write('x'.repeat(16_384)));
    };
    reply.on('drain', more);
    more();
  });
  const first = await target(api, { name: 'redirecting', url: redirecting.url });
  const second = await target(api, { name: 'endless', url: endless.url });
  for (const { id } of [first, second]) await api.post(`/notifications/${id}/test`);
  await api.app.notifications.tick();
  assert.equal(elsewhere.got.length, 0);
  assert.equal((await deliveriesOf(api, first.id))[0]?.lastError, 'answered 307, and redirects are not followed');
  assert.equal((await deliveriesOf(api, second.id))[0]?.state, 'delivered');
});

test('a receiver that never answers, and one that is not there, are told apart', async (t) => {
  const silent = await receiver(t, () => {});
  const address = { address: '127.0.0.1', family: 4 } as const;
  await assert.rejects(postJson(new URL(silent.url), '{}', {}, [address], 50), /^Error: no answer within 0\.05 s$/);
  await assert.rejects(postJson(new URL('http://receiver.example:1/'), '{}', {}, [address]), /^Error: the connection was refused$/);
});

test('webhooks go to public addresses alone, by the name of then and by the name of now', async (t) => {
  let address = '192.0.78.9';
  const api = await tokenApi(t, { lookUp: async () => [{ address }] });
  const { got, port } = await receiver(t);
  const payload = { ...asked, url: `http://hooks.example.org:${port}/` };
  assert.equal((await api.ask('submitter', 'POST', '/notifications', { payload })).status, 403);
  const inside = await api.ask('admin', 'POST', '/notifications', { payload: { ...payload, url: `http://127.0.0.1:${port}/` } });
  assert.deepEqual([inside.status, inside.body.type], [422, problemType('address-refused')]);
  const { id } = (await api.ask('admin', 'POST', '/notifications', { payload })).body;

  address = '127.0.0.1'; // the name leads inside now
  await api.ask('admin', 'POST', `/notifications/${id}/test`);
  await api.app.notifications.tick();
  const { items } = (await api.ask('viewer', 'GET', `/notifications/${id}/deliveries`)).body;
  assert.match(items[0].lastError, /^The webhook leads to hooks\.example\.org, which is this machine itself/);
  assert.equal(got.length, 0);
});

test('the connection goes to the address that was checked', async (t) => {
  const api = await tokenApi(t, { lookUp: async () => [{ address: '127.0.0.1' }], allowNet: ['127.0.0.0/8'] });
  const { got, port } = await receiver(t);
  const payload = { ...asked, url: `http://hooks.example.org:${port}/hook` };
  const { id } = (await api.ask('admin', 'POST', '/notifications', { payload })).body;
  await api.ask('admin', 'POST', `/notifications/${id}/test`);
  await api.app.notifications.tick();
  assert.deepEqual([got.length, got[0]?.headers.host], [1, `hooks.example.org:${port}`]);
});

for (const [store, options] of Object.entries(sharedStores)) {
  test(`${store}: several processes on one database deliver each message once`, async (t) => {
    const folder = testFolder(t);
    const paths = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence'), ...options };
    const api = await testApi(t, paths);
    const { url, got } = await receiver(t);
    const { id } = await target(api, { url });
    for (let message = 0; message < 40; message++) await api.post(`/notifications/${id}/test`);
    const tick = await tickingServices(t, samples(2, 3), paths, 'notifications');
    await tick(api.clock.now);
    assert.equal(got.length, 40);
    assert.equal(new Set(got.map(({ headers }) => headers['pronghorn-delivery'])).size, 40);
    assert.ok((await deliveriesOf(api, id)).every(({ state, attempts }) => state === 'delivered' && attempts === 1));
  });
}

test('what a process took on and never finished is delivered by another after a minute', async (t) => {
  const api = await testApi(t);
  const { url, got } = await receiver(t);
  const { id } = await target(api, { url });
  await api.post(`/notifications/${id}/test`);
  const { deliveries } = api.app.tables;
  const claimed = await api.app.commit(() => deliveries.claim(api.clock.now, api.clock.now + 60_000)); // and the process that did so is killed
  await api.app.notifications.tick();
  assert.equal(got.length, 0);
  api.clock.now += 60_000;
  await api.app.notifications.tick();
  assert.equal(got.length, 1);
  await api.app.commit(() => deliveries.setFailed(claimed?.id ?? '', 1, api.clock.now, 'it was not killed after all, and is late'));
  assert.equal((await deliveriesOf(api, id))[0]?.state, 'delivered');
});

test('the loop delivers by itself', async (t) => {
  let arrived = () => {};
  const delivered = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const api = await testApi(t, { notifications: { enabled: true } });
  const { url } = await receiver(t, (reply) => {
    reply.writeHead(204).end();
    arrived();
  });
  const { id } = await target(api, { url });
  await api.post(`/notifications/${id}/test`);
  await delivered;
});
