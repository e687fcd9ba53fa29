// What became of messages, in a real Chrome: they come through to a real receiver.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery, Page as List } from '@pronghorn/core/schemas';
import { receiver } from '../../api/src/testing/receiver.ts';
import { time } from '../src/text/format.ts';
import { launchBrowser, openPage, texts } from './pages.ts';
import { startService } from './service.ts';

test('a message that came through is listed with when it did and after how many tries, and waits no more', async (t) => {
  const answering = Promise.withResolvers<void>();
  const { url, got } = await receiver(t, (reply) => void answering.promise.then(() => reply.writeHead(204).end()));
  await using service = await startService({ kind: 'open' }, { notifications: true });
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const { id } = await service.send('POST', 'notifications', { name: 'the team', kind: 'webhook', url, events: ['campaign-done'] });
  await using page = await openPage(browser, `${service.url}/#/settings?part=notifications`);
  await page.locator('::-p-text(Send a test)').click();
  await page.waitForFunction(() => document.querySelector('.targets')?.textContent?.includes('1 message waiting'));
  answering.resolve();
  await page.waitForFunction(() => document.querySelector('.targets td:last-child')?.textContent?.includes('delivered'));
  const { items }: List<Delivery> = await service.get(`notifications/${id}/deliveries`);
  assert.deepEqual([got.length, items.length, items[0]?.state, items[0]?.lastError], [1, 1, 'delivered', null]);
  const [delivery = ''] = await texts(page, '.targets td:last-child');
  assert.match(delivery.replaceAll(/\s+/g, ' ').trim(), /^delivered (just now|\d+ s ago) after 1 attempt$/);
  const titles = await page.$$eval('.targets td:last-child span[title]', (elements) => elements.map((span) => (span as HTMLElement).title));
  assert.deepEqual(titles, [time(items[0]?.deliveredAt ?? '')]);
  await page.waitForFunction(() => !document.querySelector('.targets')?.textContent?.includes('message waiting'));
});
