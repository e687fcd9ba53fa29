import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { testApi } from '../../../testing/test-api.ts';

test('what cannot be read as HTTP is answered by a problem, and the connection ended', async (t) => {
  const { app } = await testApi(t);
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  for (const [sent, status, kind] of [
    [`GET /api/v1/sites?search=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431, 'headers-too-large'],
    [`GET /api/v1/sites HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers-too-large'],
    ['hello\r\n\r\n', 400, 'malformed-request'],
  ] as const) {
    const socket = connect(Number(port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(sent);
    await once(socket, 'end');
    const [head = '', body = ''] = received.split('\r\n\r\n');
    assert.match(head, new RegExp(`^HTTP/1.1 ${status} `));
    assert.match(head, /Content-Type: application\/problem\+json/);
    assert.match(head, /\r\nX-Request-Id: [\w-]{8}\r\n/);
    assert.deepEqual([JSON.parse(body).type, JSON.parse(body).status], [problemType(kind), status]);
    socket.destroy();
  }
});
