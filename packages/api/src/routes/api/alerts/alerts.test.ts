import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Alert, AlertPage, CampaignRequest, Outcome, SiteStatus } from '@pronghorn/core/schemas';
import { samples } from '@pronghorn/core/testing';
import { firstSteps } from '@pronghorn/core/text';
import { campaign, night, nightly, nights, type Place } from '../../../testing/nights.ts';
import { receiver } from '../../../testing/receiver.ts';
import { sampleEnvironment, sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { sharedStores } from '../../../testing/stores.ts';
import { type TestApi, testApi, testFolder, tokenApi } from '../../../testing/test-api.ts';
import { tickingServices } from '../../../testing/ticking-services.ts';

const alertsOf = async (api: TestApi, query = ''): Promise<AlertPage> => (await api.get(`/alerts?${query}`)).body;
const statusOf = async (api: TestApi, name: string): Promise<SiteStatus> =>
  (await api.get('/sites/status')).body.items.find((site: SiteStatus) => site.name === name);

/** With its commit, as a pipeline has it. */
const committed = (api: TestApi, schedule: string, commit: string) =>
  api.put(`/schedules/${schedule}`, {
    ...{ name: 'nightly', cron: '30 2 * * *', paused: true },
    campaign: { ...campaign, annotations: { commit, branch: 'main' } },
  });

const isH3OfShop = ({ site, condition, protocol }: Place) => site === 'shop' && condition === 'latency-50' && protocol === 'h3';
const by = (factor: number) => (place: Place) => (isH3OfShop(place) ? factor : 1);

/** Seven nights, then two that are 31 % slower in one place: performed once, and copied. @returns the schedule, and the two nights. */
async function steppedNights(t: TestContext) {
  made ??= await makeSteppedNights(t);
  const { content, now, ...nights } = made;
  const database = join(testFolder(t), 'pronghorn.db');
  writeFileSync(database, content);
  const api = await testApi(t, { database });
  api.clock.now = now;
  return { api, ...nights };
}

let made: Awaited<ReturnType<typeof makeSteppedNights>> | undefined;

async function makeSteppedNights(t: TestContext) {
  const api = await testApi(t);
  const schedule = await nightly(api);
  for (const noise of nights) await night(api, schedule, noise);
  await committed(api, schedule, '8abc0de8');
  const first = await night(api, schedule, 1, by(1.31));
  await committed(api, schedule, '9abc0de9');
  const second = await night(api, schedule, -1, by(1.31));
  return { schedule, first, second, now: api.clock.now, content: api.app.database.serialize() };
}

test('a step of 31 % is an alert and in its site’s status with its commit, until the level is back', async (t) => {
  const { api, schedule, first, second } = await steppedNights(t);
  const { items, open } = await alertsOf(api);
  const [alert, ...others] = items as [Alert];
  assert.deepEqual([open, others], [1, []]);
  const shop = await statusOf(api, 'shop');
  const since = { at: '2026-03-09T12:00:00.000Z', campaignId: first, commit: '8abc0de8', browserChange: null };
  assert.deepEqual(alert, {
    id: '1',
    ...{ kind: 'regression', state: 'open', campaignId: second, firstCampaignId: second, scheduleId: schedule, gateId: null },
    ...{ siteId: shop.siteId, siteName: 'shop', title: 'shop: onLoad got 31 % slower over HTTP/3' },
    words:
      'onLoad got 31 % slower over HTTP/3 under latency-50: 1,003 → 1,312 ms, since 8abc0de8 (9 Mar). The last two campaigns are at least 29 % above the 7 before, which differ by 1.3 % anyway; p = 0.028 corrected for 8 comparisons.',
    ...{ createdAt: '2026-03-10T12:00:00.000Z', lastSeenAt: '2026-03-10T12:00:00.000Z', since },
    ...{ acknowledgedAt: null, acknowledgedBy: null, resolvedAt: null },
  });
  assert.deepEqual([shop.alerts, (await statusOf(api, 'blog')).alerts], [1, 0]);
  const { share, ms, worse, ...change } = shop.change ?? assert.fail();
  assert.deepEqual([Math.round((share ?? 0) * 100), Math.round(ms ?? 0)], [31, 309]);
  assert.deepEqual(change, {
    ...{ state: 'worse', condition: 'latency-50', protocol: 'h3', since },
    ...{ at: '2026-03-10T12:00:00.000Z', compared: ['native', 'latency-50'] },
    words: 'onLoad got 31 % slower over HTTP/3 under latency-50: 1,003 → 1,312 ms, since 8abc0de8 (9 Mar).',
  });
  assert.deepEqual(
    worse.map(({ before, level, ...one }) => ({ ...one, before: Math.round(before), level: Math.round(level) })),
    [
      {
        ...{ condition: 'latency-50', view: 'cold', protocol: 'h3', metric: 'onLoad', failing: false },
        words: change.words,
        before: 1003,
        level: 1312,
      },
    ],
  );
  assert.equal((await statusOf(api, 'blog')).change?.state, 'steady');
  assert.deepEqual(
    (await api.get('/sites/status')).body.items.map(({ name }: SiteStatus) => name),
    ['shop', 'blog'],
    'worst first',
  );

  const metrics = (await api.app.inject('/metrics')).body;
  assert.match(metrics, /^pronghorn_alerts\{kind="regression",state="open"\} 1$/m);

  const third = await night(api, schedule, 1, by(1.31));
  const [again] = (await alertsOf(api)).items;
  assert.deepEqual([again?.id, again?.campaignId, again?.firstCampaignId, again?.since], ['1', third, second, since], 'one, updated');
  await night(api, schedule, 0);
  assert.equal((await alertsOf(api)).items[0]?.state, 'open', 'one night at the old level is none');
  await night(api, schedule, 0);
  const [over] = (await alertsOf(api)).items;
  assert.deepEqual([over?.state, over?.resolvedAt], ['resolved', '2026-03-13T12:00:00.000Z']);
  assert.deepEqual([(await alertsOf(api)).open, (await alertsOf(api, 'state=open')).items], [0, []]);
  assert.equal((await statusOf(api, 'shop')).change?.state, 'steady');
  assert.deepEqual(
    (await alertsOf(api, `campaignId=${second}`)).items.map(({ id }) => id),
    ['1'],
    'its campaigns go on to show it',
  );
});

test('a regression stays after its level has become the usual one, where nothing is found any more', async (t) => {
  const { api, schedule } = await steppedNights(t);
  for (const noise of [...nights, ...nights]) await night(api, schedule, noise, by(1.31));
  const [alert, ...others] = (await alertsOf(api)).items;
  assert.deepEqual([alert?.state, others], ['open', []]);
  assert.match(
    alert?.words ?? '',
    /^onLoad got 31 % slower over HTTP\/3 under latency-50: 1,003 → 1,3\d\d ms, since 8abc0de8 \(9 Mar\)\.$/,
  );
});

test('a site is steady by its own medians alone, under a condition that its schedule compared, and says of which day', async (t) => {
  const api = await testApi(t);
  const schedule = await nightly(api);
  for (const noise of nights) await night(api, schedule, noise);
  const changeOf = async (name: string, query = '') => {
    const { change } = (await api.get(`/sites/status?${query}`)).body.items.find((site: SiteStatus) => site.name === name) as SiteStatus;
    return [change?.state, change?.at?.slice(0, 10) ?? null, change?.compared];
  };
  const steady = ['steady', '2026-03-08', ['native', 'latency-50']];
  assert.deepEqual(await changeOf('shop'), steady);
  assert.deepEqual(
    (await statusOf(api, 'shop')).change?.words,
    'No regression under native and latency-50: compared with the 6 campaigns before.',
  );

  await performed(api, {}, took(3000));
  assert.deepEqual(await changeOf('shop'), ['steady', '2026-03-08', ['native']], 'what is shown is a later campaign under one condition');
  assert.match((await statusOf(api, 'shop')).change?.words ?? '', /Campaign 8 was not compared\.$/);
  await performed(api, { conditions: ['4g'] }, took(3000));
  const none = ['not-compared', null, []];
  assert.deepEqual([await changeOf('shop'), await changeOf('shop', 'condition=4g')], [none, none]);

  const { id } = (await api.get('/sites?search=shop')).body.items[0];
  const isDown = ({ site }: Place) => (site === 'shop' ? Number.POSITIVE_INFINITY : 1);
  const lost = await night(api, schedule, 0, isDown);
  assert.deepEqual([await changeOf('shop'), (await changeOf('blog'))[0]], [none, 'steady']);
  const { compared, unmeasured } = (await api.get(`/campaigns/${lost}/regressions`)).body;
  assert.deepEqual([unmeasured, compared.filter(({ siteId }: { siteId: string }) => siteId === id)], [['shop'], []]);
  await api.campaign({ sites: [{ url: 'https://shop.example/', name: 'The shop' }], annotations: { branch: 'x' } });
  assert.deepEqual(await changeOf('The shop'), none, 'another name is no measurement');

  const sites = [...(campaign.sites ?? []), { url: 'https://new.example/', name: 'new' }];
  await api.put(`/schedules/${schedule}`, { name: 'nightly', cron: '30 2 * * *', paused: true, campaign: { ...campaign, sites } });
  await night(api, schedule, 0);
  assert.deepEqual([await changeOf('new'), (await changeOf('blog'))[0]], [none, 'steady']);
});

test('regressions come before failed gates, and these before sites that were not measured, however many there are', async (t) => {
  const { api } = await steppedNights(t);
  const rules = { assertions: ['onLoad p75 <= 1 s'] };
  const { id: gateId } = (await api.post('/gates', { name: 'budget', campaign: null, rules })).body;
  await performed(api, {}, took(1500), gateId);
  const sites = Array.from({ length: 25 }, (_, n) => ({ url: `https://${n}.example/` }));
  await performed(api, { sites, rounds: 1 }, down);
  const kinds: string[] = [];
  const ids: number[] = [];
  for (let cursor = ''; ; ) {
    const { items, nextCursor } = await alertsOf(api, `state=open&limit=10${cursor}`);
    kinds.push(...items.map(({ kind }) => kind));
    ids.push(...items.map(({ id }) => Number(id)));
    if (nextCursor === null) break;
    cursor = `&cursor=${nextCursor}`;
  }
  assert.deepEqual(kinds, ['regression', 'gate-failed', ...sites.map(() => 'site-unmeasured')]);
  assert.deepEqual(ids, [1, 2, ...sites.map((_, n) => 27 - n)], 'newest first');
  assert.equal((await alertsOf(api)).items[0]?.kind, 'site-unmeasured', 'of all states the newest');
});

test('who knows of an alert acknowledges it: it counts no longer, and stays until it is over or gets worse', async (t) => {
  const { api, schedule } = await steppedNights(t);
  const { status, body } = await api.post('/alerts/1/acknowledge');
  assert.deepEqual([status, body.state, body.acknowledgedAt, body.acknowledgedBy], [200, 'acknowledged', '2026-03-10T12:00:00.000Z', null]);
  assert.equal((await alertsOf(api)).open, 0);
  const shop = await statusOf(api, 'shop');
  assert.deepEqual([shop.alerts, shop.change?.state], [0, 'worse']);
  assert.equal((await api.delete('/alerts/1/acknowledge')).body.state, 'open');
  await api.post('/alerts/1/acknowledge');
  await night(api, schedule, 0, by(1.31));
  assert.equal((await alertsOf(api)).items[0]?.state, 'acknowledged', 'the same again');
  const alsoH2 = (place: Place) => (isH3OfShop(place) || (place.site === 'shop' && place.condition === 'native') ? 1.31 : 1);
  await night(api, schedule, 0, alsoH2);
  await night(api, schedule, 1, alsoH2);
  const [worse, ...others] = (await alertsOf(api)).items;
  assert.deepEqual([worse?.state, others], ['open', []]);
  assert.match(worse?.title ?? '', /^shop: onLoad got 3\d % slower over HTTP\/[23], and in 2 more cases$/);
  const actions = (await api.get('/audit')).body.items.map(({ action }: { action: string }) => action);
  assert.deepEqual(
    actions.filter((action: string) => action.startsWith('alert.')),
    ['alert.acknowledge', 'alert.reopen', 'alert.acknowledge'],
  );
  for (const answer of [await api.post('/alerts/9/acknowledge'), await api.delete('/alerts/9/acknowledge'), await api.get('/alerts/9')])
    assert.equal(answer.status, 404);
});

test('a second step on top of the first opens an acknowledged alert again, and is since its own commit', async (t) => {
  const { api, schedule } = await steppedNights(t);
  await api.post('/alerts/1/acknowledge');
  for (const noise of nights) await night(api, schedule, noise, by(1.31));
  assert.equal((await alertsOf(api)).items[0]?.state, 'acknowledged');
  await committed(api, schedule, 'bad00bad');
  const second = await night(api, schedule, 1, by(1.9));
  await night(api, schedule, 0, by(1.9));
  const [alert, ...others] = (await alertsOf(api)).items;
  assert.deepEqual([alert?.state, alert?.since?.campaignId, alert?.since?.commit, others], ['open', second, 'bad00bad', []]);
});

test('one good night neither moves a regression nor opens an acknowledged one again', async (t) => {
  const { api, schedule } = await steppedNights(t);
  await api.post('/alerts/1/acknowledge');
  const said = (await statusOf(api, 'shop')).change?.words;
  const commits = ['ccccccc1', 'ccccccc2', 'ccccccc3', 'ccccccc4', 'ccccccc5'];
  for (const [n, factor] of [1, 1.31, 1.31, 1, 1.31].entries()) {
    await committed(api, schedule, commits[n] as string);
    const id = await night(api, schedule, nights[n] as number, by(factor));
    const [alert, ...others] = (await alertsOf(api)).items;
    assert.deepEqual([alert?.state, alert?.since?.commit, others], ['acknowledged', '8abc0de8', []]);
    const { words } = (await statusOf(api, 'shop')).change ?? {};
    const steps = /^onLoad got (29|3[12]) % slower over HTTP\/3 under latency-50: 1,003 → 1,(299|3[012]\d) ms, since 8abc0de8 \(9 Mar\)/;
    assert.match(words ?? '', steps, `${said} (${n})`);
    const { regressions } = (await api.get(`/campaigns/${id}/regressions`)).body;
    for (const one of regressions)
      assert.match(one.words, new RegExp(steps.source.replace('^', '^shop: ')), 'found again, it is told as it is known');
  }
});

test('what was fine for two nights and is slow again is the same alert, opened again since the night that it came back, and told', async (t) => {
  const { api, schedule } = await steppedNights(t);
  const { url, got } = await receiver(t);
  await api.post('/notifications', { name: 'team', kind: 'webhook', events: ['regression-found'], url });
  await api.post('/alerts/1/acknowledge');
  const fine = [await night(api, schedule, 0, by(0.5)), await night(api, schedule, 0, by(0.5))];
  assert.deepEqual([(await alertsOf(api)).items[0]?.state, (await statusOf(api, 'shop')).change?.state], ['resolved', 'steady']);
  await committed(api, schedule, 'aaa0aaa0');
  const back = await night(api, schedule, 1, by(1.31));
  assert.equal((await alertsOf(api)).items[0]?.state, 'resolved', 'one slow night is none');
  await api.app.notifications.tick();
  got.length = 0;
  await night(api, schedule, 0, by(1.31));
  await api.app.notifications.tick();
  const { title, lines, details } = JSON.parse(got[0]?.text ?? '{}');
  assert.deepEqual([title, details, got.length], ['nightly: a regression', [], 1]);
  assert.match(
    lines[0],
    /^Again, shop: onLoad got 3\d % slower over HTTP\/3 under latency-50: 1,003 → 1,3\d\d ms, since aaa0aaa0 \(13 Mar\)\.$/,
  );
  for (const noise of nights) {
    const [alert, ...others] = (await alertsOf(api)).items;
    assert.deepEqual(
      [alert?.id, alert?.state, alert?.since?.campaignId, alert?.since?.commit, others],
      ['1', 'open', back, 'aaa0aaa0', []],
    );
    assert.match((await statusOf(api, 'shop')).change?.words ?? '', /: 1,003 → 1,(299|3\d\d) ms, since aaa0aaa0 \(13 Mar\)\.$/);
    await night(api, schedule, noise, by(1.31));
  }
  for (const id of fine) await api.delete(`/campaigns/${id}`);
  assert.equal((await alertsOf(api)).items[0]?.since?.commit, '8abc0de8', 'without the nights in between, it never went');
});

test('what gets worse elsewhere on a site after a regression is over is another alert', async (t) => {
  const { api, schedule } = await steppedNights(t);
  for (const noise of [0, 0]) await night(api, schedule, noise);
  const other = ({ site, condition }: Place) => (site === 'shop' && condition === 'native' ? 1.5 : 1);
  for (const noise of [1, 0]) await night(api, schedule, noise, other);
  assert.deepEqual(
    (await alertsOf(api)).items.map(({ id, state, title }) => [id, state, title]),
    [
      ['2', 'open', 'shop: onLoad got 51 % slower over HTTP/2, and in 1 more case'],
      ['1', 'resolved', 'shop: onLoad got 31 % slower over HTTP/3'],
    ],
  );
});

test('a deleted campaign takes its numbers and what it resolved with it, and brings both back', async (t) => {
  const { api, schedule, second } = await steppedNights(t);
  const said = async () => [
    (await statusOf(api, 'shop')).change?.words,
    (await alertsOf(api)).items.map(({ state, title }) => [state, title]),
  ];
  const step = [
    'onLoad got 31 % slower over HTTP/3 under latency-50: 1,003 → 1,312 ms, since 8abc0de8 (9 Mar).',
    [['open', 'shop: onLoad got 31 % slower over HTTP/3']],
  ];
  assert.deepEqual(await said(), step);
  const double = [await night(api, schedule, 0, by(2)), await night(api, schedule, 0, by(2))];
  const twice = await said();
  assert.match(`${twice[0]}`, /53 % slower .*: 1,312 → 2,002 ms, since 11 Mar\.$/, 'a step on top of the first');
  for (const id of double) await api.delete(`/campaigns/${id}`);
  assert.deepEqual(await said(), step);
  for (const id of double) await api.post(`/campaigns/${id}/restore`);
  assert.deepEqual(await said(), twice);
  for (const id of double) await api.delete(`/campaigns/${id}`);

  const fine = [await night(api, schedule, 0, by(0.5)), await night(api, schedule, 0, by(0.5))];
  assert.equal((await alertsOf(api)).items[0]?.state, 'resolved');
  await api.delete(`/campaigns/${fine[0]}`);
  assert.deepEqual(await said(), step, 'one fine night is none');
  await api.delete(`/campaigns/${fine[1]}`);
  assert.deepEqual(await said(), step);
  for (const id of fine) await api.post(`/campaigns/${id}/restore`);
  assert.equal((await alertsOf(api)).items[0]?.state, 'resolved');
  for (const id of fine) await api.delete(`/campaigns/${id}`);
  assert.equal((await alertsOf(api)).items[0]?.campaignId, second);
});

test('a night that was odd and is deleted is no part of a level', async (t) => {
  const { api, schedule } = await steppedNights(t);
  const [odd, , also] = [
    await night(api, schedule, 0, by(2)),
    await night(api, schedule, 0, by(1.31)),
    await night(api, schedule, 0, by(2)),
  ];
  assert.match((await statusOf(api, 'shop')).change?.words ?? '', /2,002 ms/);
  for (const id of [odd, also]) await api.delete(`/campaigns/${id}`);
  assert.match((await statusOf(api, 'shop')).change?.words ?? '', /: 1,003 → 1,312 ms, since 8abc0de8 \(9 Mar\)\.$/);
});

test('a commit that the nights before had, too, is not named, and another browser is', async (t) => {
  const api = await testApi(t);
  const schedule = await nightly(api, { campaign: { ...campaign, annotations: { commit: '8abc0de8', branch: 'main' } } });
  const [old, updated] = ['a', 'b'].map((letter) => letter.repeat(64)) as [string, string];
  for (const [id, product] of Object.entries({ [old]: 'Chrome/156.0.1.2', [updated]: 'Chrome/157.0.1.2' })) {
    const environment = sampleEnvironment(id);
    await api.put(`/environments/${id}`, { ...environment, browser: { ...environment.browser, product } });
  }
  for (const noise of nights) await night(api, schedule, noise, () => 1, old);
  const first = await night(api, schedule, 1, by(1.31), updated);
  await night(api, schedule, -1, by(1.31), updated);
  const { change } = await statusOf(api, 'shop');
  const since = { at: '2026-03-09T12:00:00.000Z', campaignId: first, commit: null, browserChange: 'Chrome 157 instead of 156' };
  assert.deepEqual(change?.since, since);
  assert.match(change?.words ?? '', /, since 9 Mar, with Chrome 157 instead of 156\.$/);
});

test('a page whose loads fail is told once, as not measured, and by no number of per cent', async (t) => {
  const api = await testApi(t);
  const schedule = await nightly(api);
  for (const noise of nights) await night(api, schedule, noise);
  for (const noise of [1, -1]) await night(api, schedule, noise, by(Number.POSITIVE_INFINITY));
  assert.deepEqual(
    (await alertsOf(api)).items.map(({ title }) => title),
    ['shop could not be measured'],
  );
  assert.doesNotMatch(JSON.stringify(await statusOf(api, 'shop')), /300,000|29,800/);
});

test('half of the loads that fail, which is measured yet, is a regression without a number of per cent', async (t) => {
  const api = await testApi(t);
  const schedule = await nightly(api, { campaign: { ...campaign, rounds: 2 } });
  for (const noise of nights) await night(api, schedule, noise);
  let load = 0;
  const everyOther = (place: Place) => (isH3OfShop(place) && load++ % 2 === 0 ? Number.POSITIVE_INFINITY : 1);
  for (const noise of [1, -1]) await night(api, schedule, noise, everyOther);
  const [alert, ...others] = (await alertsOf(api)).items;
  assert.deepEqual([alert?.title, others], ['shop: Half of the loads fail or more over HTTP/3', []]);
  const { share, ms, words } = (await statusOf(api, 'shop')).change ?? {};
  assert.deepEqual([share, ms], [null, null]);
  assert.equal(words, 'Half of the loads fail or more over HTTP/3 under latency-50: onLoad was 1,003 ms, since 9 Mar.');
});

test('viewers read alerts and acknowledge none', async (t) => {
  const { ask } = await tokenApi(t);
  assert.deepEqual((await ask('viewer', 'GET', '/alerts')).body, { items: [], nextCursor: null, open: 0 });
  assert.equal((await ask('viewer', 'POST', '/alerts/1/acknowledge')).status, 403);
  assert.equal((await ask('submitter', 'POST', '/alerts/1/acknowledge')).status, 404);
});

test('a change of setup is no change of the page: what was worse by another one is over', async (t) => {
  const { api, schedule } = await steppedNights(t);
  await api.put(`/schedules/${schedule}`, {
    ...{ name: 'nightly', cron: '30 2 * * *', paused: true },
    campaign: { ...campaign, discovery: 'alt-svc' },
  });
  await night(api, schedule, 0, by(2));
  const shop = await statusOf(api, 'shop');
  assert.deepEqual([(await alertsOf(api)).items[0]?.state, shop.change?.state, shop.points.length], ['resolved', 'not-compared', 1]);
});

test('alerts go with the campaign that shows them, with their schedule, and come back with a campaign that is restored', async (t) => {
  const { api, schedule, first, second } = await steppedNights(t);
  await api.delete(`/campaigns/${first}`);
  assert.deepEqual((await alertsOf(api)).items[0]?.since, {
    at: '2026-03-09T12:00:00.000Z',
    campaignId: null,
    commit: '8abc0de8',
    browserChange: null,
  });
  await api.delete(`/campaigns/${second}`);
  assert.deepEqual([(await alertsOf(api)).open, (await alertsOf(api)).items, (await statusOf(api, 'shop')).alerts], [0, [], 0]);
  await api.post(`/campaigns/${second}/restore`);
  assert.equal((await alertsOf(api)).open, 1);
  await api.delete(`/schedules/${schedule}`);
  assert.deepEqual((await alertsOf(api)).items, []);
});

test('an alert whose last campaign is purged is gone', async (t) => {
  const { api, second } = await steppedNights(t);
  await api.delete(`/campaigns/${second}?purge=true`);
  await api.app.campaignDeletion.settled();
  assert.equal(api.app.database.prepare('SELECT count(*) AS left FROM alerts').pluck().get(), 0);
});

test('alerts that were resolved a year ago are forgotten', async (t) => {
  const { api, schedule } = await steppedNights(t);
  for (const noise of [0, 0]) await night(api, schedule, noise);
  const pass = async (days: number) => {
    api.clock.now += days * 86_400_000;
    await api.app.store.clock.believe();
    await api.app.campaignDeletion.tick();
  };
  await pass(364);
  assert.equal((await alertsOf(api)).items.length, 1);
  await pass(2);
  assert.deepEqual((await alertsOf(api)).items, []);
});

/** A campaign of one page, wholly performed, and asked by a gate. */
async function performed(
  api: TestApi,
  given: Partial<CampaignRequest>,
  outcomeOf: (protocol: string) => Outcome,
  gateId?: string,
): Promise<string> {
  const { id } = await api.campaign({
    name: 'shop',
    sites: [{ url: 'https://shop.example/', name: 'shop' }],
    protocols: ['h2', 'h3'],
    rounds: 12,
    ...given,
  });
  if (gateId !== undefined) await api.post('/gates/check', { campaignId: id, gateId });
  for (let lease = await api.lease({ campaignId: id }); lease?.id !== undefined; lease = await api.lease({ campaignId: id })) {
    for (const slot of lease.round.order) {
      const outcome = outcomeOf(lease.spec.protocols[slot] ?? '');
      await api.upload(lease, sampleVisit(lease, slot, { outcome, link: { refused: [], receiveDrops: 0 } }));
    }
    await api.complete(lease);
  }
  await api.app.gates.tick();
  return id;
}
const took = (onLoad: number) => (): Outcome => ({ verdict: 'valid', metrics: sampleMetrics({ onLoad }) });
const down = (): Outcome => ({ verdict: 'invalid', reason: 'http-status', detail: 'The document’s status is 503; expected 200.' });

test('a failed gate is an alert until it passes; what a branch or a pull request fails is none', async (t) => {
  const api = await testApi(t);
  const rules = { assertions: ['onLoad p75 <= 1 s'], baseline: { branch: 'trunk' } };
  const { id: gateId } = (await api.post('/gates', { name: 'budget', campaign: null, rules })).body;
  await performed(api, { annotations: { branch: 'faster' } }, took(1500), gateId);
  await performed(api, { annotations: { branch: 'main', pullRequest: 7 } }, took(1500), gateId);
  assert.deepEqual([(await alertsOf(api)).items, (await statusOf(api, 'shop')).gate], [[], null]);
  const failed = await performed(api, { annotations: { branch: 'main' } }, took(1500), gateId);
  const [alert] = (await alertsOf(api)).items;
  assert.deepEqual(
    [alert?.kind, alert?.gateId, alert?.campaignId, alert?.title, alert?.siteName, alert?.since],
    ['gate-failed', gateId, failed, 'Gate budget failed: shop', 'shop', null],
  );
  assert.match(alert?.words ?? '', /fail/);
  const shop = await statusOf(api, 'shop');
  assert.deepEqual([shop.alerts, shop.gate], [1, { gateId, name: 'budget', outcome: 'fail', campaignId: failed }]);
  const again = await performed(api, {}, took(1500), gateId);
  assert.deepEqual(
    (await alertsOf(api)).items.map(({ id, campaignId }) => [id, campaignId]),
    [[alert?.id, again]],
  );
  await performed(api, {}, took(500), gateId);
  assert.deepEqual([(await alertsOf(api)).items[0]?.state, (await statusOf(api, 'shop')).gate?.outcome], ['resolved', 'pass']);
  await performed(api, {}, took(1500), gateId);
  assert.deepEqual(
    (await alertsOf(api, `gateId=${gateId}`)).items.map(({ state }) => state),
    ['open', 'resolved'],
  );
  await api.delete(`/gates/${gateId}`);
  assert.deepEqual((await alertsOf(api)).items, []);
});

test('a gate whose passing campaign is deleted has failed, until that is restored', async (t) => {
  const api = await testApi(t);
  const { id: gateId } = (await api.post('/gates', { name: 'budget', campaign: null, rules: { assertions: ['onLoad p75 <= 1 s'] } })).body;
  await performed(api, {}, took(1500), gateId);
  const passed = await performed(api, {}, took(500), gateId);
  const states = async () => (await alertsOf(api)).items.map(({ state }) => state);
  assert.deepEqual(await states(), ['resolved']);
  await api.delete(`/campaigns/${passed}`);
  assert.deepEqual(await states(), ['open']);
  await api.post(`/campaigns/${passed}/restore`);
  assert.deepEqual(await states(), ['resolved']);
  await api.delete(`/campaigns/${passed}`);
  await performed(api, {}, took(1500), gateId);
  await api.post(`/campaigns/${passed}/restore`);
  assert.deepEqual(await states(), ['open'], 'a newer one fails');
});

test('a site that could not be measured is an alert until one of its schedule’s campaigns measures it', async (t) => {
  const api = await testApi(t);
  const schedule = await nightly(api);
  const isDown = ({ site }: Place) => (site === 'shop' ? Number.POSITIVE_INFINITY : 1);
  const first = await night(api, schedule, 0, isDown);
  const second = await night(api, schedule, 0, isDown);
  const [alert, ...others] = (await alertsOf(api, 'kind=site-unmeasured')).items;
  assert.deepEqual(others, []);
  assert.deepEqual(
    [alert?.siteName, alert?.scheduleId, alert?.firstCampaignId, alert?.campaignId, alert?.title],
    ['shop', schedule, first, second, 'shop could not be measured'],
  );
  assert.ok(alert?.words.startsWith('12 of 12 visits ') && alert.words.includes(firstSteps['load-timeout']), alert?.words);
  const shop = await statusOf(api, 'shop');
  assert.deepEqual([shop.alerts, shop.change?.state], [1, 'not-compared']);
  assert.match(shop.notLoaded ?? '', /^could not be loaded: /);
  await performed(api, {}, took(500));
  assert.equal((await alertsOf(api)).open, 1, 'another campaign says nothing of the schedule’s');
  await night(api, schedule, 0);
  assert.deepEqual([(await alertsOf(api)).items[0]?.state, (await statusOf(api, 'shop')).notLoaded], ['resolved', null]);
});

test('what a schedule measures or asks no more is over', async (t) => {
  const api = await testApi(t);
  await api.post('/gates', { name: 'budget', campaign: null, rules: { assertions: ['onLoad p50 <= 100 ms'], decide: 'point' } });
  const schedule = await nightly(api, { gate: 'budget' });
  const isDown = ({ site }: Place) => (site === 'shop' ? Number.POSITIVE_INFINITY : 1);
  await night(api, schedule, 0, isDown);
  await api.app.gates.tick();
  assert.deepEqual(
    (await alertsOf(api)).items.map(({ kind, state }) => [kind, state]),
    [
      ['gate-failed', 'open'],
      ['site-unmeasured', 'open'],
    ],
  );
  await api.put(`/schedules/${schedule}`, {
    ...{ name: 'nightly', cron: '30 2 * * *', paused: true, gate: null },
    campaign: { ...campaign, sites: campaign.sites.slice(1) },
  });
  await night(api, schedule, 0);
  await api.app.gates.tick();
  assert.deepEqual(
    (await alertsOf(api)).items.map(({ state }) => state),
    ['resolved', 'resolved'],
  );
});

test('a site that no schedule measures is fine again by any campaign that measures as much of it', async (t) => {
  const api = await testApi(t);
  await performed(api, { conditions: ['native', '4g'], rounds: 3 }, down);
  await performed(api, { protocols: ['h2'], rounds: 3 }, took(500));
  assert.equal((await alertsOf(api)).open, 1, 'of less it says nothing');
  await performed(api, { conditions: ['native', '4g'], rounds: 3 }, took(500));
  assert.equal((await alertsOf(api)).open, 0);
});

for (const [store, options] of Object.entries(sharedStores)) {
  test(`${store}: several processes on one database make one alert of what all of them find`, async (t) => {
    const folder = testFolder(t);
    const paths = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence'), ...options };
    const api = await testApi(t, paths);
    const schedule = await nightly(api);
    for (const noise of nights) await night(api, schedule, noise);
    const untold = { ...api, app: { ...api.app, scheduler: { tick: async () => {} } } } as unknown as TestApi;
    await night(untold, schedule, 1, by(1.31));
    await night(untold, schedule, 0, by(1.31));
    const tick = await tickingServices(t, samples(2, 3), paths, 'scheduler');
    await tick(api.clock.now);
    const { items, open } = await alertsOf(api);
    assert.deepEqual([items.map(({ kind, siteName }) => [kind, siteName]), open], [[['regression', 'shop']], 1]);
  });
}
