import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../testing/test-api.ts';

test('rules that are being written are read in both forms, and not stored', async (t) => {
  const api = await testApi(t);
  const assertions = ['onLoad h3 <= h2 + 5 % on 4g', { kind: 'bound', metric: 'onLoad', statistic: 'p75', max: 2500 }];
  const { status, body } = await api.post('/gates/read', { rules: { assertions }, campaign: null });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    assertions: [
      {
        assertion: { kind: 'protocols', metric: 'onLoad', candidate: 'h3', baseline: 'h2', margin: 0.05, condition: '4g' },
        line: 'onLoad h3 <= h2 + 5 % on 4g',
      },
      { assertion: assertions[1], line: 'onLoad p75 <= 2500 ms' },
    ],
    problems: [],
    warnings: [],
  });
  assert.deepEqual((await api.get('/gates')).body.items, []);
});

test('what the rounds of the campaign can never pass is said before any is measured', async (t) => {
  const api = await testApi(t);
  const warnings = async (more: object) => {
    const campaign = { sites: [{ url: 'https://site.example/' }], ...more };
    return (await api.post('/gates/read', { rules: { assertions: ['onLoad p75 <= 2.5 s'] }, campaign })).body.warnings;
  };
  assert.deepEqual(await warnings({ rounds: 10 }), [
    '"onLoad p75 <= 2500 ms" can\'t pass: it needs at least 11 rounds, but 10 are requested.',
  ]);
  assert.equal((await warnings({ precision: 'quick', conditions: ['typical'] })).length, 1);
  assert.deepEqual(await warnings({ precision: 'normal' }), []);
});

test('each that can’t be read, and each that fits nothing in its campaign, is named by its place', async (t) => {
  const api = await testApi(t);
  const campaign = { sites: [{ url: 'https://site.example/' }], protocols: ['h2'] };
  const rules = { assertions: ['onLoad <= 2 s', 'onLoad < 2 s', 'onLoad h3 <= h2'] };
  const { status, body } = await api.post('/gates/read', { rules, campaign });
  assert.equal(status, 200);
  assert.deepEqual(
    body.problems.map(({ pointer }: { pointer: string }) => pointer),
    ['#/rules/assertions/1', '#/rules/assertions/2'],
  );
  assert.deepEqual(
    body.assertions.map((read: { line: string } | null) => read?.line ?? null),
    ['onLoad <= 2000 ms', null, 'onLoad h3 <= h2'],
  );
});

test('what is wrong with the gate’s campaign is named by its place in the gate, and refused when the gate is stored', async (t) => {
  const api = await testApi(t);
  const draft = { rules: { assertions: ['onLoad <= 2 s'] }, campaign: { sites: [{ url: 'ftp://site.example/' }] } };
  const { body } = await api.post('/gates/read', draft);
  assert.deepEqual(body.problems[0].pointer, '#/campaign/sites/0/url');
  const refused = await api.post('/gates', { name: 'budget', ...draft });
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '#/campaign/sites/0/url']);
});

test('a gate of an API asks for what runs have, in their units, and is refused what pages have', async (t) => {
  const api = await testApi(t);
  const campaign = { sites: [{ url: 'https://api.example/items' }], engine: 'transaction', protocols: ['h2', 'h3'] };
  const assertions = ['requestsPerSecond >= 500 /s', 'clientCpu <= 300 us', 'bytesPerSecond >= 2 MB/s', 'failedRequests = 0'];
  const { body } = await api.post('/gates/read', { rules: { assertions }, campaign });
  assert.deepEqual(body.problems, []);
  assert.deepEqual(
    body.assertions.map(({ line }: { line: string }) => line),
    ['requestsPerSecond >= 500 /s', 'clientCpu <= 300 µs', 'bytesPerSecond >= 2000000 B/s', 'failedRequests <= 0'],
  );
  const ofPages = { rules: { assertions: ['responseTime <= 1 s', 'onLoad <= 1 s'] }, campaign };
  const refused = await api.post('/gates', { name: 'api', ...ofPages });
  assert.deepEqual(
    [refused.status, refused.body.errors],
    [
      422,
      [
        {
          pointer: '#/rules/assertions/1',
          detail: 'A run of REST calls has no onLoad, which is measured for pages; did you mean responseTime?',
        },
      ],
    ],
  );
});
