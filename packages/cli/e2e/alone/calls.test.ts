// REST calls behind a link: what a condition adds is in every one of them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { surveyBackends } from '@pronghorn/runner';
import { behindLink, exported, quick, run, temporaryData } from '../command.ts';
import { plainPages } from '../pages.ts';

const survey = await surveyBackends();
const shapes = survey.some(({ name, can }) => (name === 'netem' || name === 'guest') && can === true);
const why = survey.map(({ name, can }) => `${name}: ${can}`).join('; ');

describe('with a link that shapes', { skip: shapes ? false : `no link here can shape (${why})` }, () => {
  test('calls of a server on this machine are measured over each protocol, cold and warm', { timeout: 120_000 }, async (t) => {
    const data = await temporaryData((remove) => t.after(remove));
    const server = await plainPages();
    t.after(server.close);
    const workload = ['--users', '2', '--requests', '10', '--path', '/one', '--path', '/two', '--view', 'cold,warm'];
    const measure = [
      'measure',
      `${server.url}/`,
      '--engine',
      'transaction',
      '--protocols',
      'h1,h2,h3',
      '--rounds',
      '1',
      '--conditions',
      'latency-50',
    ];
    const { code, stdout, stderr } = await run([...measure, ...workload, ...quick.slice(0, 2), '--data', data], behindLink);
    assert.equal(code, 0, stderr + stdout);
    const { visits } = await exported(data);
    const counted = visits.filter((visit) => visit.counted);
    assert.deepEqual(counted.map(({ protocol, view }) => `${view} ${protocol}`).sort(), [
      ...['cold h1', 'cold h2', 'cold h3'],
      ...['warm h1', 'warm h2', 'warm h3'],
    ]);
    for (const { outcome } of counted) {
      assert.ok(outcome.verdict === 'valid' && 'latency' in outcome.metrics, JSON.stringify(outcome));
      const { requests, failedRequests, connections, latency, handshake } = outcome.metrics;
      assert.deepEqual([requests, failedRequests, connections], [20, 0, 2]);
      // A guest's clock that is short of CPU time may run ahead by some per cent.
      assert.ok(latency > 47 && (handshake ?? 0) > 47, JSON.stringify({ latency, handshake }));
    }
    for (const path of ['/one', '/two']) assert.ok(server.requested.filter((requested) => requested === path).length >= 60, path);
    assert.match(stdout, /Pronghorn-Transaction\/Go 1\./);
  });
});
