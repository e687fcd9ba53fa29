import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { type RunnerHeartbeat, type RunnerRegistration, runnerProtocol } from '@pronghorn/core/schemas';
import { ApiClient } from './api-client.ts';
import { Registration } from './registration.ts';

const registration: RunnerRegistration = {
  name: 'runner',
  instance: '6f1c1a52-9d5e-4a3c-8a1b-3d3f0a7d2c11',
  location: null,
  version: '1.0.0-rc.1',
  protocol: runnerProtocol,
  capabilities: { engines: [], browsers: [], backends: [] },
  machine: { hostname: 'a-machine', kernel: '6.1.0', arch: 'x64', cpu: 'a processor', cores: 2, memoryBytes: 8e9, node: 'v24.0.0' },
};

type Problem = { type: string; detail: string } | null;

/** A runner's registered at a service of its own, and the signs that came there. @param refuse why a sign is refused, with 400; null: it is not. */
async function registrationAt(
  t: TestContext,
  refuse: (sign: RunnerHeartbeat, many: number) => Problem,
): Promise<{ registered: Registration; signs: RunnerHeartbeat[] }> {
  const signs: RunnerHeartbeat[] = [];
  const server = createServer(async (request, reply) => {
    const body = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
    const isSign = request.url?.endsWith('/heartbeat') === true;
    if (isSign) signs.push(body);
    const problem = isSign ? refuse(body, signs.length) : null;
    if (problem) reply.writeHead(400).end(JSON.stringify(problem));
    else reply.writeHead(200).end(JSON.stringify({ id: '1', versionWords: null, heartbeatMs: 60_000 }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const registered = new Registration({
    api: new ApiClient({ url: `http://127.0.0.1:${port}`, tries: 1 }),
    registration,
    warned: () => {},
    onRegistered: () => {},
    onDenied: assert.fail,
  });
  return { registered, signs };
}

test('signs are numbered in the order in which they are said, however they arrive', async (t) => {
  const { promise: allCame, resolve } = Promise.withResolvers<void>();
  const { registered, signs } = await registrationAt(t, (_sign, many) => {
    if (many === 3) resolve();
    return null;
  });
  await registered.begin(new AbortController().signal);
  registered.trouble('The disk is full.');
  registered.say('draining');
  await registered.end();
  await allCame;
  const inOrder = signs.sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0)).map(({ sequence, doing }) => [sequence, doing]);
  assert.deepEqual(inOrder, [
    [1, 'working'],
    [2, 'draining'],
    [3, 'stopped'],
  ]);
});
