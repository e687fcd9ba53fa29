import assert from 'node:assert/strict';
import { test } from 'node:test';

// ask.ts wants to know where the page is.
Object.assign(globalThis, { document: { baseURI: 'http://127.0.0.1/' } });
const { ApiError } = await import('./ask.ts');
const { problemAt, problemBeside } = await import('./field-problems.ts');

const refused = new ApiError(422, 'All of it.', {
  errors: [
    { pointer: '#/cron', detail: 'No cron expression.' },
    { pointer: '#/campaign/sites/0/url', detail: 'No URL.' },
    { pointer: '#/campaign/rounds', detail: 'Too many.' },
    { pointer: 'limit', detail: 'Too large.' },
  ],
});

test('what is wrong is told beside its field, with all below it', () => {
  assert.equal(problemAt(refused, '/cron'), 'No cron expression.');
  assert.equal(problemAt(refused, '/campaign'), 'No URL. Too many.');
  assert.equal(problemAt(refused, '/camp'), '');
  assert.equal(problemAt(null, '/cron'), '');
});

test('what belongs to no field of the form is told beside it, and nothing twice', () => {
  assert.equal(problemBeside(refused, ['/cron', '/campaign']), 'Too large.');
  assert.equal(problemBeside(new ApiError(503, 'The service does not answer.'), ['/cron']), 'The service does not answer.');
  assert.equal(problemBeside(null, []), '');
});
