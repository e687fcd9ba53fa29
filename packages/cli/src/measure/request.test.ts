import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { type MeasuringOptions, measuring } from '../options/measuring.ts';
import { measureOptions, requestOf } from './request.ts';

test('of which visits evidence is kept is asked of the campaign; --no-evidence keeps none, on either side', () => {
  const asked = (...given: string[]) => {
    const options = measuring(new Command()).parse(given, { from: 'user' }).opts<MeasuringOptions>();
    return [requestOf(options)([]).evidence, measureOptions(options).keepEvidence];
  };
  assert.deepEqual(asked(), [undefined, true]);
  assert.deepEqual(asked('--evidence', 'outliers'), ['outliers', true]);
  assert.deepEqual(asked('--no-evidence'), ['never', false]);
  assert.throws(
    () => measuring(new Command().exitOverride().configureOutput({ writeErr: () => {} })).parse(['--evidence', 'some'], { from: 'user' }),
    /Allowed choices are always, invalid, outliers, on-demand, never/,
  );
});

test('who asks for Firefox alone has said the engine too, which is left to the campaign', () => {
  const asked = (...given: string[]) => {
    const { engine, browser } = requestOf(measuring(new Command()).parse(given, { from: 'user' }).opts<MeasuringOptions>())([]);
    return { engine, browser };
  };
  assert.deepEqual(asked('--browser', 'firefox'), { engine: undefined, browser: 'firefox' });
  assert.deepEqual(asked('--engine', 'firefox'), { engine: 'firefox', browser: undefined });
});
