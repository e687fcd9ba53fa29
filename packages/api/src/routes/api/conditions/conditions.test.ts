import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presets } from '@pronghorn/core/network';
import { type Condition, type KnownCondition, problemType } from '@pronghorn/core/schemas';
import { testApi } from '../../../testing/test-api.ts';

const office: Condition = { name: 'office', description: 'Ours, on a Monday.', up: { delayMs: 5 }, down: { rateKbps: 50_000 } };

test('presets are listed with what they do, and marked', async (t) => {
  const api = await testApi(t);
  const { items, nextCursor }: { items: KnownCondition[]; nextCursor: null } = (await api.get('/conditions')).body;
  assert.deepEqual(
    items.map(({ words, preset, numbers, ...condition }) => condition),
    presets,
  );
  assert.ok(items.every(({ preset }) => preset));
  assert.equal(items.find(({ name }) => name === 'latency-50')?.words, '+50 ms RTT');
  assert.equal(items.find(({ name }) => name === '4g')?.numbers.rttMs, 170);
  assert.equal(nextCursor, null);
});

test('a condition is stored, read, listed behind the presets, changed and deleted', async (t) => {
  const api = await testApi(t);
  const made = await api.post('/conditions', office);
  assert.deepEqual([made.status, made.headers.location], [201, '/api/v1/conditions/office']);
  const { numbers, ...told } = made.body;
  assert.deepEqual(told, { ...office, preset: false, words: '+5 ms RTT, 50 Mbit/s down' });
  assert.deepEqual([numbers.rttMs, numbers.down.queueBytes], [5, 625_000]);
  assert.deepEqual((await api.get('/conditions/office')).body, made.body);
  assert.deepEqual((await api.get('/conditions')).body.items.at(-1), made.body);

  const changed = await api.put('/conditions/office', { ...office, up: { delayMs: 7 } });
  assert.deepEqual([changed.status, changed.body.up], [200, { delayMs: 7 }]);
  assert.equal((await api.put('/conditions/lab', { ...office, name: 'lab' })).status, 201);

  assert.equal((await api.delete('/conditions/office')).status, 204);
  for (const gone of [await api.get('/conditions/office'), await api.delete('/conditions/office')]) assert.equal(gone.status, 404);
  assert.equal((await api.get('/conditions')).body.items.at(-1).name, 'lab');
});

test('a condition that is sent twice is stored once, and POST changes none', async (t) => {
  const api = await testApi(t);
  await api.post('/conditions', office);
  assert.equal((await api.post('/conditions', office)).status, 200);
  const other = await api.post('/conditions', { ...office, up: { delayMs: 6 } });
  assert.deepEqual([other.status, other.body.type], [409, problemType('already-different')]);
  assert.match(other.body.detail, /Change it by PUT \/api\/v1\/conditions\/office/);
  assert.deepEqual((await api.get('/conditions/office')).body.up, office.up);
});

test('sets are listed, and no condition may take the name of one', async (t) => {
  const api = await testApi(t);
  const { body } = await api.get('/condition-sets');
  assert.deepEqual(body.find(({ name }: { name: string }) => name === 'typical').conditions, ['native', '4g', 'latency-100', 'loss-1']);
  const { status, body: refused } = await api.post('/conditions', { name: 'typical', up: { delayMs: 5 }, down: {} });
  assert.deepEqual([status, refused.errors[0].pointer], [422, '#/name']);
});

test('the list comes a page at a time, presets and others alike', async (t) => {
  const api = await testApi(t);
  await api.post('/conditions', office);
  const names: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await api.get(`/conditions?limit=5${cursor && `&cursor=${cursor}`}`);
    names.push(...body.items.map(({ name }: KnownCondition) => name));
    cursor = body.nextCursor;
  }
  assert.deepEqual(names, [...presets.map(({ name }) => name), 'office']);
});

test('nobody changes a preset, by whatever way', async (t) => {
  const api = await testApi(t);
  const mine = { name: 'loss-2', up: { delayMs: 5 }, down: {} };
  for (const refused of [
    await api.post('/conditions', mine),
    await api.put('/conditions/loss-2', mine),
    await api.delete('/conditions/loss-2'),
    await api.put('/conditions/loss-2.rtt-50', { ...mine, name: 'loss-2.rtt-50' }),
  ]) {
    assert.deepEqual([refused.status, refused.body.type], [409, problemType('preset-condition')]);
    assert.match(refused.body.detail, /is a preset, and means the same everywhere/);
  }
});

test('a lossy condition is found with another base RTT by its name', async (t) => {
  const api = await testApi(t);
  assert.equal((await api.get('/conditions/loss-2.rtt-50')).body.words, '+50 ms RTT, 2 % loss each way');
  await api.put('/conditions/lab', { name: 'lab', baseRttMs: 20, up: {}, down: { loss: { model: 'independent', share: 0.1 } } });
  const derived = (await api.get('/conditions/lab.rtt-80')).body;
  assert.deepEqual([derived.baseRttMs, derived.preset], [80, false]);
  assert.equal((await api.get('/conditions/latency-50.rtt-80')).body.detail, 'There is no condition latency-50.rtt-80.');
});

test('what cannot be meant is refused with every fault, what does not fit the schema too', async (t) => {
  const api = await testApi(t);
  const faulty = await api.post('/conditions', { name: 'mine', up: { jitter: { ms: 5 } }, down: { queueBytes: 2000 } });
  assert.deepEqual([faulty.status, faulty.body.type], [422, problemType('invalid-condition')]);
  assert.deepEqual(
    faulty.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['#/up/jitter/ms', '#/down/queueBytes'],
  );
  for (const [payload, words] of [
    [{ name: '', up: {}, down: {} }, /\/name is ""; expected/],
    [{ name: 'mine', up: {} }, /\/down is missing/],
    [{ name: 'mine', up: { delay: 5 }, down: {} }, /\/up\/delay is not known here; leave it out/],
    [{ name: 'mine', up: { loss: { model: 'independent', share: 2 } }, down: {} }, /\/up\/loss\/share is 2; expected at most 1/],
    [
      { name: 'mine', up: { loss: { model: 'bursts', share: 0.2 } }, down: {} },
      /\/up\/loss\/model is "bursts"; expected "independent", or "gilbert-elliott"/,
    ],
    [{ name: 'mine', up: { jitter: { ms: 5, correlation: -1 } }, down: {} }, /\/up\/jitter\/correlation is -1; expected at least 0/],
  ] as const) {
    const refused = await api.post('/conditions', payload);
    assert.deepEqual([refused.status, refused.body.type], [400, problemType('invalid-request')]);
    assert.match(refused.body.detail, words);
  }
  const elsewhere = await api.put('/conditions/lab', office);
  assert.equal(elsewhere.body.detail, "The condition's name is office, and its path says lab; expected the same.");
  assert.equal((await api.get('/conditions')).body.items.length, presets.length);
});

test('a preview tells what a condition would do and why it would be refused, and stores nothing', async (t) => {
  const api = await testApi(t);
  const good = await api.post('/conditions/preview', { ...office, down: { rateKbps: 8000 } });
  assert.equal(good.status, 200);
  assert.deepEqual([good.body.words, good.body.problems, good.body.stored], ['+5 ms RTT, 8 Mbit/s down', [], false]);
  assert.equal(good.body.details, '5 ms delay up; 8 Mbit/s, 100 kB queue down');
  assert.deepEqual(good.body.numbers, {
    rttMs: 5,
    up: { delayMs: 5, jitterMs: null, lossShare: 0, rateKbps: null, queueBytes: 0 },
    down: { delayMs: 0, jitterMs: null, lossShare: 0, rateKbps: 8000, queueBytes: 100_000 },
  });
  assert.equal((await api.get('/conditions/office')).status, 404);
  const placesOf = async (payload: object) =>
    (await api.post('/conditions/preview', payload)).body.problems.map(({ pointer }: { pointer: string }) => pointer);
  assert.deepEqual(await placesOf({ name: 'mine', up: { jitter: { ms: 5 } }, down: { queueBytes: 2000 } }), [
    '#/up/jitter/ms',
    '#/down/queueBytes',
  ]);
  assert.deepEqual(await placesOf({ name: 'loss-2', up: { delayMs: 5 }, down: {} }), ['#/name']);
  assert.deepEqual(await placesOf({ name: 'mine', up: { delayMs: -1 }, down: {} }), ['#/up/delayMs']);
  await api.post('/conditions', office);
  assert.equal((await api.post('/conditions/preview', office)).body.stored, true);
});
