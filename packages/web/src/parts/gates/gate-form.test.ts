import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Gate } from '@pronghorn/core/schemas';
import { areObjects, formOfGate, gateFile, gateRequestOf, newGateForm, readableOf, rulesOf } from './gate-form.ts';

test('what of a baseline has no field stays as it was', () => {
  const baseline = { campaign: '57', only: 'all' as const };
  const rules = { assertions: ['onLoad <= baseline + 10 %'], baseline };
  const gate = { id: '1', name: 'budget', createdAt: '', changedAt: '', createdBy: null, campaign: null, rules };
  assert.deepEqual(gateRequestOf(formOfGate(gate)).rules, rules);
});

test('what is usual is left out of the rules, and what is not stands there', () => {
  const form = newGateForm();
  assert.deepEqual(rulesOf(form), { assertions: [{ kind: 'bound', metric: 'onLoad', statistic: 'p75', max: 2500 }] });
  assert.deepEqual(rulesOf({ ...form, branch: 'release', campaigns: 20, confidence: 0.99, decide: 'point' }), {
    assertions: form.assertions,
    baseline: { branch: 'release', campaigns: 20 },
    confidence: 0.99,
    decide: 'point',
  });
});

test('a stored gate comes out of its form as it went in', () => {
  const rules = { assertions: ['onLoad <= baseline + 10 %'], baseline: { branch: 'release' }, confidence: 0.9 };
  const stored: Gate = { id: '1', name: 'budget', createdAt: '', changedAt: '', createdBy: null, campaign: null, rules };
  assert.deepEqual(gateRequestOf(formOfGate(stored)), { name: 'budget', campaign: null, rules });
  assert.equal(areObjects(rules.assertions), false);
});

test('the file of a gate without a campaign names a page to put another in its place', () => {
  const file = JSON.parse(gateFile({ rules: { assertions: ['onLoad <= 2 s'] }, campaign: null }));
  assert.deepEqual(file, { sites: [{ url: 'https://staging.example.com/' }], assertions: ['onLoad <= 2 s'] });
});

test('what the service is asked to read has no number that is none', () => {
  const form = { ...newGateForm(), confidence: 0.99, campaign: { sites: [{ url: 'https://shop.test/' }], rounds: 12 } };
  assert.deepEqual(readableOf(form), { rules: rulesOf(form), campaign: form.campaign });
  const typing = { ...form, confidence: Number.NaN, campaigns: Number.NaN, campaign: { ...form.campaign, rounds: Number.NaN } };
  assert.deepEqual(readableOf(typing), { rules: { assertions: form.assertions }, campaign: null });
});
