import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCondition } from '../network/check-condition.ts';
import { conditionNamed, presets } from '../network/presets.ts';
import type { Condition } from '../schemas/condition.ts';
import { conditionSetNamed, conditionSets, expandSets } from './condition-set.ts';

const expanded = (...requests: (string | Condition)[]) => expandSets(requests).map(({ request }) => request);

test('a set has presets, each once, and a name that no condition has', () => {
  for (const { name, conditions } of conditionSets) {
    assert.equal(conditionNamed(name), undefined);
    assert.equal(new Set(conditions).size, conditions.length);
    for (const one of conditions)
      assert.ok(
        presets.some((preset) => preset.name === one),
        `${name}: ${one}`,
      );
  }
  assert.equal(conditionSetNamed('study-2021')?.conditions.length, 10);
  assert.equal(conditionSetNamed('native'), undefined);
});

test('a set’s name stands for its conditions, each of them once', () => {
  assert.deepEqual(expanded('typical'), ['native', '4g', 'latency-100', 'loss-1']);
  assert.deepEqual(expanded('mobile', 'typical'), ['lte', '4g', '3g-fast', '3g', 'native', 'latency-100', 'loss-1']);
  assert.deepEqual(expanded('typical', 'satellite', '4g'), ['native', 'latency-100', 'loss-1', 'satellite', '4g']);
  const office: Condition = { name: 'office', up: { delayMs: 5 }, down: {} };
  assert.deepEqual(expanded(office, 'study-2026'), [office, 'native', 'medium', 'poor']);
});

test('a condition that is named twice by itself stays so, for the caller to refuse', () => {
  assert.deepEqual(
    expandSets(['poor', 'typical', 'poor']).map(({ place }) => place),
    [0, 1, 1, 1, 1, 2],
  );
});

test('a condition of one’s own has no set’s name', () => {
  const [fault] = checkCondition({ name: 'typical', up: { delayMs: 5 }, down: {} });
  assert.equal(fault?.pointer, '/name');
  assert.match(fault?.detail ?? '', /typical is the set of native, 4g, latency-100 and loss-1\. Give it another name\./);
});
