import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { type Campaign, campaignResults, defaultLimits, type Metrics, metricNames, type Protocol, type ResultVisit } from '@pronghorn/core';
import { report } from './report.ts';

const protocols: Protocol[] = ['h2', 'h3'];
const campaign = {
  id: '1',
  sites: [{ id: 's', url: 'https://a.test/', name: 'A page', expectStatus: 200 }],
  spec: {
    protocols,
    conditions: ['native'],
    views: ['cold'],
    primaryMetric: 'onLoad',
    discovery: 'forced',
    limits: defaultLimits,
    seed: 1,
  },
} as unknown as Campaign;

const metrics = (value: number) => Object.fromEntries(metricNames.map((name) => [name, value])) as Metrics;
const place = { siteId: 's', condition: 'native', view: 'cold', roundNumber: 1 } as const;
const valid = (slot: number, value: number) => ({ ...place, slot, verdict: 'valid', metrics: metrics(value) }) as ResultVisit;
const invalid = (slot: number, reason: string) => ({ ...place, slot, verdict: 'invalid', reason }) as ResultVisit;

const told = (visits: ResultVisit[]) => stripVTControlCharacters(report(campaign, campaignResults(campaign, visits), []));

test('each protocol has a row of numbers, and the H3-Delta names which is lower', () => {
  const text = told([valid(0, 200), valid(1, 150)]);
  assert.match(text, /^A page {2}https:\/\/a\.test\/ {2}native, cold$/m);
  assert.match(text, /^onLoad +h2 +1 +200 +200 +200 +200 +200 +200$/m);
  assert.match(text, /^ +h3 +1 +150 /m);
  assert.match(text, /^H3-Delta {2}onLoad −0\.250 \(HTTP\/3 lower\)/m);
  assert.match(text.replaceAll('\n', ' '), /forced from the first request: the best case, not what a first visitor gets/);
});

test('invalid visits are counted by reason and protocol beside the numbers', () => {
  const text = told([valid(0, 200), invalid(0, 'busy-machine'), invalid(1, 'busy-machine'), invalid(1, 'quic-error')]);
  assert.match(text, /^2 invalid visits \(h2 1, h3 1\): busy-machine, /m);
  assert.match(text, /^1 invalid visit \(h3 1\): quic-error, /m);
  assert.match(text, /more than 20 % of the CPU: end it, or allow it more with --busy/);
  assert.match(text, /^ +h3 +0 +– /m);
});

test('a site without a valid visit has no table', () => {
  const text = told([invalid(0, 'dns-error'), invalid(1, 'dns-error')]);
  assert.match(text, /Nothing valid was measured\.\n2 invalid visits \(h2 1, h3 1\): dns-error/);
  assert.doesNotMatch(text, /median|H3-Delta|best case/);
});
