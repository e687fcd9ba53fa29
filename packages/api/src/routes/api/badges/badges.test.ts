import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, type TokenApi, testApi, tokenApi } from '../../../testing/test-api.ts';

const access = { lookUp: async () => [{ address: '93.184.216.34' }] };
const titleOf = (svg: string) => /<title>(.*)<\/title>/.exec(svg)?.[1];
const titled = async (api: TestApi, path: string) => titleOf((await api.app.inject(`/api/v1${path}`)).body);
const gate = { name: 'checkout', campaign: null, rules: { assertions: ['onLoad p75 h3 <= 2 s'] } };

type Measured = { sooner?: number; onLoad?: number; branch?: string; pullRequest?: number };
/** Performs a campaign of h2 and h3; over h3 each visit is so many milliseconds sooner. */
async function measured(api: TestApi, { sooner = 300, onLoad = 1_000, ...annotations }: Measured = {}): Promise<string> {
  const { id } = await api.campaign({ rounds: 12, protocols: ['h2', 'h3'], annotations: { branch: 'main', ...annotations } });
  for (;;) {
    const { status, body: lease } = await api.post('/leases', { runner: 'runner', campaignId: id });
    if (status === 204) return id;
    for (const slot of lease.round.order) {
      const metrics = sampleMetrics({ onLoad: onLoad + Number(lease.round.id) - slot * sooner });
      await api.upload(lease, sampleVisit(lease, slot, { link: { refused: [], receiveDrops: 0 }, outcome: { verdict: 'valid', metrics } }));
    }
    await api.complete(lease);
  }
}

test('a gate’s badge has its newest answer, of a branch if asked', async (t) => {
  const api = await testApi(t);
  await api.post('/gates', gate);
  assert.equal(await titled(api, '/gates/1/badge.svg'), 'checkout: no answer yet');
  await api.post('/gates/check', { campaignId: await measured(api), gateId: '1' });
  assert.equal(await titled(api, '/gates/1/badge.svg'), 'checkout: pass');
  const { id } = await api.campaign({ protocols: ['h3'] });
  await api.post('/gates/check', { campaignId: id, gateId: '1' });
  assert.equal(await titled(api, '/gates/1/badge.svg'), 'checkout: pass', 'what is not decided yet changes nothing');
  await api.post('/gates/check', { campaignId: await measured(api, { branch: 'fix', onLoad: 9_000 }), gateId: '1' });
  assert.equal(await titled(api, '/gates/1/badge.svg'), 'checkout: fail');
  assert.equal(await titled(api, '/gates/1/badge.svg?branch=main'), 'checkout: pass');
  assert.equal(await titled(api, '/gates/1/badge.svg?branch=none'), 'checkout: no answer yet');
  assert.equal((await api.app.inject('/api/v1/gates/2/badge.svg')).statusCode, 404);
});

test('a site’s badge has the verdict of its newest campaign that compared h3 with h2', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  assert.equal(await titled(api, '/sites/1/badge.svg'), 'HTTP/3 on site.example: unmeasured');
  await measured(api);
  assert.equal(await titled(api, '/sites/1/badge.svg'), 'HTTP/3 on site.example: faster');
  await api.campaign({ protocols: ['h2'] });
  await measured(api, { sooner: -300 });
  assert.equal(await titled(api, '/sites/1/badge.svg'), 'HTTP/3 on site.example: slower');
  assert.equal(await titled(api, '/sites/1/badge.svg?condition=native&view=cold'), 'HTTP/3 on site.example: slower');
  assert.equal(await titled(api, '/sites/1/badge.svg?condition=4g'), 'HTTP/3 on site.example: unmeasured');
  await measured(api, { sooner: 300, pullRequest: 7 });
  await measured(api, { sooner: 300, branch: 'faster' });
  assert.equal(await titled(api, '/sites/1/badge.svg'), 'HTTP/3 on site.example: slower', 'a proposed change is none');
});

test('a campaign’s badge counts all of its pages, however many there are', async (t) => {
  const api = await testApi(t);
  const sites = Array.from({ length: 501 }, (_, n) => ({ url: `https://site-${n}.example/` }));
  const campaign = await api.campaign({ sites, conditions: ['native', '4g'], protocols: ['h2', 'h3'], rounds: 1 });
  await api.app.commit(() => api.app.database.prepare('UPDATE rounds SET failures = 1 WHERE siteId <> ?').run(campaign.sites.at(-1)?.id));
  for (const _ of ['native', '4g']) {
    const lease = await api.lease();
    assert.equal(lease.round.siteId, campaign.sites.at(-1)?.id);
    for (const slot of lease.round.order)
      await api.upload(
        lease,
        sampleVisit(lease, slot, { link: { refused: [], receiveDrops: 0 }, outcome: { verdict: 'valid', metrics: sampleMetrics() } }),
      );
    await api.complete(lease);
  }
  assert.equal(await titled(api, '/campaigns/1/badge.svg'), 'HTTP/3: not finished');
});

test('a badge is a small SVG that may be kept for a minute, and asked for again by its ETag', async (t) => {
  const api = await testApi(t);
  await api.post('/gates', { ...gate, name: '<b>&"' });
  const reply = await api.app.inject('/api/v1/gates/1/badge.svg');
  assert.equal(reply.headers['content-type'], 'image/svg+xml; charset=utf-8');
  assert.equal(reply.headers['cache-control'], 'private, max-age=60');
  assert.equal(reply.headers['cross-origin-resource-policy'], 'same-origin', 'its width would tell any page the outcome');
  assert.match(reply.body, /^<svg .*<title>&lt;b&gt;&amp;&quot;: no answer yet<\/title>/);
  assert.ok(reply.body.length < 1_500);
  const again = await api.app.inject({ url: '/api/v1/gates/1/badge.svg', headers: { 'if-none-match': String(reply.headers.etag) } });
  assert.equal(again.statusCode, 304);
});

const anonymous = (api: TokenApi, url: string) => api.app.inject(url);
const linkTo = (api: TokenApi, payload: object) =>
  api.ask('submitter', 'POST', '/public-links', { payload: { kind: 'badge', ...payload } });

test('without a token a badge is read by its public link alone, until that ends or is revoked', async (t) => {
  const api = await tokenApi(t, access);
  for (const name of ['checkout', 'cart']) await api.ask('submitter', 'POST', '/gates', { payload: { ...gate, name } });
  assert.equal((await anonymous(api, '/api/v1/gates/1/badge.svg')).statusCode, 401);
  assert.equal((await anonymous(api, `/api/v1/gates/1/badge.svg?link=prl_${'0'.repeat(64)}`)).statusCode, 401);
  assert.equal((await anonymous(api, '/api/v1/gates/1/badge.svg?link=a&link=b')).statusCode, 401);

  const { status, body } = await linkTo(api, { gateId: '1', branch: 'main' });
  assert.equal(status, 201);
  assert.equal(body.expiresAt, '2026-05-30T12:00:00.000Z');
  assert.match(body.url, /^\/api\/v1\/gates\/1\/badge\.svg\?branch=main&link=prl_[0-9a-f]{64}$/);
  assert.equal(body.markdown, `[![checkout](${body.url})](/#/gates/1)`);
  const reply = await anonymous(api, body.url);
  assert.deepEqual([reply.statusCode, titleOf(reply.body)], [200, 'checkout: no answer yet']);
  assert.equal(reply.headers['cache-control'], 'public, max-age=60');
  assert.equal(reply.headers['cross-origin-resource-policy'], 'cross-origin');

  const [path, query] = body.url.split('?');
  const reordered = new URLSearchParams([...new URLSearchParams(query)].reverse());
  assert.equal((await anonymous(api, `${path}?${reordered}`)).statusCode, 200, 'what proxies reorder is the same address');
  for (const other of [
    body.url.replace('/gates/1/', '/gates/2/'),
    body.url.replace('/gates/1/', '/sites/1/'),
    body.url.replace('/gates/1/', '/campaigns/1/'),
    body.url.replace('branch=main', 'branch=fix'),
    body.url.replace('branch=main&', ''),
    body.url.replace(/link=prl_./, (start: string) => (start.endsWith('a') ? 'link=prl_b' : 'link=prl_a')),
    body.url.replace('/badge.svg', '/results'),
    body.url.replace('/badge.svg', ''),
  ]) {
    assert.equal((await anonymous(api, other)).statusCode, 401, other);
  }
  const other = (await linkTo(api, { gateId: '1' })).body;
  api.clock.now = Date.parse(body.expiresAt) - 7_500;
  assert.equal((await anonymous(api, body.url)).headers['cache-control'], 'public, max-age=7', 'no cache keeps it beyond its end');
  api.clock.now = Date.parse(body.expiresAt) - 1;
  assert.equal((await anonymous(api, body.url)).statusCode, 200);
  assert.equal((await api.ask('submitter', 'DELETE', `/public-links/${other.id}`)).status, 200);
  assert.equal((await anonymous(api, other.url)).statusCode, 401, 'revoked');
  api.clock.now += 1;
  assert.equal((await anonymous(api, body.url)).statusCode, 401, 'over');
  assert.equal((await api.ask('viewer', 'GET', body.url.replace('/api/v1', ''))).status, 200, 'with a token it is as before');
});

test('with public reading nobody needs a link, and a site’s badge can have one too', async (t) => {
  const reading = await tokenApi(t, { ...access, publicReading: true });
  await reading.ask('submitter', 'POST', '/gates', { payload: gate });
  const reply = await anonymous(reading, '/api/v1/gates/1/badge.svg');
  assert.deepEqual([reply.statusCode, reply.headers['cross-origin-resource-policy']], [200, 'cross-origin']);

  const api = await tokenApi(t, access, { notifications: { publicUrl: 'https://pronghorn.example/measure' } });
  await api.ask('submitter', 'POST', '/campaigns', { payload: { sites: [{ url: 'https://site.example/', name: 'a [shop]' }] } });
  const { body } = await linkTo(api, { siteId: '1', view: 'cold' });
  assert.match(body.url, /^https:\/\/pronghorn\.example\/measure\/api\/v1\/sites\/1\/badge\.svg\?view=cold&link=prl_[0-9a-f]{64}$/);
  assert.equal(body.markdown, `[![HTTP/3 on a \\[shop\\]](${body.url})](https://pronghorn.example/measure/#/sites/1)`);
  const opened = await anonymous(api, body.url.replace('https://pronghorn.example/measure', ''));
  assert.deepEqual([opened.statusCode, titleOf(opened.body)], [200, 'HTTP/3 on a [shop]: unmeasured']);
});

test('the address of a site’s badge opens no other site that has its id one day', async (t) => {
  const api = await tokenApi(t, access);
  const measure = async (url: string) => (await api.ask('submitter', 'POST', '/campaigns', { payload: { sites: [{ url }] } })).body;
  const campaign = await measure('https://site.example/');
  const { body } = await linkTo(api, { siteId: '1' });
  const titleNow = async () => titleOf((await anonymous(api, body.url)).body);
  assert.equal(await titleNow(), 'HTTP/3 on site.example: unmeasured');
  await api.ask('submitter', 'POST', `/campaigns/${campaign.id}/cancel`);
  await api.ask('submitter', 'DELETE', `/campaigns/${campaign.id}?purge=true`);
  await api.app.campaignDeletion.settled();
  assert.equal((await measure('https://secret.example/')).sites[0].id, '1');
  assert.equal((await anonymous(api, body.url)).statusCode, 401);
});

test('a campaign has a badge, and a card with a row for each condition', async (t) => {
  const api = await testApi(t);
  const id = await measured(api);
  assert.equal(await titled(api, `/campaigns/${id}/badge.svg`), 'HTTP/3: faster');
  const card = await api.app.inject(`/api/v1/campaigns/${id}/card.svg`);
  assert.equal(card.headers['content-type'], 'image/svg+xml; charset=utf-8');
  assert.match(titleOf(card.body) ?? '', /^Is this page faster over HTTP\/3 than over HTTP\/2\? HTTP\/3 is faster by 300 ms \(30 %\)\.$/);
  assert.match(card.body, /prefers-color-scheme:dark/);
  assert.match(card.body, />native</);
  assert.equal((await api.app.inject('/api/v1/campaigns/99/card.svg')).statusCode, 404);
  assert.equal((await api.app.inject('/api/v1/campaigns/99/badge.svg')).statusCode, 404);
});

test('a picture is made once for each summary, however often it is asked for: a large one takes a tenth of a second', async (t) => {
  const api = await testApi(t);
  const id = await measured(api);
  const read = t.mock.method(api.app.results, 'read'); // it reads as before, and is counted
  const picture = async (name: string) => (await api.app.inject(`/api/v1/campaigns/${id}/${name}.svg`)).body;
  for (const name of ['card', 'badge']) {
    const first = await picture(name);
    for (let n = 0; n < 5; n++) assert.equal(await picture(name), first);
  }
  assert.equal(read.mock.callCount(), 2);
});

test('a picture is of another summary as soon as the campaign is done', async (t) => {
  const api = await testApi(t);
  const { id } = await api.campaign({ protocols: ['h2', 'h3'] });
  const card = async () => (await api.app.inject(`/api/v1/campaigns/${id}/card.svg`)).body;
  const [badgeBefore, cardBefore] = [await titled(api, `/campaigns/${id}/badge.svg`), await card()];
  const lease = await api.lease();
  for (const slot of lease.round.order) {
    const outcome = { verdict: 'valid' as const, metrics: sampleMetrics() };
    await api.upload(lease, sampleVisit(lease, slot, { link: { refused: [], receiveDrops: 0 }, outcome }));
  }
  await api.complete(lease);
  assert.deepEqual([badgeBefore, await titled(api, `/campaigns/${id}/badge.svg`)], ['HTTP/3: unmeasured', 'HTTP/3: no clear difference']);
  assert.notEqual(await card(), cardBefore);
});
