import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answered } from '@pronghorn/core/answer';
import type { Caveat } from '@pronghorn/core/schemas';
import { type CaveatCode, caveatCodes, caveatKinds, type Doubt } from '@pronghorn/core/vocabulary';
import { doubtCounts, passedWords, qualityChecks } from './doubts.ts';

const place = { siteId: '1', condition: 'native', view: 'cold' } as const;
const cell = (...doubts: Doubt[]) => ({ ...place, comparison: { doubts } }) as unknown as Answered;
const caveat = (code: CaveatCode, at: Partial<Caveat> = {}): Caveat => ({
  ...{ code, siteId: null, condition: null, view: null, numbers: {}, names: [], words: code },
  ...at,
});

test('doubts are counted, the most frequent first, and rounds to come are none', () => {
  assert.deepEqual(doubtCounts([cell('unfinished'), cell('link'), cell('too-few-rounds', 'link', 'link')]), [
    { doubt: 'link', count: 2 },
    { doubt: 'too-few-rounds', count: 1 },
  ]);
});

test('each doubt about the measurement fails a check; too few rounds, two modes and slow loads fail none', () => {
  const failing = (...doubts: Doubt[]) => qualityChecks([cell(...doubts)], []).filter(({ failed }) => failed > 0).length;
  assert.equal(qualityChecks([cell()], []).length, 5);
  assert.equal(failing('too-few-rounds', 'two-modes', 'slow-loads'), 0);
  assert.equal(failing('link', 'saturated', 'little-h3', 'metric-missing'), 4);
  assert.deepEqual(qualityChecks([], []), []);
});

test('each warning fails a check where it holds; a network of the machine’s own leaves nothing to check', () => {
  for (const code of caveatCodes) {
    const failed = qualityChecks([cell()], [caveat(code)]).filter(({ failed }) => failed > 0);
    assert.equal(failed.length, caveatKinds[code].isWarning ? 1 : 0, code);
    if (caveatKinds[code].isWarning) assert.deepEqual(failed[0]?.reasons, [caveatKinds[code].title]);
  }
  assert.equal(passedWords(qualityChecks([cell()], [caveat('redirected', { siteId: '2' })])), '5 of 5 checks passed', 'of another page');
  assert.equal(passedWords(qualityChecks([cell()], [caveat('native'), caveat('busy')])), '3 of 4 checks passed');
  assert.equal(
    passedWords(qualityChecks([cell(), { ...cell(), condition: '4g' }], [caveat('native', { condition: 'native' })])),
    '5 of 5 checks passed',
  );
});
