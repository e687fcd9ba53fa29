import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionNamed } from '@pronghorn/core/network';
import { dumpDatabase } from '../testing/dump-database.ts';
import { sampleVisit } from '../testing/samples.ts';
import { tokenApi } from '../testing/test-api.ts';

test('a change and its audit entry are stored together, or neither is', async (t) => {
  const api = await tokenApi(t);
  const campaign = { sites: [{ url: 'https://site.example/' }], rounds: 1 };
  const condition = { ...conditionNamed('latency-50'), name: 'mine' };
  const schedule = { name: 'nightly', cron: '30 2 * * *', campaign };
  const gate = { name: 'budget', campaign, rules: { assertions: ['onLoad p75 h3 <= 1 s'] } };
  const target = { name: 'team', kind: 'webhook', url: 'https://hooks.example/x', events: ['gate-failed'] };
  const token = { name: 'ci', role: 'submitter' };
  const ask = (method: string, path: string, payload?: object) => api.ask('admin', method, path, payload && { payload });
  const made = async (path: string, payload: object): Promise<string> => {
    const { status, body } = await ask('POST', path, payload);
    assert.equal(status, 201, JSON.stringify(body));
    return body.id;
  };

  const [queued, cancelled] = [await made('/campaigns', campaign), await made('/campaigns', campaign)];
  await ask('POST', `/campaigns/${cancelled}/cancel`);
  await ask('POST', '/conditions', condition);
  const [scheduleId, gateId, targetId] = [
    await made('/schedules', schedule),
    await made('/gates', gate),
    await made('/notifications', target),
  ];
  const tokenId = await made('/tokens', token);
  const lease = (await api.ask('runner', 'POST', '/leases', { payload: { runner: 'r' } })).body;
  const visit = sampleVisit(lease, 0);
  await api.ask('runner', 'PUT', `/leases/${lease.id}/visits/${visit.id}`, { payload: visit });
  await api.app.commit(() => api.app.database.exec(`CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no room'); END`));

  const changes: [string, string, object?][] = [
    ['POST', '/campaigns', campaign],
    ['POST', `/campaigns/${queued}/cancel`],
    ['POST', `/campaigns/${cancelled}/resume`],
    ['POST', `/campaigns/${queued}/clone`, {}],
    ['DELETE', `/campaigns/${cancelled}`],
    ['DELETE', `/campaigns/${cancelled}?purge=true`],
    ['POST', '/gates/check', { gateId }],
    ['POST', '/conditions', { ...condition, name: 'another' }],
    ['PUT', '/conditions/mine', { ...conditionNamed('latency-100'), name: 'mine' }],
    ['DELETE', '/conditions/mine'],
    ['POST', '/schedules', { ...schedule, name: 'another' }],
    ['PUT', `/schedules/${scheduleId}`, { ...schedule, cron: '0 4 * * *' }],
    ['POST', `/schedules/${scheduleId}/pause`],
    ['POST', `/schedules/${scheduleId}/start`],
    ['DELETE', `/schedules/${scheduleId}`],
    ['POST', '/gates', { ...gate, name: 'another' }],
    ['PUT', `/gates/${gateId}`, { ...gate, campaign: { ...campaign, rounds: 2 } }],
    ['DELETE', `/gates/${gateId}`],
    ['POST', '/notifications', { ...target, name: 'another' }],
    ['PUT', `/notifications/${targetId}`, { ...target, events: ['campaign-done'] }],
    ['DELETE', `/notifications/${targetId}`],
    ['POST', '/tokens', { ...token, name: 'another' }],
    ['DELETE', `/tokens/${tokenId}`],
    ['POST', '/session', { token: api.tokens.viewer }],
    ['PUT', `/visits/${visit.id}/pin`],
    ['DELETE', `/visits/${visit.id}/pin`],
  ];
  const dump = () => dumpDatabase(api.app.database);
  for (const [method, path, payload] of changes) {
    const before = dump();
    const { status, body } = await ask(method, path, payload);
    assert.equal(status, 500, `${method} ${path}: ${JSON.stringify(body)}`);
    assert.equal(dump(), before, `${method} ${path}`);
  }
});
