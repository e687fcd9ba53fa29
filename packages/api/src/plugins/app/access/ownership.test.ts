import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { sampleDiscovery, sampleVisit } from '../../../testing/samples.ts';
import { tokenApi } from '../../../testing/test-api.ts';

const campaign = { sites: [{ url: 'https://site.example/' }], rounds: 1 };
const gate = { name: 'budget', campaign, rules: { assertions: ['onLoad p75 h3 <= 1 s'] } };
const schedule = { name: 'nightly', cron: '30 2 * * *', campaign };

test('what a submitter made is changed by nobody else’s token but an admin’s', async (t) => {
  const api = await tokenApi(t);
  const other = (await api.ask('admin', 'POST', '/tokens', { payload: { name: 'leaked', role: 'submitter' } })).body.token;
  const byOther = { authorization: `Bearer ${other}` };
  const made = async (path: string, payload?: object) => {
    const { status, body } = await api.ask('submitter', 'POST', path, payload && { payload });
    assert.equal(status, 201, JSON.stringify(body));
    return body.id;
  };
  const [campaignId, gateId, scheduleId] = [
    await made('/campaigns', campaign),
    await made('/gates', gate),
    await made('/schedules', schedule),
  ];
  const started = await made(`/schedules/${scheduleId}/start`);

  const changes: [string, string, object?][] = [
    ['POST', `/campaigns/${campaignId}/cancel`],
    ['POST', `/campaigns/${started}/cancel`],
    ['POST', `/campaigns/${campaignId}/resume`],
    ['POST', `/campaigns/${campaignId}/cancel`],
    ['DELETE', `/campaigns/${campaignId}`],
    ['POST', `/campaigns/${campaignId}/restore`],
    ['DELETE', `/campaigns/${campaignId}?purge=true`],
    ['PUT', `/gates/${gateId}`, gate],
    ['DELETE', `/gates/${gateId}`],
    ['PUT', `/schedules/${scheduleId}`, schedule],
    ['POST', `/schedules/${scheduleId}/pause`],
    ['POST', `/schedules/${scheduleId}/resume`],
    ['DELETE', `/schedules/${scheduleId}`],
  ];
  for (const [method, path, payload] of changes) {
    const asked = { ...(payload && { payload }) };
    const refused = await api.ask('submitter', method, path, { ...asked, headers: byOther });
    assert.deepEqual([refused.status, refused.body.type], [403, problemType('forbidden')], `${method} ${path}`);
    assert.match(
      refused.body.detail,
      /was made by "the submitter"; "leaked" may not change it\. Ask with that token, or with an admin's\./,
    );
    const own = await api.ask('submitter', method, path, asked);
    assert.ok(own.status < 300, `${method} ${path}: ${JSON.stringify(own.body)}`);
  }
  const last = await made('/campaigns', campaign);
  assert.equal((await api.ask('admin', 'POST', `/campaigns/${last}/cancel`)).status, 200);
});

test('a lease is used by no other runner’s token but an admin’s', async (t) => {
  const api = await tokenApi(t);
  const other = (await api.ask('admin', 'POST', '/tokens', { payload: { name: 'elsewhere', role: 'runner' } })).body.token;
  await api.ask('submitter', 'POST', '/campaigns', { payload: { ...campaign, protocols: ['h3'] } });
  const lease = (await api.ask('runner', 'POST', '/leases', { payload: { runner: 'here' } })).body;
  const [visit, discovery] = [sampleVisit(lease, 0), sampleDiscovery(lease)];
  const uses: [string, string, object?][] = [
    ['POST', '/heartbeat'],
    ['GET', '/secrets'],
    ['GET', '/discoveries'],
    ['PUT', `/discoveries/${discovery.id}`, discovery],
    ['PUT', `/visits/${visit.id}`, visit],
    ['POST', '/complete'],
    ['POST', '/release', { reason: 'enough' }],
  ];
  for (const [method, path, payload] of uses) {
    const asked = { ...(payload && { payload }) };
    const refused = await api.ask(null, method, `/leases/${lease.id}${path}`, { ...asked, headers: { authorization: `Bearer ${other}` } });
    assert.deepEqual([refused.status, refused.body.type], [403, problemType('forbidden')], `${method} ${path}`);
    if (path === '/release') continue; // it was completed
    const own = await api.ask('runner', method, `/leases/${lease.id}${path}`, asked);
    assert.ok(own.status < 300, `${method} ${path}: ${JSON.stringify(own.body)}`);
  }
  assert.equal((await api.ask('admin', 'GET', `/leases/${lease.id}/discoveries`)).status, 200);
});
