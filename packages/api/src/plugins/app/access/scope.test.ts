import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { problemType, type TokenScope } from '@pronghorn/core/schemas';
import { type Asking, tokenApi } from '../../../testing/test-api.ts';

const pages = { shop: 'https://www.shop.example/', else: 'https://else.example/' };
const campaignOf = (url: string) => ({ sites: [{ url }], rounds: 1, protocols: ['h3' as const] });
const budget = { assertions: ['onLoad p75 h3 <= 1 s'] };
const scheduleOf = (name: string, url: string) => ({ name, cron: '30 2 * * *', campaign: campaignOf(url) });

/** With a token of a scope, a gate, a schedule and a campaign of the shop, and others of elsewhere: all of them the token's own. */
async function scoped(t: TestContext, scope: TokenScope) {
  const api = await tokenApi(t, { lookUp: async () => [{ address: '93.184.216.34' }] });
  const before = (await api.ask('admin', 'POST', '/tokens', { payload: { name: 'ci', role: 'submitter' } })).body;
  const asCi = { authorization: `Bearer ${before.token}` };
  const ids: Record<string, string> = {};
  for (const [name, url] of Object.entries(pages)) {
    for (const [path, payload] of [
      ['/campaigns', campaignOf(url)],
      ['/gates', { name, campaign: campaignOf(url), rules: budget }],
      ['/schedules', scheduleOf(name, url)],
    ] as const) {
      const { status, body } = await api.ask(null, 'POST', path, { payload, headers: asCi });
      assert.equal(status, 201, JSON.stringify(body));
      ids[`${path.slice(1, -1)} ${name}`] = body.id;
    }
  }
  // A name that is free again is another token's, with what the one before made.
  await api.ask('admin', 'DELETE', `/tokens/${before.id}`);
  const made = await api.ask('admin', 'POST', '/tokens', { payload: { name: 'ci', role: 'submitter', scope } });
  assert.deepEqual([made.status, made.body.scope], [201, scope]);
  const as = (method: string, path: string, payload?: object) =>
    api.ask(null, method, path, {
      headers: { authorization: `Bearer ${made.body.token}` },
      ...(payload === undefined ? {} : { payload }),
    } as Asking);
  const id = (what: string) => ids[what] as string;
  return { api, as, id };
}

/** Of each route that makes or changes something, what a submitter sends it about a page, by its name; null: it is about none. */
type Sent = ((id: (what: string) => string, page: keyof typeof pages) => [path: string, payload?: object]) | null;
const changing: Record<string, Sent> = {
  'POST /campaigns': (_, page) => ['/campaigns', campaignOf(pages[page])],
  'POST /campaigns/preview': null, // tells what is wrong instead of refusing
  'POST /campaigns/:id/clone': (id, page) => [`/campaigns/${id(`campaign ${page}`)}/clone`, {}],
  'POST /campaigns/:id/cancel': (id, page) => [`/campaigns/${id(`campaign ${page}`)}/cancel`],
  'POST /campaigns/:id/resume': (id, page) => [`/campaigns/${id(`campaign ${page}`)}/resume`],
  'DELETE /campaigns/:id': (id, page) => [`/campaigns/${id(`campaign ${page}`)}`],
  'POST /gates': (_, page) => ['/gates', { name: 'new', campaign: campaignOf(pages[page]), rules: budget }],
  'PUT /gates/:id': (id, page) => [`/gates/${id(`gate ${page}`)}`, { name: page, campaign: null, rules: budget }],
  'DELETE /gates/:id': (id, page) => [`/gates/${id(`gate ${page}`)}`],
  'POST /gates/check': (id, page) => ['/gates/check', { gateId: id(`gate ${page}`) }],
  'POST /schedules': (_, page) => ['/schedules', scheduleOf('new', pages[page])],
  'PUT /schedules/:id': (id, page) => [`/schedules/${id(`schedule ${page}`)}`, scheduleOf(page, pages.shop)],
  'POST /schedules/:id/pause': (id, page) => [`/schedules/${id(`schedule ${page}`)}/pause`],
  'POST /schedules/:id/resume': (id, page) => [`/schedules/${id(`schedule ${page}`)}/resume`],
  'POST /schedules/:id/start': (id, page) => [`/schedules/${id(`schedule ${page}`)}/start`],
  'DELETE /schedules/:id': (id, page) => [`/schedules/${id(`schedule ${page}`)}`],
};
/** What leads nowhere by itself: for tokens without a scope. */
const unscoped = [
  ...['POST /conditions', 'PUT /conditions/:name', 'DELETE /conditions/:name', 'POST /imports/har', 'DELETE /imports/:id'],
  ...['PUT /visits/:id/pin', 'DELETE /visits/:id/pin', 'POST /gates/:id/badge', 'POST /sites/:id/badge', 'POST /campaigns/:id/restore'],
  ...['PUT /sites/:id/tags', 'POST /alerts/:id/acknowledge', 'DELETE /alerts/:id/acknowledge'],
];
const outOfScope = problemType('out-of-scope');

test('each route that makes or changes something says what scopes do there', async (t) => {
  const { app } = await tokenApi(t);
  const routes = app.routeAccess
    .filter(({ method, access, url }) => access === 'submitter' && method !== 'GET' && method !== 'HEAD' && url.startsWith('/api/v1/'))
    .map(({ method, url }) => `${method} ${url.replace('/api/v1', '')}`);
  assert.deepEqual(routes.sort(), [...Object.keys(changing), ...unscoped].sort());
});

test('a token for hosts makes and changes what leads there, and nothing else', async (t) => {
  for (const [route, sent] of Object.entries(changing)) {
    if (sent === null) continue;
    const { api, as, id } = await scoped(t, { hosts: ['*.shop.example'] });
    const [method = ''] = route.split(' ');
    const refused = await as(method, ...sent(id, 'else'));
    assert.deepEqual([refused.status, refused.body.type], [403, outOfScope], `${route}: ${JSON.stringify(refused.body)}`);
    assert.match(
      refused.body.detail,
      /^else\.example is not within the scope of "ci"\. "ci" may read, and make and change what leads to \*\.shop\.example only\./,
    );
    const done = await as(method, ...sent(id, 'shop'));
    assert.ok(
      done.status < 300 || done.body.type === problemType('campaign-active'),
      `${route}: ${done.status} ${JSON.stringify(done.body)}`,
    );
    await api.app.close();
  }
});

test('a token for gates asks these, and makes and changes nothing else', async (t) => {
  const { api, as, id } = await scoped(t, { gates: ['sh*p', 'nightly'] });
  for (const { method, url, access } of api.app.routeAccess.filter(({ url }) => url.startsWith('/api/v1/'))) {
    const isRead = method === 'GET' || method === 'HEAD' || access === 'viewer' || access === 'anyone';
    if (isRead || url === '/api/v1/gates/check') continue;
    const path = url.replace('/api/v1', '');
    const sent = changing[`${method} ${path}`]?.(id, 'shop') ?? [path.replaceAll(/:\w+/g, '1')];
    const { status, body } = await as(method, ...sent);
    assert.deepEqual([status, body.type], [403, access === 'submitter' ? outOfScope : problemType('forbidden')], `${method} ${url}`);
    if (access === 'submitter')
      assert.match(
        body.detail,
        /is not within the scope of "ci"\. "ci" may read, and ask gates sh\*p and nightly only\. Ask with another token\.$/,
      );
  }
  for (const path of ['/campaigns', '/gates', '/schedules/1', '/campaigns/1/gates'])
    assert.equal((await as('GET', path)).status, 200, path);
  assert.equal((await as('POST', '/gates/check', { gateId: id('gate shop') })).status, 202);
});

test('a gate is asked as it is stored: its page, its rules', async (t) => {
  const { api, as, id } = await scoped(t, { gates: ['shop'] });
  const ask = async (question: object) => {
    const { status, body } = await as('POST', '/gates/check', question);
    return status === 403 ? body.detail.split('. ')[0] : status;
  };
  const gateId = id('gate shop');
  assert.equal(await ask({ gateId: id('gate else') }), `Gate ${id('gate else')}, "else", is not within the scope of "ci"`);
  assert.equal(
    await ask({ campaignId: id('campaign shop'), ...budget }),
    'The question has rules of its own; "ci" may ask stored gates only (gateId, or --gate of the command)',
  );
  assert.equal(await ask({ gateId, campaignId: id('campaign shop') }), 202);
  const stored = (await as('GET', `/gates/${gateId}`)).body.campaign;
  assert.equal(await ask({ gateId, campaign: { ...stored, annotations: { commit: 'abc' } } }), 202);
  const other = 'The question has another campaign than gate "shop", and the scope of "ci" names no hosts';
  for (const campaign of [
    campaignOf(pages.else),
    { ...stored, rounds: 10_000 },
    { ...stored, visitor: { proxy: 'http://else.example:1' } },
  ])
    assert.equal(await ask({ gateId, campaign }), other);
  const both = await scoped(t, { gates: ['shop'], hosts: ['*.shop.example'] });
  const asked = await both.as('POST', '/gates/check', { gateId, campaign: campaignOf('https://preview.shop.example/') });
  assert.equal(asked.status, 202);
  const away = await both.as('POST', '/gates/check', { gateId, campaign: campaignOf(pages.else) });
  assert.match(away.body.detail, /may read, and ask gate shop of what leads to \*\.shop\.example only/);
  assert.equal((await both.as('POST', '/campaigns', campaignOf(pages.shop))).status, 403);
  await api.app.close();
});

test('a token for gates cancels what it made by asking them, and no other campaign', async (t) => {
  const { api, as, id } = await scoped(t, { gates: ['shop'] });
  const made = (await as('POST', '/gates/check', { gateId: id('gate shop') })).body.campaignId;
  assert.deepEqual([(await as('POST', `/campaigns/${made}/cancel`)).body.state], ['cancelled']);
  assert.equal((await as('POST', `/campaigns/${made}/resume`)).status, 403);
  const asOther = await api.ask('submitter', 'POST', '/gates/check', { payload: { gateId: id('gate shop') } });
  const refused = async (campaignId: string) => {
    const { status, body } = await as('POST', `/campaigns/${campaignId}/cancel`);
    return [status, body.type];
  };
  assert.deepEqual(await refused(asOther.body.campaignId), [403, problemType('forbidden')]);
  // Asked of it later, which makes it no campaign of the gate.
  const before = id('campaign shop');
  await api.ask('admin', 'POST', '/gates/check', { payload: { campaignId: before, ...budget } });
  assert.equal((await as('POST', '/gates/check', { gateId: id('gate shop'), campaignId: before })).status, 202);
  assert.deepEqual(await refused(before), [403, outOfScope]);
});

test('steps, proxies and pages before a page must lead to the hosts too, and are named', async (t) => {
  const { as } = await scoped(t, { hosts: ['www.shop.example'] });
  const site = { url: pages.shop };
  for (const [request, pointer] of [
    [{ sites: [site, { url: 'https://shop.example/' }] }, '#/sites/1/url'],
    [{ sites: [site], visitor: { steps: [{ goto: '//else.example/login' }] } }, '#/visitor/steps/0/goto'],
    [
      { sites: [{ ...site, visitor: { steps: [{ goto: '/login' }, { goto: 'http://else.example/' }] } }] },
      '#/sites/0/visitor/steps/1/goto',
    ],
    [
      { sites: [{ url: 'http://www.shop.example/' }], protocols: ['h1'], visitor: { steps: [{ goto: 'https:else.example/' }] } },
      '#/visitor/steps/0/goto',
    ],
    [{ sites: [site], protocols: ['h2'], visitor: { proxy: 'socks5://else.example:1080' } }, '#/visitor/proxy'],
    [{ sites: [site], views: ['warm'], visitor: { after: ['/', 'https://else.example/'] } }, '#/visitor/after/1'],
  ] as const) {
    for (const [path, payload, at] of [
      ['/campaigns', request, ''],
      ['/schedules', { name: 'new', cron: '30 2 * * *', campaign: request }, ''],
      ['/gates', { name: 'new', campaign: request, rules: { assertions: ['onLoad p75 <= 1 s'] } }, ''],
    ] as const) {
      const { status, body } = await as('POST', path, payload);
      assert.deepEqual([status, body.type, body.errors?.[0]?.pointer], [403, outOfScope, at + pointer], `${path} ${JSON.stringify(body)}`);
    }
    const preview = await as('POST', '/campaigns/preview', request);
    assert.deepEqual(
      preview.body.problems.map(({ type, pointer: at }: { type: string; pointer: string }) => [type, at]),
      [[outOfScope, pointer]],
    );
  }
  assert.equal((await as('POST', '/campaigns', { sites: [site], visitor: { steps: [{ goto: '/login' }] } })).status, 201);
});

test('a scope is of a submitter, and of hosts and gates that can be', async (t) => {
  const api = await tokenApi(t);
  const make = async (role: string, scope: object) => {
    const { status, body } = await api.ask('admin', 'POST', '/tokens', { payload: { name: 'x', role, scope } });
    return [status, body.errors?.[0]?.pointer];
  };
  for (const role of ['viewer', 'runner', 'admin']) assert.deepEqual(await make(role, { gates: ['x'] }), [400, '#/scope']);
  assert.deepEqual(await make('submitter', { hosts: ['ok.example', '*.com'] }), [400, '#/scope/hosts/1']);
  for (const scope of [{}, { gates: [] }, { hosts: [''] }, { paths: ['x'] }, { gates: 'x' }])
    assert.equal((await make('submitter', scope))[0], 400, JSON.stringify(scope));
  assert.deepEqual(await make('submitter', { gates: ['*'], hosts: ['*.shop.example', '10.0.0.1'] }), [201, undefined]);
  const [entry] = (await api.ask('admin', 'GET', '/audit')).body.items;
  assert.deepEqual(entry.detail, {
    name: 'x',
    role: 'submitter',
    expiresAt: null,
    scope: { gates: ['*'], hosts: ['*.shop.example', '10.0.0.1'] },
  });
});
