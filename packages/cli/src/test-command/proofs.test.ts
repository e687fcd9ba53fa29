import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Capability, capabilities } from '../../../core/src/testing/capabilities.ts';
import { allProofs, document, notProven, type Proof, proofsIn, testFiles, unproven } from './proofs.ts';
import { root } from './steps.ts';

const proofs = allProofs();

test('each capability is proven by a test of the first tier', () => {
  assert.deepEqual(unproven(proofs), [], 'no test of the first tier declares these: add proves(NAME) to one');
});

test('each command of the README is a capability', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| (`.+?`) +\|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
  const commands = rows.map((name) => name.replace(/ URL…?$/, '')).filter((name) => !/[/<]/.test(name));
  const known = Object.values(capabilities).flatMap(({ commands = [] }: Capability) => commands);
  assert.ok(commands.length > 20, `${commands}`);
  assert.deepEqual(commands.sort(), [...known].sort());
});

test('each file of end-to-end tests declares what it proves', () => {
  const declaring = new Set(proofs.map(({ file }) => file));
  const silent = testFiles().filter((file) => file.includes('/e2e/') && !declaring.has(file));
  assert.deepEqual(
    silent,
    [],
    'these declare nothing: add proves(NAME) to a test, with a name of packages/core/src/testing/capabilities.ts',
  );
});

test('docs/tests.md is made of the declarations of today', () => {
  const isNew = readFileSync(join(root, 'docs/tests.md'), 'utf8') === document(proofs);
  assert.ok(isNew, 'docs/tests.md is old: write it by `node packages/cli/src/test-command/proofs.ts`');
});

const source = `import { proves } from '@pronghorn/core/testing';
test('one', proves('link', 'fence'), () => {});
  // test('gone', proves('demo'), () => {});
for (const name of names)
  describe(
    name,
    { skip, ...thoroughly('link') },
    () => {
      it('says "it’s"', async () => {});
      it('it\\'s two', { ...proves('demo'), timeout: 60_000 }, async () => {});
    });
`;

test('a declaration is found with its test, by the line on which the test is called', () => {
  const found = proofsIn('packages/a/e2e/a.test.ts', source);
  assert.deepEqual(found, [
    { file: 'packages/a/e2e/a.test.ts', line: 2, name: 'one', capabilities: ['link', 'fence'], tier: 'first' },
    { file: 'packages/a/e2e/a.test.ts', line: 5, name: 'name', capabilities: ['link'], tier: 'thorough' },
    { file: 'packages/a/e2e/a.test.ts', line: 10, name: "it's two", capabilities: ['demo'], tier: 'first' },
  ]);
  assert.ok(proofsIn('packages/a/e2e/thorough/a.test.ts', source).every(({ tier }) => tier === 'thorough'));
});

test('a declaration of an unknown capability, or beside a test, is refused with its place', () => {
  assert.throws(
    () => proofsIn('a.test.ts', "\ntest('one', proves('lnik'), () => {});"),
    /^Error: a\.test\.ts:2: there is no capability lnik/,
  );
  assert.throws(
    () => proofsIn('a.test.ts', "test('one', () => {});\nproves('link');"),
    /^Error: a\.test\.ts:2: proves\('link'\) is no option of a test/,
  );
});

test('what was skipped on this machine is named with the reason, and what no test proves is caught', () => {
  const [link, ...rest] = proofsIn('a.test.ts', "test('one', proves('link'), f);\ntest('two', proves('demo'), f);") as [Proof, ...Proof[]];
  assert.ok(unproven([link, ...rest]).length === Object.keys(capabilities).length - 2);
  const all = Object.keys(capabilities).map((name, at) => ({ ...link, line: at, capabilities: [name as 'link'] }));
  const ended = all.map(({ file, line }) => ({ file, line, name: '', nesting: 0, ms: 1 }));
  assert.match(notProven(ended, ['unit'], { proofs: all }), /^\nProven: the \d+ capabilities that unit prove/);
  assert.match(notProven([], ['e2e'], { proofs: all }), /^\nProven: the 0 capabilities/, 'what other steps prove is not looked at');
  const skipped = ended.map((one, at) => (at === 3 ? { ...one, skipped: 'needs root' } : one));
  const [says] = Object.values(capabilities).slice(3);
  assert.equal(
    notProven(skipped, ['unit'], { proofs: all }).split('\n').slice(2).join('\n'),
    `  ${says?.says} (not at all): needs root`,
    'the only test of a capability',
  );
  const ofFile = [...ended.toSpliced(3, 1), { ...link, name: link.file, line: 1, nesting: 0, ms: 0, skipped: 'needs a network' }];
  assert.match(notProven(ofFile, ['unit'], { proofs: all }), /\(not at all\): needs a network/, 'a file that was skipped as a whole');
  assert.match(notProven(ended.toSpliced(3, 1), ['unit'], { proofs: all }), /\(not at all\): did not run/);
  const twice = [...all, ...all.map((one) => ({ ...one, file: 'b.test.ts' }))];
  const both = [...skipped, ...ended.map((one) => ({ ...one, file: 'b.test.ts' }))];
  assert.match(
    notProven(both, ['unit'], { proofs: twice }),
    /NOT WHOLLY PROVEN HERE, 1 of the \d+ .*\(1 of 2 tests ran wholly\): needs root/s,
  );
  const thorough = { proofs: all.map((one) => ({ ...one, tier: 'thorough' as const })), thorough: true };
  assert.match(notProven(skipped, ['unit'], thorough), /NOT WHOLLY PROVEN HERE, 1 of/, 'of the thorough tier, where that was asked for');
  assert.match(notProven(skipped, ['unit'], { ...thorough, thorough: false }), /Proven: the 0 capabilities/);
  const ofLoop = [...ended, { ...link, line: 3, nesting: 0, ms: 1, skipped: 'needs a moon' }];
  assert.match(notProven(ofLoop, ['unit'], { proofs: all }), /\(0 of 1 tests ran wholly\): needs a moon/, 'one of several on a line');
  const suite = ended.flatMap((one, at) => (at === 3 ? [{ ...one, line: 900, nesting: 1, skipped: 'needs a sun' }, one] : [one]));
  assert.match(notProven(suite, ['unit'], { proofs: all }), /\(not at all\): needs a sun/, 'what is in a suite');
});
