import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { guide, schemaDocument, schemaFile, withSettings } from './documents.ts';

const how = 'write it anew: node packages/cli/src/config/documents.ts';

test('the JSON Schema in docs/ is that of the configuration', () => {
  assert.ok(readFileSync(schemaFile, 'utf8') === schemaDocument(), how);
});

test('the table in docs/operation.md has every setting as it is', () => {
  const text = readFileSync(guide, 'utf8');
  assert.ok(text === withSettings(text), how);
});

test('the JSON Schema takes the example of the guide, and refuses what is misspelt', () => {
  const [, example = ''] = /```json\n([^`]*"\$schema"[^`]*)```/.exec(readFileSync(guide, 'utf8')) ?? [];
  const validator = Compile(JSON.parse(readFileSync(schemaFile, 'utf8')));
  assert.deepEqual([...validator.Errors(JSON.parse(example))], []);
  assert.equal(validator.Check({ listen: { prot: 80 } }), false);
});
