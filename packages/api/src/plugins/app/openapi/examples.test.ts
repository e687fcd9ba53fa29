import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as core from '@pronghorn/core/schemas';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { testApi } from '../../../testing/test-api.ts';
import { examples } from './examples.ts';

test('every example fits its schema, and stands in the document', async (t) => {
  const { body: document } = await (await testApi(t)).get('/openapi.json');
  for (const [name, given] of Object.entries(examples)) {
    const validator = Compile((core as unknown as Record<string, TSchema>)[name] as TSchema);
    for (const example of given) assert.deepEqual(validator.Errors(example), [], name);
    assert.deepEqual(document.components.schemas[name]?.examples, given, name);
  }
});

/** Where they differ by nature: who asked, when, and by which chance. */
const byChance = new Set([
  'id',
  'createdBy',
  'createdByKind',
  'askedBy',
  'askedAt',
  'createdAt',
  'changedAt',
  'secret',
  'token',
  'state',
  'progress',
]);
const withoutChance = (body: object) =>
  Object.entries(body)
    .map(([key, value]) => [key, byChance.has(key) ? 'differs' : value])
    .sort();

test('a service takes every request, and answers as the examples of answers say', async (t) => {
  const api = await testApi(t);
  const answers: [path: string, requests: readonly object[], answer: object | null][] = [
    ['/conditions', examples.Condition, examples.KnownCondition[0] ?? null],
    ['/campaigns', examples.CampaignRequest.slice(0, 1), examples.Campaign[0] ?? null],
    ['/campaigns', examples.CampaignRequest.slice(1), null],
    ['/gates', examples.GateRequest, examples.Gate[0] ?? null],
    ['/gates/check', examples.GateQuestion.slice(0, 1), null],
    ['/gates/check', examples.GateQuestion.slice(1), examples.GateAnswer[0] ?? null],
    ['/schedules', examples.ScheduleRequest, examples.Schedule[0] ?? null],
    ['/notifications', examples.NotificationRequest, examples.SavedNotificationTarget[0] ?? null],
    ['/tokens', examples.TokenRequest, examples.CreatedToken[0] ?? null],
  ];
  for (const [path, requests, answer] of answers) {
    for (const request of requests) {
      const { status, body } = await api.post(path, request);
      assert.ok(status >= 200 && status < 300, `POST ${path}: ${status} ${JSON.stringify(body)}`);
      if (answer) assert.deepEqual(withoutChance(body), withoutChance(answer), path);
    }
  }
  assert.equal(
    Object.keys(examples).filter((name) => /Request$|Question$|^Condition$/.test(name)).length,
    new Set(answers.map(([path]) => path)).size,
  );
  const refused = await api.post('/campaigns', { sites: [{ url: 'ftp://www.example.com/' }] });
  assert.deepEqual(refused.body, examples.Problem[0]);
});
