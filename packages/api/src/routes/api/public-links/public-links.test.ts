import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { publicName } from '../../../plugins/app/public-links/public-links.ts';
import { sampleDiscovery, sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TokenApi, testApi, testFolder, tokenApi } from '../../../testing/test-api.ts';

const access = { lookUp: async () => [{ address: '93.184.216.34' }], publicLinkDays: 30 };
/** What nobody may learn by a link to a result. */
const secret = 'jane-roe-1980';
const unnamed = `https://site.example/other?key=${secret}`;
const campaign = {
  ...{
    name: 'shop',
    rounds: 7,
    protocols: ['h2', 'h3'],
    annotations: { branch: secret, commit: secret, buildUrl: `https://ci.example/${secret}` },
  },
  conditions: [{ name: 'lab', description: secret, source: secret, baseRttMs: 40, up: { delayMs: 5 }, down: { rateKbps: 1_000 } }],
  visitor: { headers: [{ name: 'x-team', value: secret }], cookies: [{ name: 'team', value: secret }] },
  sites: [
    {
      url: `https://site.example/page?key=${secret}`,
      name: 'the page',
      visitor: { userAgent: secret },
    },
    { url: unnamed },
    { url: `https://site.example/?${'long='.repeat(60)}${secret}` },
  ],
};

/** With two campaigns that are done, and one link to the result of the first. */
async function shared(t: Parameters<typeof tokenApi>[0], given: object = {}) {
  const api = await tokenApi(t, { ...access, ...given });
  for (const request of [campaign, { ...campaign, name: 'another' }]) {
    const { status, body } = await api.ask('submitter', 'POST', '/campaigns', { payload: request });
    assert.equal(status, 201, JSON.stringify(body));
    for (;;) {
      const { status: leased, body: lease } = await api.ask('runner', 'POST', '/leases', {
        payload: { runner: secret, campaignId: body.id },
      });
      if (leased === 204) break;
      const discovery = sampleDiscovery(lease, { redirects: [`https://site.example/${secret}`] });
      await api.ask('runner', 'PUT', `/leases/${lease.id}/discoveries/${discovery.id}`, { payload: discovery });
      for (const slot of lease.round.order) {
        const metrics = sampleMetrics({ onLoad: 1_000 - 300 * slot + Number(lease.round.id) });
        const outcome = { verdict: 'valid' as const, metrics };
        const visit = sampleVisit(lease, slot, {
          finalUrl: `https://site.example/${secret}`,
          link: { refused: [], receiveDrops: 0 },
          outcome,
        });
        const { status: uploaded } = await api.ask('runner', 'PUT', `/leases/${lease.id}/visits/${visit.id}`, { payload: visit });
        assert.equal(uploaded, 201);
      }
      await api.ask('runner', 'POST', `/leases/${lease.id}/complete`);
    }
  }
  const { status, body: link } = await make(api, { campaignId: '1' });
  assert.equal(status, 201, JSON.stringify(link));
  return { api, link, open: opening(api, link.url) };
}

const make = (api: TokenApi, payload: object, asker: 'submitter' | 'viewer' | 'admin' | null = 'submitter') =>
  api.ask(asker, 'POST', '/public-links', { payload: { kind: 'result', ...payload } });

/** Asks as the dashboard does that was opened by a link. */
const opening = (api: TokenApi, url: string) => {
  const headers = { authorization: `Bearer ${url.split('/').at(-1)}` };
  return (path: string, method = 'GET', more: object = {}) => api.ask(null, method, path, { headers: { ...headers, ...more } });
};

/** Written out once more, not taken from the routes. */
const openedRoutes = ['', '/setup', '/summary', '/results', '/comparisons', '/distributions'].map((rest) => `/campaigns/:id${rest}`);

test('a link opens the result of its campaign: these routes, and no other route, method or campaign', async (t) => {
  const { api, open } = await shared(t);
  const asked = api.app.routeAccess.filter(({ url, access: needed }) => url.startsWith('/api/v1/') && needed !== 'anyone');
  assert.ok(asked.length > 90, String(asked.length));
  for (const { method, url } of asked) {
    const path = url.replace('/api/v1', '');
    const isOpened = (method === 'GET' || method === 'HEAD') && openedRoutes.includes(path);
    const { status } = await open(path.replaceAll(/:\w+/g, '1'), method);
    assert.equal(status, isOpened ? 200 : 403, `${method} ${path}`);
    if (isOpened) assert.equal((await open(path.replaceAll(/:\w+/g, '2'), method)).status, 403, `${method} ${path} of another campaign`);
  }
  for (const path of [
    '/campaigns/01',
    '/campaigns/1.0',
    '/campaigns/1%20',
    '/campaigns/%31/visits',
    '/campaigns/1/../2',
    '/campaigns/1%2f..%2f2',
  ])
    assert.notEqual((await open(path)).status, 200, path);
});

test('what it opens has the numbers, and nothing of the visitor, the build, who made it, or where secrets stand', async (t) => {
  const { api, open } = await shared(t);
  const { body } = await open('/campaigns/1');
  assert.deepEqual([body.spec.name, body.sites[0].name, body.sites[0].url], ['shop', 'the page', 'https://site.example/page']);
  assert.deepEqual(body.spec.conditions, [{ name: 'lab', baseRttMs: 40, up: { delayMs: 5 }, down: { rateKbps: 1_000 } }]);
  assert.deepEqual([body.createdBy, body.annotations, body.spec.visitor, body.sites[0].visitor], [null, {}, undefined, undefined]);
  assert.equal((await open('/campaigns/1/summary')).body.cells[0].comparison.outcome, 'h3-faster');
  assert.deepEqual(
    body.sites.slice(1).map(({ name }: { name: string }) => name),
    ['site.example/other', 'site.example'],
  );
  const whole = JSON.stringify((await api.ask('viewer', 'GET', '/campaigns/1')).body);
  assert.ok(whole.includes(secret) && whole.includes('the submitter'), 'there is something to keep');
  for (const path of openedRoutes) {
    const text = JSON.stringify((await open(path.replace(':id', '1'))).body);
    assert.ok(!text.includes(secret) && !text.includes('the submitter'), `${path}: ${text}`);
  }
});

test('results are always a page by a link: all of them may be many megabytes', async (t) => {
  const { api, open } = await shared(t);
  assert.equal((await open('/campaigns/1/results')).body.nextCursor, null);
  assert.equal((await open('/campaigns/1/results?limit=1')).body.cells.length, 1);
  assert.equal((await api.ask('viewer', 'GET', '/campaigns/1/results')).body.nextCursor, undefined, 'with a token it is whole');
});

test('what is pasted elsewhere has the names without queries', async (t) => {
  const api = await tokenApi(t, access);
  await api.ask('submitter', 'POST', '/campaigns', { payload: { sites: [{ url: unnamed }] } });
  for (const [payload, words] of [
    [{ kind: 'result', campaignId: '1' }, 'site.example/other'],
    [{ kind: 'card', campaignId: '1' }, 'site.example/other'],
    [{ kind: 'badge', campaignId: '1' }, 'site.example/other'],
    [{ kind: 'badge', siteId: '1' }, 'HTTP/3 on site.example/other'],
  ] as const) {
    const { url, markdown, html } = (await make(api, payload)).body;
    assert.ok(markdown.startsWith(`[${payload.kind === 'result' ? '' : '!['}${words}](${url})`), markdown);
    const page = 'siteId' in payload ? '/#/sites/1' : '/#/campaigns/1';
    assert.equal(
      html,
      payload.kind === 'result' ? `<a href="${url}">${words}</a>` : `<a href="${page}"><img src="${url}" alt="${words}"></a>`,
    );
  }
});

test('no cache keeps it, no search engine lists it, no other page reads it, and nobody holds a request open', async (t) => {
  const { open } = await shared(t);
  for (const path of openedRoutes) {
    const { headers } = await open(path.replace(':id', '1'), 'GET', { origin: 'http://localhost' });
    assert.equal(headers['cache-control'], 'private, no-store', path);
    assert.equal(headers['x-robots-tag'], 'noindex, nofollow', path);
    assert.equal(headers['referrer-policy'], 'no-referrer', path);
    assert.equal(headers['access-control-allow-origin'], undefined, path);
  }
  const preflight = await open('/campaigns/1', 'OPTIONS', {
    origin: 'https://evil.example',
    'access-control-request-headers': 'authorization',
  });
  assert.equal(preflight.headers['access-control-allow-headers'], undefined);
  assert.equal((await open('/campaigns/1?wait=30')).status, 200);
});

test('a link shows the same to who is signed in', async (t) => {
  const { api, open } = await shared(t);
  const signedIn = await api.ask(null, 'POST', '/session', { payload: { token: api.tokens.admin } });
  const [{ name, value } = { name: '', value: '' }] = signedIn.cookies;
  const cookie = { cookie: `${name}=${value}` };
  assert.equal((await api.ask(null, 'GET', '/campaigns/2', { headers: cookie })).status, 200);
  assert.equal((await open('/campaigns/2', 'GET', cookie)).status, 403);
  assert.equal((await open('/campaigns/1', 'GET', cookie)).body.createdBy, null);
});

test('it ends: by its time, by being revoked, with its campaign, and where the operator allows it no more', async (t) => {
  const { api, link, open } = await shared(t);
  assert.equal(link.expiresAt, '2026-03-31T12:00:00.000Z');
  assert.match(link.url, /^\/#\/public\/1\/prl_[0-9a-f]{64}$/);
  const status = async (ask = open) => (await ask('/campaigns/1')).status;
  const second = (await make(api, { campaignId: '1', expiresAt: '2026-03-02T12:00:00Z' })).body;
  const openSecond = opening(api, second.url);
  assert.deepEqual([await status(), await status(openSecond)], [200, 200]);
  api.clock.now = Date.parse('2026-03-02T12:00:00Z');
  assert.deepEqual([await status(), await status(openSecond)], [200, 401]);

  await api.ask('submitter', 'DELETE', '/campaigns/1');
  assert.equal(await status(), 404);
  await api.ask('submitter', 'POST', '/campaigns/1/restore');
  assert.equal(await status(), 200);
  assert.equal((await api.ask('viewer', 'DELETE', `/public-links/${link.id}`)).status, 403);
  const revoked = await api.ask('submitter', 'DELETE', `/public-links/${link.id}`);
  assert.deepEqual([revoked.status, revoked.body.revokedAt], [200, '2026-03-02T12:00:00.000Z']);
  assert.equal(await status(), 401);
  assert.equal((await api.ask('submitter', 'DELETE', `/public-links/${link.id}`)).body.revokedAt, '2026-03-02T12:00:00.000Z', 'once more');

  const third = (await make(api, { campaignId: '1' })).body;
  await api.ask('submitter', 'DELETE', '/campaigns/1?purge=true');
  await api.app.campaignDeletion.settled();
  assert.equal(await status(opening(api, third.url)), 401);
  assert.deepEqual((await api.ask('viewer', 'GET', '/public-links')).body.items, []);
});

test('links that ended a year ago are forgotten', async (t) => {
  const api = await tokenApi(t, access);
  await api.ask('submitter', 'POST', '/campaigns', { payload: campaign });
  for (const expiresAt of ['2026-03-10T12:00:00Z', '2026-03-20T12:00:00Z', '2026-03-30T12:00:00Z'])
    await make(api, { campaignId: '1', expiresAt });
  await api.ask('submitter', 'DELETE', '/public-links/3');
  const listedAt = async (time: string) => {
    api.clock.now = Date.parse(time);
    await api.app.store.clock.believe();
    await api.app.campaignDeletion.tick();
    return (await api.ask('viewer', 'GET', '/public-links')).body.items.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await listedAt('2027-02-28T12:00:00Z'), ['3', '2', '1']);
  assert.deepEqual(await listedAt('2027-03-02T12:00:00Z'), ['2', '1'], 'revoked on 1 March');
  assert.deepEqual(await listedAt('2027-03-11T12:00:00Z'), ['2']);
});

test('an operator who allows fewer days, or none, ends the links that are there; badges stay', async (t) => {
  const folder = testFolder(t);
  const place = { database: `${folder}/pronghorn.db`, evidenceDirectory: `${folder}/evidence` };
  const api = await tokenApi(t, access, place);
  await api.ask('submitter', 'POST', '/campaigns', { payload: campaign });
  const [result, card, badge] = await Promise.all(
    ['result', 'card', 'badge'].map(async (kind): Promise<string> => (await make(api, { kind, campaignId: '1' })).body.url),
  );
  await api.app.close();
  for (const [publicLinkDays, elapsedDays, expected] of [
    [5, 4, [200, 200, 200]],
    [5, 5, [401, 401, 200]],
    [null, 0, [401, 401, 200]],
    [30, 29, [200, 200, 200]],
  ] as const) {
    const again = await testApi(t, { ...place, access: { kind: 'tokens', publicLinkDays } });
    again.clock.now += elapsedDays * 86_400_000;
    const headers = { authorization: `Bearer ${result?.split('/').at(-1)}` };
    const replies = await Promise.all(
      [{ url: '/api/v1/campaigns/1', headers }, card ?? '', badge ?? ''].map((asked) => again.app.inject(asked)),
    );
    const statuses = replies.map(({ statusCode }) => statusCode);
    assert.deepEqual(statuses, expected, `${publicLinkDays} days, after ${elapsedDays}`);
    await again.app.close();
  }
});

test('off by default; made by submitters, for one campaign, at most as long as allowed, and audited without its secret', async (t) => {
  const off = await tokenApi(t, { lookUp: access.lookUp });
  await off.ask('submitter', 'POST', '/campaigns', { payload: campaign });
  for (const kind of ['result', 'card']) {
    const { status, body } = await make(off, { kind, campaignId: '1' });
    assert.equal(status, 403);
    assert.match(body.detail, /access\.publicLinkDays/);
  }
  assert.equal((await off.ask('viewer', 'GET', '/session')).body.publicLinkDays, null);

  const { api, link } = await shared(t);
  assert.equal((await api.ask('viewer', 'GET', '/session')).body.publicLinkDays, 30);
  assert.equal((await make(api, { campaignId: '1' }, 'viewer')).status, 403);
  assert.equal((await make(api, { campaignId: '1' }, null)).status, 401);
  assert.equal((await make(api, { campaignId: '99' })).status, 404);
  for (const payload of [
    {},
    { campaignId: '1', siteId: '1' },
    { siteId: '1' },
    { campaignId: '1', branch: 'main' },
    { kind: 'badge', gateId: '1', view: 'cold' },
    { campaignId: '1', expiresAt: '2026-03-01T12:00:00Z' },
    { campaignId: '1', expiresAt: '2026-04-01T12:00:00Z' },
    { campaignId: '1', expiresAt: 'tomorrow' },
    { kind: 'everything', campaignId: '1' },
  ])
    assert.equal((await make(api, payload)).status, 400, JSON.stringify(payload));

  const secretOf = link.url.split('/').at(-1);
  const audit = await api.ask('admin', 'GET', '/audit');
  const [entry] = audit.body.items;
  assert.deepEqual(
    [entry.action, entry.by, entry.subject, entry.detail],
    ['public-link.create', 'the submitter', link.id, { kind: 'result', campaignId: '1', expiresAt: link.expiresAt }],
  );
  const stored = JSON.stringify(api.app.database.prepare('SELECT *, hex(hash) AS hexed FROM public_links').all());
  const list = await api.ask('viewer', 'GET', '/public-links?campaignId=1');
  for (const text of [JSON.stringify(audit.body), stored, JSON.stringify(list.body)]) assert.ok(!text.includes(secretOf), text);
});

test('a link says who made it, until when, and when it was used last; whose the campaign is revokes it too', async (t) => {
  const { api, open } = await shared(t);
  const listed = async () => (await api.ask('viewer', 'GET', '/public-links?campaignId=1')).body.items[0];
  const { createdBy, expiresAt, lastUsedAt } = await listed();
  assert.deepEqual([createdBy, expiresAt, lastUsedAt], ['the submitter', '2026-03-31T12:00:00.000Z', null]);
  api.clock.now += 90_000;
  await open('/campaigns/1');
  assert.equal((await listed()).lastUsedAt, '2026-03-01T12:01:00.000Z');
  assert.deepEqual((await api.ask('viewer', 'GET', '/public-links?campaignId=2')).body.items, []);

  const ofAdmin = (await make(api, { campaignId: '1' }, 'admin')).body;
  assert.equal((await api.ask('submitter', 'DELETE', `/public-links/${ofAdmin.id}`)).status, 200, 'the campaign is its own');
  const other = (await api.ask('admin', 'POST', '/tokens', { payload: { name: 'other', role: 'submitter' } })).body.token;
  const { status } = await api.ask(null, 'DELETE', '/public-links/1', { headers: { authorization: `Bearer ${other}` } });
  assert.equal(status, 403);
  assert.equal((await api.ask('admin', 'DELETE', '/public-links/1')).status, 200);
  assert.equal((await api.ask('admin', 'DELETE', '/public-links/99')).status, 404);
});

test('who guesses is held up by address, and who has a link is counted as who has no token', async (t) => {
  const { api, open } = await shared(t, { rateLimits: { failedSignIns: 3, withoutToken: 20 } });
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) {
    const headers = { authorization: `Bearer prl_${String(n).padStart(64, '0')}` };
    statuses.push((await api.ask(null, 'GET', '/campaigns/1', { headers, remoteAddress: '198.51.100.7' })).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 429, 429, 429]);
  const used: number[] = [];
  for (let n = 0; n < 22; n++) used.push((await open('/campaigns/1')).status);
  assert.ok(used.slice(0, 15).every((status) => status === 200) && used.at(-1) === 429, String(used));
});

test('the log has the number of the link, and not what opens it', async (t) => {
  let log = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += chunk;
      done();
    },
  });
  const api = await tokenApi(t, access, { logger: { level: 'debug', pretty: false, stream } });
  await api.ask('submitter', 'POST', '/campaigns', { payload: campaign });
  const { url } = (await make(api, { campaignId: '1' })).body;
  const badge = (await make(api, { kind: 'badge', campaignId: '1' })).body.url;
  await opening(api, url)('/campaigns/1');
  await opening(api, url)('/campaigns');
  await api.app.inject(badge);
  assert.match(log, /public link 1/);
  assert.doesNotMatch(log, /prl_/);
});

test('a name that was made of a page’s URL is public without its query, one that somebody chose as it is', () => {
  const url = 'https://site.example/a?key=1';
  for (const [name, expected] of [
    ['site.example/a?key=1', 'site.example/a'],
    ['site.example/a?ke… and 3 more', 'site.example/a and 3 more'],
    ['site.example/a?key=1 and 3 more', 'site.example/a and 3 more'],
    ['shop (?key=1)', 'shop ()'],
    ['Why? Because.', 'Why? Because.'],
  ] as const)
    assert.equal(publicName(name, [{ url }]), expected);
  assert.equal(publicName('site.example?x=1', [{ url: 'https://site.example/?x=1' }]), 'site.example');
});
