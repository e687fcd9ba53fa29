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

test('a precision takes the place of rounds, also of those that a command has by itself', () => {
  const asked = (usual: number | undefined, ...given: string[]) => {
    const command = measuring(
      new Command().exitOverride().configureOutput({ writeErr: () => {} }),
      usual === undefined ? {} : { rounds: usual },
    );
    const { rounds, maximumRounds, precision } = requestOf(command.parse(given, { from: 'user' }).opts<MeasuringOptions>())([]);
    return { rounds, maximumRounds, precision };
  };
  assert.deepEqual(asked(12, '--precision', 'precise'), { rounds: undefined, maximumRounds: undefined, precision: 'precise' });
  assert.deepEqual(asked(12), { rounds: 12, maximumRounds: undefined, precision: undefined });
  for (const other of [['--rounds', '12'], ['--until-settled']])
    assert.throws(
      () => asked(undefined, '--precision', 'quick', ...other),
      /'--precision <name>' cannot be used with option '--(rounds|until-settled)/,
    );
  assert.throws(() => asked(undefined, '--precision', 'best'), /Allowed choices are quick, normal, precise, until-clear/);
});

test('who asks for Firefox alone has said the engine too, which is left to the campaign', () => {
  const asked = (...given: string[]) => {
    const { engine, browser } = requestOf(measuring(new Command()).parse(given, { from: 'user' }).opts<MeasuringOptions>())([]);
    return { engine, browser };
  };
  assert.deepEqual(asked('--browser', 'firefox'), { engine: undefined, browser: 'firefox' });
  assert.deepEqual(asked('--engine', 'firefox'), { engine: 'firefox', browser: undefined });
});
