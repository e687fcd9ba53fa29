// Runs a bench: node bench NAME [ARGUMENTS]. Without a name, lists all of them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;
const names = globSync('*/*.ts', { cwd: folder, exclude: ['shared'] })
  .map((file) => file.replace(/\.ts$/, ''))
  .sort();
const name = process.argv[2];

if (name === undefined) {
  console.log('node bench NAME [ARGUMENTS]\n');
  for (const one of names) console.log(`${one}\n${headOf(one)}`);
} else if (names.includes(name)) {
  process.argv.splice(2, 1);
  await import(`./${name}.ts`);
} else {
  console.error(`There is no bench ${name}: \`node bench\` lists them.`);
  process.exitCode = 64;
}

/** The first two lines of a bench say what it compares, how long it takes and which arguments it takes. */
function headOf(one: string): string {
  const [compares = '', usage = ''] = readFileSync(join(folder, `${one}.ts`), 'utf8').split('\n', 2);
  return [compares, usage].map((line) => line.replace(/^\/\/ /, '    ')).join('\n');
}
