// Which tests prove which capability, found by their declarations (packages/core/src/testing/proves.ts). `node packages/cli/src/test-command/proofs.ts`
// writes docs/tests.md.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Capability, type CapabilityName, capabilities } from '../../../core/src/testing/capabilities.ts';
import type { Ended } from './reporter.ts';
import { root } from './steps.ts';

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
  globSync(['{packages/*,nginx,bench/*}/{src,e2e}/**/*.test.ts', 'docker/**/*.test.ts'], {
    cwd: root,
    exclude: ['**/node_modules'],
  }).sort();

/** @param text of the file */
export function proofsIn(file: string, text: string): Proof[] {
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

/** docs/tests.md: each capability with its tests. */
export function document(proofs: readonly Proof[]): string {
  const listed = (name: CapabilityName, tier: Proof['tier']) =>
    proofs
      .filter((proof) => proof.tier === tier && proof.capabilities.includes(name))
      .map(({ file, name: test }) => `- ${test} ([${file.split('/').at(-1)}](../${file}))`);
  const sections = names.map((name) => {
    const thorough = listed(name, 'thorough');
    return [
      `## ${capabilities[name].says}`,
      ...(commandsOf(name).length > 0
        ? [
            `Commands: ${commandsOf(name)
              .map((command) => `\`${command}\``)
              .join(', ')}`,
          ]
        : []),
      listed(name, 'first').join('\n'),
      ...(thorough.length > 0 ? ['Thoroughly:', thorough.join('\n')] : []),
    ].join('\n\n');
  });
  return `${heading}\n\n${sections.join('\n\n')}\n`;
}

const heading = `# What the tests prove

Each promise of the README, and the tests that prove it end to end. \`./pronghorn test\` runs them; those under “Thoroughly” are repeated or need
a quiet machine, and run by \`./pronghorn test --thorough\`. Tests declare what they prove by \`proves('…')\` or \`thoroughly('…')\`; this page is
made of that by \`node packages/cli/src/test-command/proofs.ts\`.`;

/** Why docker/e2e/passed.ts skips tests of images: they are proven. */
const passedBefore = 'it passed, and nothing that counts has changed since';

/**
 * What a run did not prove, since this machine lacks something: its tests were skipped.
 * @param ended all tests of the run
 * @param withContainers whether it tested the images, too
 */
export function notProven(ended: readonly Ended[], withContainers: boolean, proofs = allProofs()): string {
  const ran = ({ file, line }: Proof) => ended.filter((one) => one.file === file && one.line === line);
  const lines = names.flatMap((name) => {
    const tests = proofs.filter((proof) => proof.tier === 'first' && proof.capabilities.includes(name));
    if (!withContainers && tests.every(({ file }) => file.startsWith('docker/'))) return [];
    const results = tests.flatMap(ran);
    if (results.some(({ skipped }) => skipped === undefined || skipped.startsWith(passedBefore))) return [];
    const why = [...new Set(results.map(({ skipped }) => skipped))].join('; ') || 'its tests did not run';
    return [`  ${capabilities[name].says}: ${why}`];
  });
  if (lines.length === 0) return `\nProven: each of ${names.length} capabilities (docs/tests.md).`;
  return `\nNOT PROVEN HERE, ${lines.length} of ${names.length} capabilities (docs/tests.md):\n${lines.join('\n')}`;
}

if (import.meta.main) writeFileSync(join(root, 'docs/tests.md'), document(allProofs()));
