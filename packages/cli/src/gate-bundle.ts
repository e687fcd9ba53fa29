// Bundles `pronghorn-gate` into one file that runs on plain Node, with the package that npm and npx take:
//
//   node packages/cli/src/gate-bundle.ts [FOLDER]    default: packages/cli/dist/gate; prints where it is
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const home = join(import.meta.dirname, '..');
const repository = join(home, '../..');
const file = 'pronghorn-gate.mjs';
/** As src/older-node.ts has it. */
const oldestNode = 20;

/** @returns the folder, which holds the bundle, package.json, licences. @throws Error where what measures would be part of it */
export async function bundledGate(folder = join(home, 'dist/gate')): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input: join(home, 'src/pronghorn-gate.ts'),
    platform: 'node',
    plugins: [utilities],
    treeshake: { moduleSideEffects: (id) => id.endsWith('/src/pronghorn-gate.ts') || id.endsWith('/older-node.ts') },
    transform: { target: `node${oldestNode}` },
  });
  const { output } = await bundle.write({
    ...{
      file: join(folder, file),
      format: 'esm',
      codeSplitting: false,
      minify: true,
      comments: { legal: false, annotation: false, jsdoc: false },
    },
    postBanner: `#!/usr/bin/env node\n// Pronghorn ${versionOf(home)}, MIT. The licences of what this file contains are in THIRD-PARTY.txt of its package.`,
  });
  await bundle.close();
  const modules = output.flatMap((chunk) => ('moduleIds' in chunk ? chunk.moduleIds : []));
  const foreign = modules.find(
    (id) => id.startsWith(repository) && !/\/(packages\/(cli|core)\/|node_modules\/)/.test(id.slice(repository.length)),
  );
  if (output.length !== 1 || foreign !== undefined)
    throw new Error(
      `The bundle is ${output.length} files and has ${foreign ?? 'nothing of what measures'}; expected one file of cli and core.`,
    );
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), licences(modules));
  copyFileSync(join(repository, 'LICENSE'), join(folder, 'LICENSE'));
  return folder;
}

/**
 * Imported as it is, its newest functions would end an older Node before the first line that could say so. And before Node 24 not every styleText looks
 * whether it writes to a terminal.
 */
const utilities: Plugin = {
  name: 'utilities',
  resolveId: (id, importer) => (id === 'node:util' && importer !== 'utilities' ? 'utilities' : null),
  load: (id) =>
    id === 'utilities'
      ? `import util from 'node:util';
         export const { stripVTControlCharacters } = util;
         const isPlain = Number.parseInt(process.versions.node, 10) < 24 && !process.stdout.isTTY;
         export const styleText = isPlain ? (_, text) => text : util.styleText;`
      : null,
};

const readPackage = (folder: string): { name: string; version: string; license?: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const versionOf = (folder: string) => readPackage(folder).version;

const manifest = () => ({
  name: 'pronghorn-gate',
  version: versionOf(home),
  type: 'module',
  description: 'Asks a Pronghorn service whether the assertions of pronghorn.json about page speed hold',
  license: 'MIT',
  bin: { 'pronghorn-gate': file },
  files: [file, 'THIRD-PARTY.txt'],
  engines: { node: `>=${oldestNode}` },
});

function licences(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []));
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = readPackage(folder);
      const text = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      return `${name} ${version} (${license})\n\n${text === undefined ? '' : readFileSync(join(folder, text), 'utf8')}`;
    })
    .join('\n---\n\n');
}

if (process.argv[1] !== undefined && existsSync(process.argv[1]) && resolve(process.argv[1]) === import.meta.filename) {
  const given = process.argv[2];
  const folder = await bundledGate(given === undefined ? undefined : resolve(given));
  console.log(join(folder, file));
}
