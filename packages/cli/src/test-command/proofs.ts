// Which tests prove which capability, found by their declarations (packages/core/src/testing/proves.ts). `node packages/cli/src/test-command/proofs.ts`
// writes docs/tests.md.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Capability, type CapabilityName, capabilities } from '../../../core/src/testing/capabilities.ts';
import { thoroughly } from '../../../core/src/testing/proves.ts';
import type { Ended } from './reporter.ts';
import { root, type Step } from './steps.ts';

/** A test or suite that declares what it proves. */
export interface Proof {
  /** From the repository's root. */
  file: string;
  /** On which the test is called. */
  line: number;
  /** As its file writes it: a name may be made of variables. */
  name: string;
  capabilities: readonly CapabilityName[];
  tier: 'first' | 'thorough';
}

const names = Object.keys(capabilities) as CapabilityName[];
const commandsOf = (name: CapabilityName): readonly string[] => (capabilities[name] as Capability).commands ?? [];

/** All declarations of this repository, by file and line. @throws Error where one names no capability, or stands at no test */
export const allProofs = (): Proof[] =>
  testFiles()
    .filter((file) => !file.endsWith('test-command/proofs.test.ts')) // which has made ones
    .flatMap((file) => proofsIn(file, readFileSync(join(root, file), 'utf8')));

export const testFiles = (): string[] =>
  globSync('**/*.test.{ts,mts,js,mjs}', { cwd: root, exclude: ['**/node_modules', '.tools'] }).sort();

/** @param source of the file */
export function proofsIn(file: string, source: string): Proof[] {
  // A test that is commented out proves nothing.
  const text = source.replaceAll(/^\s*\/\/.*$/gm, (line) => line.replaceAll(/[^\n]/g, ' '));
  return [...text.matchAll(/\b(proves|thoroughly)\(([^)]*)\)/g)].map(({ 1: call, 2: given = '', index }) => {
    const before = text.slice(0, index);
    const test = [...before.matchAll(/\b(?:test|it|describe|suite)\(\s*/g)].at(-1);
    const line = before.slice(0, test?.index).split('\n').length;
    const head = test === undefined ? '=>' : before.slice(test.index + test[0].length);
    if (head.includes('=>')) throw new Error(`${file}:${before.split('\n').length}: ${call}(${given}) is no option of a test.`);
    const unknown = [...given.matchAll(/'([^']*)'/g)].map(([, name = '']) => name).find((name) => !names.some((one) => one === name));
    if (unknown !== undefined)
      throw new Error(`${file}:${line}: there is no capability ${unknown} in packages/core/src/testing/capabilities.ts.`);
    return {
      file,
      line,
      name: nameIn(head),
      capabilities: names.filter((name) => given.includes(`'${name}'`)),
      tier: call === 'thoroughly' || file.includes('/thorough/') ? 'thorough' : 'first',
    };
  });
}

/** The first argument of a test's call, without its quotes. */
function nameIn(head: string): string {
  const [, , quoted, written] = /^(?:(['"`])((?:\\.|(?!\1).)*)\1|([^,]*))/s.exec(head) ?? [];
  return (quoted ?? written ?? '').replaceAll(/\\(['"`])/g, '$1').trim();
}

/** The capabilities that no test of the first tier proves. */
export const unproven = (proofs: readonly Proof[]): CapabilityName[] =>
  names.filter((name) => !proofs.some((proof) => proof.tier === 'first' && proof.capabilities.includes(name)));

/** docs/tests.md: each capability with the files of its tests. */
export function document(proofs: readonly Proof[]): string {
  const rows = names.map((name) => {
    const files = (tier: Proof['tier']) => [
      ...new Set(proofs.filter((proof) => proof.tier === tier && proof.capabilities.includes(name)).map(({ file }) => file)),
    ];
    const first = files('first');
    const cells = [first, files('thorough')].map((tier) =>
      tier
        .map((file) => `[${file.replace(/^(?:packages\/)?([^/]+)\/(?:e2e|src)\//, '$1/').replace('.test.ts', '')}](../${file})`)
        .join(', '),
    );
    const commands = commandsOf(name).map((command) => `\`${command}\``);
    return `| \`${name}\` | ${[capabilities[name].says, ...(commands.length > 0 ? [`(${commands.join(', ')})`] : [])].join(' ')} | ${cells.join(' | ')} |`;
  });
  return `${heading}\n${rows.join('\n')}\n`;
}

const heading = `# What the tests prove

Each capability, with the files whose tests prove it. The first tier (third column) is \`./pronghorn test\`. The thorough tier adds the last column and,
in some files of the third, more samples: \`./pronghorn test --thorough\`. To find the tests in a file, search it for the name of the first column:
\`proves('link')\`, \`thoroughly('link')\`. Don't edit this page: \`node packages/cli/src/test-command/proofs.ts\` writes it from these declarations.

| name | capability | first tier | thorough tier |
| --- | --- | --- | --- |`;

/** Why docker/e2e/passed.ts skips tests of images: they are proven. */
const passedBefore = 'it passed, and nothing that counts has changed since';

const stepOf = (file: string): Step => (file.startsWith('docker/e2e/') ? 'containers' : file.includes('/e2e/') ? 'e2e' : 'unit');

/** Skipped, and proven all the same: by an earlier run, or by another test of this one. */
const isElsewhere = (skipped: string) => skipped.startsWith(passedBefore) || skipped === thoroughly('tests').skip;

/** A test that ended, or those of a suite, which are told before it. */
function within(ended: readonly Ended[], at: number): readonly Ended[] {
  const suite = ended[at] as Ended;
  const from = ended.slice(0, at).findLastIndex(({ nesting }) => nesting <= suite.nesting) + 1;
  const inside = ended.slice(from, at);
  return inside.length === 0 ? [suite] : inside.filter((one, place) => (inside[place - 1]?.nesting ?? 0) <= one.nesting);
}

/**
 * What a run did not prove, or not by all of its tests, since this machine lacks something: they were skipped.
 * @param ended all tests of the run
 * @param steps what it ran; capabilities that others prove are left out
 * @param thorough whether the tests of the thorough tier were to run, too
 */
export function notProven(ended: readonly Ended[], steps: readonly Step[], { thorough = false, proofs = allProofs() } = {}): string {
  const looked = names.flatMap((name) => {
    const tests = proofs.filter(
      ({ file, tier, capabilities }) => (thorough || tier === 'first') && capabilities.includes(name) && steps.includes(stepOf(file)),
    );
    return tests.length === 0 ? [] : [{ name, tests }];
  });
  const lines = looked.flatMap(({ name, tests }) => {
    const looks = tests.map(({ file, line }) => {
      const results = ended.flatMap((one, at) => (one.file === file && one.line === line ? within(ended, at) : []));
      const ofFile = ended.find((one) => one.file === file && one.name === file);
      const lacking = results.flatMap(({ skipped }) => (skipped === undefined || isElsewhere(skipped) ? [] : [skipped]));
      return {
        lacking: results.length === 0 ? [ofFile?.skipped ?? 'did not run'] : lacking,
        isNothing: results.every(({ skipped }) => skipped !== undefined),
      };
    });
    const lacking = looks.flatMap((look) => look.lacking);
    if (lacking.length === 0) return [];
    const whole = looks.filter((look) => look.lacking.length === 0).length;
    const count = looks.every(({ isNothing }) => isNothing) ? 'not at all' : `${whole} of ${tests.length} tests ran wholly`;
    return [`  ${capabilities[name].says} (${count}): ${[...new Set(lacking)].join('; ')}`];
  });
  const by = `${looked.length} capabilities that ${steps.join(', ')} prove (docs/tests.md)`;
  return lines.length === 0 ? `\nProven: the ${by}.` : `\nNOT WHOLLY PROVEN HERE, ${lines.length} of the ${by}:\n${lines.join('\n')}`;
}

if (import.meta.main) writeFileSync(join(root, 'docs/tests.md'), document(allProofs()));
