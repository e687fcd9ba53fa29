import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportPath } from './report.ts';

test('a report without a path of its own stays in the data folder, whatever a service calls its campaign', () => {
  const data = { path: '/data' };
  assert.equal(reportPath(data, '7', 'paper'), '/data/paper-7.html');
  assert.equal(reportPath(data, '/../../etc/x', 'kiwee'), '/data/kiwee--------etc-x.html');
});
