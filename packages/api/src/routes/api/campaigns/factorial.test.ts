import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Campaign, type CampaignFactorial, type CampaignRequest, problemType } from '@pronghorn/core/schemas';
import { invalidOutcome, sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

const sites = ['image', 'video'].flatMap((payload) =>
  ['near', 'far'].map((host) => ({ url: `https://${host}.example/${payload}`, levels: { payload, host } })),
);
const study: Partial<CampaignRequest> = { sites, conditions: ['native', 'latency-50'], protocols: ['h2', 'h3'], rounds: 6 };

/** h3 takes 70 % of h2's time from far away, and fails once there. */
async function perform(api: TestApi): Promise<void> {
  for (;;) {
    const lease = await api.lease();
    if (lease === undefined) return;
    const isFar = lease.site.url.includes('far.');
    for (const [slot, protocol] of lease.spec.protocols.entries()) {
      const onLoad = (300 + 11 * ((lease.round.number * 7 + slot * 3) % 6)) * (protocol === 'h3' && isFar ? 0.7 : 1);
      const hasFailed =
        protocol === 'h3' && lease.site.url.endsWith('far.example/video') && lease.round.condition === 'native' && lease.round.number === 1;
      const outcome = hasFailed
        ? invalidOutcome('load-timeout')
        : { outcome: { verdict: 'valid' as const, metrics: sampleMetrics({ onLoad, speedIndex: onLoad / 2 }) } };
      await api.upload(lease, sampleVisit(lease, slot, outcome));
    }
    await api.complete(lease);
  }
}

test('a campaign of pages is factorial by the levels of its sites', async (t) => {
  const api = await testApi(t);
  const made = await api.campaign(study);
  assert.deepEqual(made.sites[0]?.levels, { payload: 'image', host: 'near' });
  const before: CampaignFactorial = (await api.get('/campaigns/1/factorial')).body;
  assert.deepEqual([before.pairs[0]?.power.replications, before.pairs[0]?.scenarios[0]?.outcome], [6, 'unmeasured']);
  await perform(api);
  const found: CampaignFactorial = (await api.get('/campaigns/1/factorial')).body;
  assert.deepEqual([found.metric, found.design.words], ['onLoad', 'All 8 combinations of levels.']);
  assert.deepEqual(
    found.factors.map(({ factor }) => factor),
    ['payload', 'host', 'condition'],
  );
  const interactions = new Map(found.pairs[0]?.interactions.map((one) => [one.factors.join('+'), one]));
  assert.ok((interactions.get('host')?.adjustedP ?? 1) < 0.01 && (interactions.get('payload')?.adjustedP ?? 0) > 0.05);
  // Where one of six runs failed, six are too few for what is left.
  assert.deepEqual(
    found.pairs[0]?.scenarios
      .map(({ levels, outcome }) => [levels.payload, levels.host, levels.condition, outcome].join(' '))
      .filter((words) => words.includes('far')),
    [
      'image far native candidate-lower',
      'image far latency-50 candidate-lower',
      'video far native not-shown',
      'video far latency-50 candidate-lower',
    ],
  );
  assert.equal((await api.get('/campaigns/1/factorial?metric=speedIndex')).body.metric, 'speedIndex');
});

test('its runs come as CSV, a line for each that counts, with its levels', async (t) => {
  const api = await testApi(t);
  await api.campaign({ ...study, conditions: ['native'], sites: sites.slice(2), rounds: 2 });
  await perform(api);
  const reply = await api.app.inject({ method: 'GET', url: '/api/v1/campaigns/1/factorial.csv' });
  assert.match(String(reply.headers['content-type']), /^text\/csv/);
  const [names = [], ...lines] = reply.body
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(','));
  const rows = lines.map((line) => Object.fromEntries(names.map((name, n) => [name, line[n] ?? ''])));
  assert.equal(rows.length, 8);
  assert.deepEqual(Object.keys(rows[0] ?? {}).slice(0, 7), [
    'protocol',
    'payload',
    'host',
    'network',
    'replication',
    'verdict',
    'onload_ms',
  ]);
  const failed = rows.filter(({ verdict }) => verdict === 'load-timeout');
  assert.deepEqual(
    failed.map(({ protocol, host, replication, onload_ms }) => [protocol, host, replication, onload_ms]),
    [['h3', 'far', '1', '']],
  );
});

test('a campaign without levels has no factors, and says what would give it some', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  for (const path of ['/campaigns/1/factorial', '/campaigns/1/factorial.csv']) {
    const refused = await api.get(path);
    assert.deepEqual([refused.status, refused.body.type], [409, problemType('not-factorial')]);
    assert.match(refused.body.detail, /have no levels.*"levels": \{"method"/);
  }
  assert.equal((await api.get('/campaigns/2/factorial')).status, 404);
});

test('a metric that the campaign does not measure is refused by name', async (t) => {
  const api = await testApi(t);
  await api.campaign(study);
  const refused = await api.get('/campaigns/1/factorial?metric=latencyMean');
  assert.equal(refused.status, 400);
  assert.match(refused.body.detail, /A page has no latencyMean, which is measured for runs of REST calls/);
});

test('levels that make no design are refused where they stand', async (t) => {
  const api = await testApi(t);
  const refused = async (levels: (Record<string, string> | undefined)[]) => {
    const asked = levels.map((its, n) => ({ url: `https://a.example/${n}`, ...(its ? { levels: its } : {}) }));
    const { status, body } = await api.post('/campaigns', { sites: asked });
    return status === 422
      ? body.errors.map(({ pointer, detail }: { pointer: string; detail: string }) => `${pointer} ${detail}`).join('\n')
      : status;
  };
  assert.match(await refused([{ a: '1' }, undefined]), /^#\/sites\/1\/levels Site 2 has no levels, and site 1 has\./);
  assert.match(await refused([{ a: '1' }, { b: '1' }]), /^#\/sites\/1\/levels Site 2 has the factors b; expected a, as of site 1\./);
  assert.match(
    await refused([
      { a: '1', b: '2' },
      { b: '2', a: '1' },
    ]),
    /^#\/sites\/1\/levels Site 2 has the same levels as site 1: 1, 2\./,
  );
  assert.match(await refused([{ condition: '1' }]), /^#\/sites\/0\/levels "condition" is a factor of every campaign\./);
  assert.match(await refused(Array.from({ length: 257 }, (_, n) => ({ a: String(n) }))), /^#\/sites 257 combinations .* at most 256/);
  assert.equal(await refused([{ a: '' }]), 400);
  assert.equal(await refused([Object.fromEntries('abcdefg'.split('').map((name) => [name, '1']))]), 400);
});

test('a clone has the same levels', async (t) => {
  const api = await testApi(t);
  await api.campaign(study);
  const { body }: { body: Campaign } = await api.post('/campaigns/1/clone', {});
  assert.deepEqual(body.sites[3]?.levels, { payload: 'video', host: 'far' });
});
