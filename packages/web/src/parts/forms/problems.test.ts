import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiRefusal, ApiUnavailable } from '@pronghorn/core/client';
import type { Problem } from '@pronghorn/core/schemas';
import { besideField, problemAt, problemBeside } from './problems.ts';

const refused = new ApiRefusal(422, 'All of it.', 'urn:pronghorn:problem:invalid-request', false, {
  errors: [
    { pointer: '#/cron', detail: 'No cron expression.' },
    { pointer: '#/campaign/sites/0/url', detail: 'No URL.' },
    { pointer: '#/campaign/rounds', detail: 'Too many.' },
    { pointer: 'limit', detail: 'Too large.' },
  ],
} as unknown as Problem);

test('what is wrong is told beside its field, with all below it', () => {
  assert.equal(problemAt(refused, '/cron'), 'No cron expression.');
  assert.equal(problemAt(refused, '/campaign'), 'No URL. Too many.');
  assert.equal(problemAt(refused, '/camp'), '');
  assert.equal(problemAt(null, '/cron'), '');
});

test('what belongs to no field of the form is told beside it, and nothing twice', () => {
  assert.equal(problemBeside(refused, ['/cron', '/campaign']), 'Too large.');
  assert.equal(problemBeside(new ApiUnavailable('The service does not answer.', null, 503), ['/cron']), 'The service does not answer.');
  assert.equal(problemBeside(null, []), '');
});

test('beside its field a limit stands in the unit of the field, and what was typed is not told again', () => {
  assert.equal(besideField('/rounds is 0; expected at least 1'), 'Expected at least 1.');
  assert.equal(besideField('/margin is 2; expected at most 1', { factor: 100, unit: '%' }), 'Expected at most 100 %.');
  assert.equal(
    besideField('/limits/settleMaxMs is 1e12; expected at most 120000', { factor: 0.001, unit: 's' }),
    'Expected at most 120 s.',
  );
  assert.equal(besideField('/name is "A b"; expected this: Lower-case letters and digits'), 'Expected: Lower-case letters and digits.');
  assert.equal(besideField('/name is ""; expected at least 1 character'), 'Fill this in.');
  assert.equal(besideField('No cron expression.'), 'No cron expression.');
});

test('a name that is taken is told at the name, and nowhere else', () => {
  const taken = new ApiRefusal(409, 'Gate 1 is called "a".', 'urn:pronghorn:problem:name-taken');
  assert.deepEqual([problemAt(taken, '/name'), problemAt(taken, '/rules')], ['Gate 1 is called "a".', '']);
  assert.deepEqual([problemBeside(taken, ['/name']), problemBeside(taken, ['/rules'])], ['', 'Gate 1 is called "a".']);
});
