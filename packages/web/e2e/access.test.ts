// Signing in and what other pages can do with it, in a real Chrome.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { openPage } from './pages.ts';
import { setStage } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens' });

test(
  'a browser that is signed in reads and changes; a page of another port does neither, nor frames the dashboard',
  proves('access'),
  async (t) => {
    // A page of the same site (another port of the same host): SameSite alone doesn't keep it away.
    const neighbour = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<title>another page</title>'),
    );
    t.after(() => neighbour.close());
    await once(neighbour.listen(0, '127.0.0.1'), 'listening');
    const elsewhere = `http://127.0.0.1:${(neighbour.address() as AddressInfo).port}/`;
    const { token } = await service.makeToken('a person', 'submitter');
    const context = await browser.createBrowserContext();
    t.after(() => context.close());
    /** The status of what a page asks for; null where the browser lets it see none. */
    const ask = (page: Page, method: string, path: string, body?: object): Promise<number | null> =>
      page.evaluate(async (url, init) => (await fetch(url, init).catch(() => null))?.status ?? null, `${service.url}/api/v1${path}`, {
        method,
        credentials: 'include' as const,
        ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
      });

    const page = await openPage(context, `${service.url}/`);
    assert.equal(await ask(page, 'GET', '/campaigns'), 401);
    assert.equal(await ask(page, 'POST', '/session', { token }), 200);
    assert.equal(await page.evaluate(() => document.cookie), '', 'scripts see no cookie');
    assert.equal(await ask(page, 'GET', '/campaigns'), 200);
    const condition = { name: 'mine', up: {}, down: { rateKbps: 500 } };
    assert.equal(await ask(page, 'PUT', '/conditions/mine', condition), 201);

    const other = await openPage(context, elsewhere);
    assert.equal(await ask(other, 'GET', '/campaigns'), null, 'is not let read');
    assert.equal(await ask(other, 'DELETE', '/conditions/mine'), null);
    // A form needs nobody's permission beforehand: it reaches the service, with the cookie, and is refused there.
    const [answer] = await Promise.all([
      other.waitForNavigation(),
      other.evaluate((action) => {
        const form = Object.assign(document.createElement('form'), { action, method: 'post' });
        document.body.append(form);
        form.submit();
      }, `${service.url}/api/v1/campaigns/1/cancel`),
    ]);
    assert.equal(answer?.status(), 403);
    assert.ok(answer?.request().headers().cookie?.startsWith('pronghorn='), 'with the cookie');
    assert.match((await answer?.text()) ?? '', /urn:pronghorn:problem:foreign-origin/);
    assert.equal(await ask(page, 'GET', '/conditions/mine'), 200, 'nothing was changed');

    await other.goto(elsewhere);
    await other.evaluate((src) => document.body.append(Object.assign(document.createElement('iframe'), { src })), `${service.url}/`);
    assert.ok(await other.waitForFrame('chrome-error://chromewebdata/'));

    assert.equal(await ask(page, 'DELETE', '/session'), 204);
    assert.equal(await ask(page, 'GET', '/campaigns'), 401);
  },
);
