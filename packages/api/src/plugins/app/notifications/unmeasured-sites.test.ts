import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CampaignRequest, type NotificationMessage, type Outcome, UnmeasuredSites } from '@pronghorn/core/schemas';
import type { InvalidReason } from '@pronghorn/core/vocabulary';
import { Compile } from 'typebox/compile';
import { receiver } from '../../../testing/receiver.ts';
import { sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

const isDetails = Compile(UnmeasuredSites);
const status503: Outcome = { verdict: 'invalid', reason: 'http-status', detail: 'The document’s status is 503, expected was 200.' };
const valid: Outcome = { verdict: 'valid', metrics: sampleMetrics() };
const failing = (reason: InvalidReason): Outcome => ({ verdict: 'invalid', reason, detail: '' });

type Place = { site: string; protocol: string; condition: string; round: number };

/** Performs all rounds that there are. */
async function perform(api: TestApi, outcomeOf: (place: Place) => Outcome): Promise<void> {
  for (let lease = await api.lease(); lease?.id !== undefined; lease = await api.lease()) {
    for (const slot of lease.round.order) {
      const place = { site: lease.site.name, protocol: lease.spec.protocols[slot] ?? '', condition: lease.round.condition };
      await api.upload(lease, sampleVisit(lease, slot, { outcome: outcomeOf({ ...place, round: lease.round.number }) }));
    }
    await api.complete(lease);
  }
}

/** A target that names no events, as a webhook gets it. */
async function told(t: Parameters<typeof receiver>[0], api: TestApi, given: object = {}) {
  const { url, got } = await receiver(t);
  await api.post('/notifications', { name: 'on call', kind: 'webhook', url, ...given });
  return async (): Promise<NotificationMessage[]> => {
    await api.app.notifications.tick();
    return got.map(({ text }) => JSON.parse(text));
  };
}

const campaign: CampaignRequest = {
  ...{ name: 'shop at night', conditions: ['native', '4g'], protocols: ['h2', 'h3'], rounds: 5 },
  sites: [
    { url: 'https://shop.example/', name: 'shop' },
    { url: 'https://blog.example/', name: 'blog' },
  ],
};

test('who names no events is told of a night whose page is down: once, what is down, since when and what to do', async (t) => {
  const api = await testApi(t);
  const messages = await told(t, api);
  const gate = (await api.post('/gates', { name: 'budget', campaign: null, rules: { assertions: ['onLoad p75 <= 2 s'] } })).body;
  const schedule = (await api.post('/schedules', { name: 'nightly', cron: '30 2 * * *', paused: true, campaign, gate: 'budget' })).body;
  const night = async (outcomeOf: (place: Place) => Outcome): Promise<string> => {
    api.clock.now += 86_400_000;
    const { id } = (await api.post(`/schedules/${schedule.id}/start`)).body;
    await perform(api, outcomeOf);
    await Promise.all([api.app.scheduler.tick(), api.app.gates.tick()]);
    return id;
  };
  const first = await night(() => valid);
  assert.deepEqual(await messages(), []);
  const { at } = api.app.tables.visits.lastValid(Number(first), 1, null) ?? {};
  const second = await night(({ site }) => (site === 'shop' ? status503 : valid));

  const words = `shop (https://shop.example/): 6 of 6 visits are not valid: The document’s status is 503, expected was 200. Its last valid visit was on ${at?.slice(0, 10)} ${at?.slice(11, 16)} UTC, in campaign ${first}. Open the address in a browser. If this status is right, give it as the page’s expected status; if the browser gets another, the site refuses the runner’s address or user agent. Until then no gate and no comparison says how it loads.`;
  const [message, ...others] = await messages();
  assert.deepEqual(others, [], 'the gate and the night tell nothing beside it');
  assert.deepEqual(
    [message?.event, message?.title, message?.campaignId, message?.scheduleId, message?.lines],
    ['site-unmeasured', 'shop at night: shop was not measured', second, schedule.id, [words]],
  );
  const details = message?.details;
  assert.ok(isDetails.Check(details), JSON.stringify(details));
  const { sites, more } = details;
  assert.deepEqual(
    [more, sites.map(({ siteId, words, ...one }) => one)],
    [
      0,
      [
        {
          ...{ site: 'shop', url: 'https://shop.example/', protocols: ['h2', 'h3'], conditions: ['native', '4g'], lost: 6, visits: 6 },
          reasons: [{ reason: 'http-status', count: 6, detail: 'The document’s status is 503, expected was 200.' }],
          lastValid: { at, campaignId: first },
        },
      ],
    ],
  );

  const { body: regressions } = await api.get(`/campaigns/${second}/regressions`);
  assert.deepEqual([regressions.state, regressions.unmeasured], ['unmeasured', ['shop']]);
  assert.match(
    regressions.words,
    /^Not measured: shop, 6 of 6 visits over HTTP\/2 and HTTP\/3 are not valid: The document’s status is 503, expected was 200\. Nothing was compared yet/,
  );
  const [answer] = (await api.get(`/gates/${gate.id}/results`)).body.items;
  assert.deepEqual([answer.campaignId, answer.outcome, answer.result.counts.unmeasured > 0], [second, 'unmeasured', true]);
  assert.match(
    answer.result.checks[0].words,
    /^Not measured: \d of \d visits? over HTTP\/2 (is|are) not valid: The document’s status is 503/,
  );
});

test('a page that is down over HTTP/3 alone, or under one condition, is told so; the measurement’s own failures are not its doing', async (t) => {
  const api = await testApi(t);
  const messages = await told(t, api);
  await api.campaign(campaign);
  await perform(api, ({ site, protocol, condition, round }) =>
    site === 'shop' && protocol === 'h3' && condition === '4g' && round > 2
      ? failing('quic-error')
      : site === 'blog' && round > 1
        ? failing('busy-machine')
        : valid,
  );
  const [message, ...others] = await messages();
  assert.deepEqual(others, []);
  assert.match(
    message?.lines[0] ?? '',
    /^shop \(https:\/\/shop\.example\/\), under 4g: 3 of 5 visits over HTTP\/3 are not valid: quic-error, .*blocked.*\. Its last valid visit was on .*, in this campaign\. Check that UDP reaches/,
  );
});

test('half of its visits measure a page; a cancelled campaign tells nothing, and neither is told who chose other events', async (t) => {
  const api = await testApi(t);
  const [messages, ofOther, ofScheduled] = await Promise.all([
    told(t, api),
    told(t, api, { name: 'gates', events: ['gate-failed', 'regression-found'] }),
    told(t, api, { name: 'nights', campaigns: 'scheduled' }),
  ]);
  await api.campaign({ ...campaign, rounds: 2 });
  await perform(api, ({ round }) => (round === 1 ? failing('load-timeout') : valid));
  const { id } = await api.campaign(campaign);
  const lease = await api.lease();
  for (const slot of lease.round.order) await api.upload(lease, sampleVisit(lease, slot, { outcome: status503 }));
  await api.complete(lease);
  await api.post(`/campaigns/${id}/cancel`);
  assert.deepEqual(await messages(), []);
  await api.post(`/campaigns/${id}/resume`);
  await perform(api, () => status503);
  assert.deepEqual(
    (await messages()).map(({ event, title }) => [event, title]),
    [['site-unmeasured', 'shop at night: 2 of 2 sites were not measured']],
  );
  assert.deepEqual([await ofOther(), await ofScheduled()], [[], []]);
});

test('however many sites are down, what is told of them is small', async (t) => {
  const api = await testApi(t);
  const messages = await told(t, api);
  const sites = Array.from({ length: 30 }, (_, i) => ({ url: `https://s${i}.example/${'x'.repeat(1900)}`, name: `s${i}` }));
  await api.campaign({ sites, protocols: ['h2'], rounds: 1 });
  const detail = 'long '.repeat(400);
  await perform(api, () => ({ verdict: 'invalid', reason: 'connection-error', detail }));
  const [message] = await messages();
  assert.deepEqual([message?.lines.length, message?.lines.at(-1)], [21, '… and 10 more.']);
  assert.ok(JSON.stringify(message).length < 120_000, `${JSON.stringify(message).length}`);
});
