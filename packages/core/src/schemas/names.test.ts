import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { Annotations, CampaignRequest } from './campaign.ts';
import { Condition } from './condition.ts';
import { oneLine } from './fields.ts';
import { GateRequest } from './gate-answer.ts';
import { NotificationRequest } from './notification.ts';
import { LeaseRelease, LeaseRequest } from './round.ts';
import { RunnerHeartbeat, RunnerRegistration } from './runner.ts';
import { ScheduleRequest } from './schedule.ts';

const site = { url: 'https://site.example/' };
const schemas = {
  Annotations,
  CampaignRequest,
  Condition,
  GateRequest,
  NotificationRequest,
  LeaseRelease,
  LeaseRequest,
  RunnerHeartbeat,
  RunnerRegistration,
  ScheduleRequest,
};
/** Every name and every word that somebody gives, with the path at which it stands. */
const given: [keyof typeof schemas, (text: string) => object, RegExp][] = [
  ['CampaignRequest', (name) => ({ name, sites: [site] }), /^\/name$/],
  ['CampaignRequest', (name) => ({ sites: [{ ...site, name }] }), /^\/sites\/0\/name$/],
  ['CampaignRequest', (location) => ({ sites: [site], location }), /^\/location$/],
  ['Annotations', (branch) => ({ branch }), /^\/branch$/],
  ['Annotations', (commit) => ({ commit }), /^\/commit$/],
  ['Annotations', (text) => ({ buildUrl: `https://ci.example/${text}` }), /^\/buildUrl$/],
  ['Condition', (description) => ({ name: 'lab', description, up: {}, down: {} }), /^\/description$/],
  ['Condition', (source) => ({ name: 'lab', source, up: {}, down: {} }), /^\/source$/],
  ['GateRequest', (name) => ({ name }), /^\/name$/],
  ['NotificationRequest', (name) => ({ name }), /^\/name$/],
  ['LeaseRelease', (reason) => ({ reason }), /^\/reason$/],
  ['LeaseRequest', (runner) => ({ runner }), /^\/runner$/],
  ['RunnerHeartbeat', (trouble) => ({ trouble }), /^\/trouble/],
  ['RunnerRegistration', (name) => ({ name }), /^\/name$/],
  ['RunnerRegistration', (location) => ({ location }), /^\/location/],
  ['ScheduleRequest', (name) => ({ name }), /^\/name$/],
];

for (const [schema, bodyOf, place] of given) {
  test(`${schema}${String(place).slice(2, -1).replaceAll('\\', '').replace('$', '')} takes no control characters, and all else`, () => {
    const check = Compile(schemas[schema]);
    const isRefused = (text: string) => check.Errors(bodyOf(text)).some(({ instancePath }) => place.test(instancePath));
    for (const control of ['\n', '\r', '\t', '\u0000', '\u001b[31m', '\u007f', '\u009b31m'])
      assert.ok(isRefused(`a${control}b`), JSON.stringify(control));
    for (const text of ['nightly', 'größe-“1”', '夜', '🦌', 'a/b_c:d']) assert.ok(!isRefused(text), text);
  });
}

test('what has lines becomes one', () => {
  assert.equal(oneLine('It failed:\r\n\tat x\n'), 'It failed: at x');
});
