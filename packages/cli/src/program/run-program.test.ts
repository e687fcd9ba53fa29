import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Command } from 'commander';
import { remoteApi } from '../connection/remote-service.ts';
import { askRemote } from '../gate/remote-gate.ts';
import { failureCode, UsageError } from './errors.ts';
import { runProgram } from './run-program.ts';

async function service(t: TestContext, status: number, body: object) {
  const server = createServer((_, reply) => reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return remoteApi({ url, token: 'prg_x', wait: async () => {}, report: () => {} });
}
const problem = (status: number) => ({ type: 'urn:pronghorn:problem:x', title: 'No', status, detail: 'So it is.' });
const codeOf = (promise: Promise<unknown>) => promise.then(() => assert.fail('It succeeded.'), failureCode);

test('a pipeline tells by the exit code why nothing was decided', async (t) => {
  for (const [status, code] of [
    [401, 77],
    [403, 77],
    [422, 2],
    [404, 2],
    [500, 69],
    [503, 69],
    [429, 69],
  ] as const)
    assert.equal(await codeOf((await service(t, status, problem(status))).ask('GET /gates')), code, `${status}`);
  assert.equal(await codeOf((await service(t, 502, {})).ask('GET /gates')), 69, 'a gateway whose service is away');
  assert.equal(await codeOf((await service(t, 404, {})).ask('GET /gates')), 4, 'another server');
  const closed = await service(t, 200, {});
  const gone = remoteApi({ url: `${closed.url.replace(/\d+$/, '1')}`, token: null, wait: async () => {}, report: () => {} });
  assert.equal(await codeOf(gone.ask('GET /gates')), 69);
  assert.deepEqual([failureCode(new UsageError('x')), failureCode(new Error('x')), failureCode('x')], [2, 4, 4]);
});

test('a campaign that is not done in time is another exit code than a service that is away', async (t) => {
  const running = { campaignId: '1', result: null, id: '1', state: 'running', progress: { rounds: 9, roundsDone: 2 } };
  const asked = askRemote(
    await service(t, 200, running),
    { campaignId: '1', assertions: ['onLoad <= 1 s'] },
    { waitSeconds: 0.2, signal: new AbortController().signal, timings: { firstMs: 9e4, silentMs: 9e4, pauseMs: 1, awayMs: 9e4 } },
  );
  assert.equal(await codeOf(asked), 75);
});

test('an error that nobody expected is not the exit code of a gate that failed', async () => {
  const program = new Command('x').action(() => {
    throw new TypeError('undefined is not a function');
  });
  assert.equal(await runProgram(program, 'x', []), 4);
});
