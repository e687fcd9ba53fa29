// Runners and the queue in a real Chrome; the runners say who they are through the API.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Lease, type Runner, type RunnerRegistration, runnerProtocol } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { version } from '@pronghorn/core/vocabulary';
import { texts } from './pages.ts';
import { isAt, press, says } from './reader.ts';
import { setStage, visitor } from './stage.ts';

// None is lost while a page is slow.
const { service, browser } = await setStage({ kind: 'tokens' }, { heartbeatMs: 600_000 });

const registration = (name: string, given: Partial<RunnerRegistration> = {}): RunnerRegistration => ({
  name,
  instance: randomUUID(),
  location: 'fra',
  version,
  protocol: runnerProtocol,
  capabilities: { engines: ['puppeteer'], browsers: ['chrome'], backends: ['direct', 'guest'] },
  machine: { hostname: name, kernel: '6.12.9', arch: 'x64', cpu: 'a processor', cores: 4, memoryBytes: 8e9, node: 'v24.1.0' },
  ...given,
});

describe('runners and the queue', proves('runners', 'queue'), () => {
  test('without a runner the page says how to add one, with this service’s address', async () => {
    await using page = await visitor(browser, service, '#/runners');
    await says(page, 'main', 'No runner yet');
    await says(page, 'main', 'The queue is empty.');
    assert.ok((await texts(page, '.copied-lines pre'))[0]?.includes(`--api ${service.url} --token-file`));
    await press(page, '::-p-text(Create one)');
    await page.waitForSelector('[name=role]');
    assert.equal(await page.$eval('[name=role]', (field) => (field as HTMLSelectElement).value), 'runner');
  });

  test('runners are shown as they are: at work with their round, differing in version, in trouble, stopped; and who waits for one', async () => {
    const one = registration('frankfurt-1');
    const busy: Runner = await service.send('POST', 'runners', one);
    const old: Runner = await service.send('POST', 'runners', registration('old', { version: '0.0.1', location: null }));
    const campaign = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.34/', name: 'shop' }], rounds: 3, location: 'fra' });
    await service.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], rounds: 5, location: 'syd', priority: 'ci' });
    const lease: Lease = await service.send('POST', 'leases', { runner: 'frankfurt-1', instance: one.instance });
    const card = (runner: Runner) => `#runner-${runner.id}`;

    await using page = await visitor(browser, service, '#/runners');
    await says(page, card(busy), `campaign ${campaign.id}`);
    await says(page, card(busy), /busy.*(just now|ago).*fra.*0 rounds.*direct, guest/s);
    await says(page, card(old), /unknown.*0\.0\.1.*older than the service/s);
    await says(page, 'main', 'none: start one, or these rounds stay queued');

    // The page is told what changes while it stands.
    await service.send('POST', `leases/${lease.id}/release`, { reason: 'made to be given back' });
    const sign = { instance: one.instance, doing: 'working', trouble: 'The disk is full.', cpuShare: 0.5 };
    await service.send('POST', `runners/${busy.id}/heartbeat`, sign);
    await says(page, card(busy), 'The disk is full.');
    await says(page, card(busy), 'alive');
    await press(page, `${card(busy)} th a`);
    await says(page, 'main', 'guest: a kernel of its own shapes packets');
    await says(page, 'main', '0 rounds done, 0 lost.');

    await service.send('POST', `runners/${busy.id}/heartbeat`, { ...sign, doing: 'stopped', trouble: null });
    await press(page, '::-p-text(Forget)');
    await press(page, 'dialog[open] .danger');
    await isAt(page, /^#\/runners$/);
    await page.waitForFunction((gone) => document.querySelector('.runners') && !document.querySelector(gone), {}, card(busy));
  });

  test('ages are by the service’s clock, whatever the browser’s says', async () => {
    await service.send('POST', 'runners', registration('on time'));
    await using page = await visitor(browser, service, '#/runners');
    await page.evaluateOnNewDocument(() => {
      const { now } = Date;
      Date.now = () => now() + 10 * 3_600_000;
    });
    await page.reload();
    await page.waitForSelector('.seen');
    // The service's clock is known once it has answered.
    await page.waitForFunction(() =>
      [...document.querySelectorAll('.seen')].every((seen) => /^(just now|\d+ (s|min) ago)$/.test(seen.textContent ?? '')),
    );
  });
});
