import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibration, orderEffect } from '@pronghorn/core/campaign';
import { randomSource } from '@pronghorn/core/math';
import { conditionNamed } from '@pronghorn/core/network';
import type { Campaign, Metrics, Visit } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { calibrations, isCalibration } from './calibrations.ts';

const native = conditionNamed('native') ?? assert.fail();
const campaignOf = (protocols: Protocol[]) =>
  ({
    sites: [{ id: 's' }, { id: 't' }],
    spec: { engine: 'puppeteer', protocols, conditions: [native], views: ['cold'], seed: 3 },
  }) as unknown as Campaign;

const startedAt = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, 0) + 1_000 * second).toISOString();

/** A visit that counts, of site s. */
function visit(slot: number, roundNumber: number, onLoad: number | null, change: Partial<Visit> = {}): Visit {
  const metrics = { onLoad, speedIndex: onLoad === null ? null : onLoad / 2 } as Metrics;
  const outcome = { verdict: 'valid', metrics };
  return {
    ...{ siteId: 's', condition: 'native', view: 'cold', counted: true },
    ...{ slot, roundNumber, startedAt: startedAt(10 * roundNumber + slot), outcome },
    ...{ protocol: 'h2', position: roundNumber % 3 === 0 ? 9 - slot : slot, ...change },
  } as unknown as Visit;
}

const random = randomSource(9);
const noise = Array.from({ length: 24 }, () => [200 + 20 * random(), 200 + 20 * random()] as const);
const rounds = noise.map(([first, second]) => ({ first, second }));
const visitsOf = (slots: readonly [number, number]) =>
  noise.flatMap(([first, second], i) => [visit(slots[0], i + 1, first), visit(slots[1], i + 1, second)]);

/** Without what depends on the other tests. */
const numbersOf = (found: object | null | undefined) => {
  assert.ok(found);
  const { cautions: _cautions, caution: _caution, ...numbers } = found as Record<string, unknown>;
  return numbers;
};

test('each pair of slots of a protocol is calibrated by its rounds, for onLoad and SpeedIndex, at every site', () => {
  const found = calibrations(campaignOf(['h2', 'h3', 'h2']), visitsOf([0, 2]));
  assert.deepEqual(
    found.map(({ siteId, protocol, slots, metric, rounds }) => [siteId, protocol, slots, metric, rounds]),
    [
      ['s', 'h2', [0, 2], 'onLoad', 24],
      ['s', 'h2', [0, 2], 'speedIndex', 24],
      ['t', 'h2', [0, 2], 'onLoad', 0],
      ['t', 'h2', [0, 2], 'speedIndex', 0],
    ],
  );
  assert.deepEqual(numbersOf(found[0]?.calibration), calibration(rounds, { seed: 3 }));
  assert.equal(found[2]?.calibration, null);
});

test('of REST calls response time and its p99 are calibrated', () => {
  const campaign = campaignOf(['h3', 'h3']);
  const calls = visitsOf([0, 1]).map((one, i): Visit => {
    const metrics = { responseTime: 5 + i / 100, responseTimeP99: 9 + i / 100 } as Metrics;
    return { ...one, protocol: 'h3', outcome: { verdict: 'valid', metrics } } as Visit;
  });
  const found = calibrations({ ...campaign, spec: { ...campaign.spec, engine: 'transaction' } }, calls);
  assert.deepEqual(
    found.map(({ siteId, metric, rounds }) => [siteId, metric, rounds]),
    [
      ['s', 'responseTime', 24],
      ['s', 'responseTimeP99', 24],
      ['t', 'responseTime', 0],
      ['t', 'responseTimeP99', 0],
    ],
  );
});

test('positions in the round are those in which its visits took place, whatever their slots; a round without a number is left out', () => {
  const [found] = calibrations(campaignOf(['h2', 'h2']), visitsOf([0, 1]));
  const inOrder = noise.map((values, i) =>
    (i % 3 === 2 ? values.toReversed() : values).map((value) => ({ protocol: 'h2' as const, value })),
  );
  assert.ok(found?.order);
  assert.deepEqual(numbersOf(found.order), orderEffect(inOrder));
  const [without] = calibrations(campaignOf(['h2', 'h2']), [visit(0, 1, null), ...visitsOf([0, 1]).slice(1)]);
  assert.deepEqual(numbersOf(without?.order), orderEffect(inOrder.slice(1)));
});

test('rounds stand in the order of time, whatever their numbers and the order of the visits', () => {
  const again = { startedAt: startedAt(1_000) };
  const late = visitsOf([0, 1]).map((one) => (one.roundNumber === 1 ? { ...one, ...again } : one));
  const [found] = calibrations(campaignOf(['h2', 'h2']), late.toReversed());
  assert.deepEqual(numbersOf(found?.calibration), calibration([...rounds.slice(1), ...rounds.slice(0, 1)], { seed: 3 }));
});

test('a round without two visits that count, or without two numbers above 0, is left out', () => {
  const spoiled = visitsOf([0, 1]).flatMap((one) => {
    if (one.slot === 1 && one.roundNumber === 1) return [];
    if (one.slot === 0 && one.roundNumber === 2) return [{ ...one, counted: false }];
    if (one.slot === 1 && one.roundNumber === 3) return [visit(1, 3, null)];
    if (one.slot === 0 && one.roundNumber === 4) return [visit(0, 4, 0)];
    return [one];
  });
  const [found] = calibrations(campaignOf(['h3', 'h3']), spoiled);
  assert.equal(found?.rounds, 20);
  assert.deepEqual(numbersOf(found?.calibration), calibration(rounds.slice(4), { seed: 3 }));
});

test('without a protocol that stands twice there is nothing to calibrate', () => {
  assert.deepEqual(calibrations(campaignOf(['h2', 'h3']), visitsOf([0, 1])), []);
});

test('a campaign is a calibration when every protocol is compared with itself', () => {
  assert.ok(isCalibration({ protocols: ['h2', 'h2'] }));
  assert.ok(isCalibration({ protocols: ['h2', 'h3', 'h2', 'h3'] }));
  assert.ok(!isCalibration({ protocols: ['h2', 'h2', 'h3'] }));
  assert.ok(!isCalibration({ protocols: ['h2'] }));
});
