// Writes the configuration's docs: its JSON Schema, and the table of settings in docs/operation.md.
//   node packages/cli/src/config/documents.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expectedOf, leavesOf } from './read.ts';
import { ConfigSchema } from './schema.ts';

const docs = (name: string) => fileURLToPath(new URL(`../../../../docs/${name}`, import.meta.url));
export const schemaFile = docs('pronghorn.config.schema.json');
export const guide = docs('operation.md');

/** Editors complete and check files with it. */
export function schemaDocument(): string {
  const { properties, ...schema } = JSON.parse(JSON.stringify(ConfigSchema), lenient);
  const all = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'pronghorn.config.json',
    ...schema,
    properties: { $schema: { type: 'string' }, ...properties },
  };
  const text = JSON.stringify(all, null, 2);
  // Lists of words on one line where they fit, as the formatter does.
  return `${text.replace(/^( *)(.*)\[\n([^[\]{}]*)\n *\](,?)$/gm, (whole, indent: string, key: string, items: string, comma: string) => {
    const line = `${indent}${key}[${items.trim().replaceAll(/,\n */g, ', ')}]${comma}`;
    return line.length <= 140 ? line : whole;
  })}\n`;
}

/** No section and no setting is required: TypeBox lists every key of an object, since a configuration that was read has them all. */
function lenient(_key: string, value: unknown): unknown {
  const { properties } = (value ?? {}) as { properties?: Record<string, { default?: unknown; properties?: unknown }> };
  const isSection = properties !== undefined && Object.values(properties).every((each) => 'default' in each || 'properties' in each);
  return isSection ? { ...(value as object), required: undefined } : value;
}

const [begin, end] = ['<!-- settings: written by packages/cli/src/config/documents.ts -->\n', '<!-- end of settings -->'];

export function withSettings(text: string): string {
  const rows = leavesOf(ConfigSchema).map(({ path, variable, schema }) => {
    const value = JSON.stringify(schema.default);
    const cells = [`\`${path.join('.')}\``, `\`${variable}\``, `\`${value}\``, `${schema.description} ${capital(expectedOf(schema))}.`];
    return cells.map((cell) => cell.replaceAll('|', '\\|'));
  });
  const table = aligned(['setting', 'variable', 'default', ''], rows);
  const [before, after] = [text.split(begin)[0] ?? '', text.split(end)[1]];
  if (after === undefined) throw new Error(`${guide} has no place for the settings: ${begin.trim()} … ${end}`);
  return `${before}${begin}\n${table}\n\n${end}${after}`;
}

function aligned(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(schemaFile, schemaDocument());
  writeFileSync(guide, withSettings(readFileSync(guide, 'utf8')));
}
