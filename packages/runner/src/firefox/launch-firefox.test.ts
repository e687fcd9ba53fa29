import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { samples } from '@pronghorn/core/testing';
import { WebSocketServer } from 'ws';
import { connectBidi } from './launch-firefox.ts';

const bound = { timeout: 60_000 };

test('a connection is handed over while other processes end', bound, async (t) => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  t.after(() => server.close());
  await once(server, 'listening');
  let isOver = false;
  // The end of one lets Node look after all: one that just ended is told before what it sent is read.
  const endOthers = () => {
    spawn('true', { stdio: 'ignore' }).once('exit', () => {
      for (const until = performance.now() + 3; performance.now() < until; );
      if (!isOver) setImmediate(endOthers);
    });
  };
  for (let index = 0; index < 8; index++) endOthers();
  try {
    for (let round = 0; round < samples(3, 8); round++)
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          const closed = Promise.withResolvers<void>();
          const bidi = await connectBidi((server.address() as AddressInfo).port, [], closed.resolve);
          bidi.dispose();
          await closed.promise;
        }),
      );
  } finally {
    isOver = true;
  }
});

test('a port without an answer is named', bound, async () => {
  await assert.rejects(
    connectBidi(1, [], () => {}),
    /Firefox does not answer at port 1/,
  );
});
