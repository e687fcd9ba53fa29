// What became of messages, in a real Chrome: they come through to a real receiver.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery, Page as List } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { receiver } from '../../api/src/testing/receiver.ts';
import { time } from '../src/text/format.ts';
import { press, says } from './reader.ts';
import { setStage } from './stage.ts';

const { service, open } = await setStage({ kind: 'open' }, { notifications: true });

test(
  'a message that came through is listed with when it did and after how many tries, and waits no more',
  proves('schedules'),
  async (t) => {
    const answering = Promise.withResolvers<void>();
    const { url, got } = await receiver(t, (reply) => void answering.promise.then(() => reply.writeHead(204).end()));
    const { id } = await service.send('POST', 'notifications', { name: 'the team', kind: 'webhook', url, events: ['campaign-done'] });
    await using page = await open('#/settings?part=notifications');
    await press(page, '::-p-text(Send a test)');
    await says(page, '.targets', '1 message waiting');
    answering.resolve();
    await says(page, '.targets td:last-child', /^\s*delivered\s+(just now|\d+ (s|min) ago)\s+after \d+ attempts?\s*$/);
    const { items }: List<Delivery> = await service.get(`notifications/${id}/deliveries`);
    // An answer that took longer than the service waits is asked for again.
    assert.deepEqual([items.length, items[0]?.state, items[0]?.attempts, items[0]?.lastError], [1, 'delivered', got.length, null]);
    await says(page, '.targets td:last-child', `after ${got.length} attempt`);
    const titles = await page.$$eval('.targets td:last-child span[title]', (elements) =>
      elements.map((span) => (span as HTMLElement).title),
    );
    assert.deepEqual(titles, [time(items[0]?.deliveredAt ?? '')]);
    await says(page, '.targets', /^(?!.*message waiting)/);
  },
);
