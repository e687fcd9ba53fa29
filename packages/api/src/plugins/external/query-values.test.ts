import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { queryValues } from './typebox.ts';

const schema = Type.Object({
  limit: Type.Optional(Type.Integer()),
  share: Type.Optional(Type.Number()),
  counted: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String()),
  many: Type.Optional(Type.Array(Type.Integer())),
});

test('texts become what the schema says', () => {
  assert.deepEqual(queryValues(schema, { limit: '20', share: '-1.5e3', counted: 'false', name: '7', many: ['1', '2'] }), {
    limit: 20,
    share: -1500,
    counted: false,
    name: '7',
    many: [1, 2],
  });
  assert.deepEqual(queryValues(schema, { many: '1' }), { many: [1] });
});

test('a text that is no such thing stays as it is, to be refused', () => {
  for (const limit of ['true', '', ' 5', '0x10', 'Infinity', 'null', '1,000']) assert.deepEqual(queryValues(schema, { limit }), { limit });
  for (const counted of ['1', 'yes', 'TRUE', '']) assert.deepEqual(queryValues(schema, { counted }), { counted });
  assert.deepEqual(queryValues(schema, { limit: ['1', '2'], other: 'x' }), { limit: ['1', '2'], other: 'x' });
});
