// Steps before a page, in a real Chrome: what they leave for a visit, and what is said of those that fail.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Lease, Step, Visitor } from '@pronghorn/core/schemas';
import { isThorough, proves, thoroughly } from '@pronghorn/core/testing';
import { madeSpec } from '../../core/fixtures/made-campaign.ts';
import type { Engine } from '../src/engines/engine.ts';
import { puppeteerEngine } from '../src/engines/puppeteer.ts';
import { visitingEngine } from '../src/lease/visiting-engine.ts';
import { openLink } from '../src/link/link.ts';
import type { SecretSource } from '../src/visitor/resolve.ts';
import { loadOf, loadVisitor, openVisitorWorld, type VisitorWorld } from './visitor-world.ts';

const password = 'correct horse battery staple';
const session = 'f00dfeedf00dfeedf00dfeed';

const banner = `<div id="host"></div><script>
const root = document.querySelector('#host').attachShadow({ mode: 'open' });
root.innerHTML = '<div style="position:fixed;inset:0;background:#fff"><button id="accept">Accept all</button></div>';
root.querySelector('#accept').onclick = () => { localStorage.setItem('consent', 'all'); document.querySelector('#host').remove(); };
if (localStorage.getItem('consent')) document.querySelector('#host').remove();
</script>`;
const form = `<!doctype html><title>Log in</title><form method="post" action="/session"><input id="user" name="user"><input id="password" name="password"
 type="password"><button id="enter">Log in</button></form>${banner}`;

/** Changes what every script of its document uses, and never answers a click. */
const hostile = `<!doctype html><title>Mine</title><button id="enter" onclick="for (;;);">Log in</button><input id="user"><script>
document.querySelector('#user').addEventListener('input', ({ target }) => { document.cookie = 'typed=' + target.value; });
localStorage.setItem('consent', 'all');
Object.entries = () => 5;
Array.prototype.map = Array.prototype.slice = Array.prototype[Symbol.iterator] = () => { throw new Error('mine'); };
String.prototype.slice = String.prototype.split = () => 7;
document.querySelectorAll = undefined;
</script>`;

describe('steps before a page', () => {
  let world: VisitorWorld;
  let engine: Engine;
  before(async () => {
    world = await openVisitorWorld((request, response, { path, headers }) => {
      const isIn = String(headers.cookie).includes(`session=${session}`);
      if (path === '/session') {
        let body = '';
        request.on('data', (chunk) => {
          body += chunk;
        });
        request.on('end', () => {
          const fields = new URLSearchParams(body);
          const right = fields.get('user') === 'ann' && fields.get('password') === password;
          // As careless pages do: what was typed, in a URL.
          const to = right ? `/account?was=${encodeURIComponent(password)}` : '/login?wrong';
          response
            .writeHead(303, {
              location: to,
              ...(right ? { 'set-cookie': [`session=${session}; HttpOnly; Secure; Path=/`, 'server=a-server.own.test; Path=/'] } : {}),
            })
            .end();
        });
        return;
      }
      if (path === '/account' && !isIn) {
        response.writeHead(302, { location: '/login' }).end();
        return;
      }
      response.setHeader('content-type', 'text/html');
      if (path === '/hostile') {
        response.end(hostile);
        return;
      }
      const hello = `<!doctype html><title>Account</title><p>Hello<script>
        const consent = localStorage.getItem('consent'); fetch('/told?consent=' + consent + '&server=a-server.own.test&pass=${encodeURIComponent(password)}')</script>`;
      response.end(path.startsWith('/login') ? form : hello);
    });
    const link = await openLink({ choice: 'direct', conditions: [], outside: false });
    engine = puppeteerEngine(world.lab(), link.vantagePoint, { ahead: false });
  });
  after(async () => {
    await engine.close();
    await world.close();
  });

  const secretOf: SecretSource = async ({ kind, name }) => {
    assert.deepEqual([kind, name], ['secret', 'password']);
    return { value: password, hosts: ['*.own.test'] };
  };
  const leaseOf = (visitor: Visitor): Lease => {
    const site = { id: 'site', url: world.url('/account'), name: 'account', expectStatus: 200, visitor };
    const spec = madeSpec({ limits: loadOf(site.url).limits });
    const round = { id: '1', campaignId: '1', siteId: 'site', condition: 'native', view: 'cold' as const, number: 1, order: [0, 1] };
    return {
      id: 'lease',
      expiresAt: '',
      heartbeatMs: 10_000,
      round: { ...round, state: 'leased', attempt: 1, reason: null, linkCheckId: null },
      site,
      spec,
    };
  };
  const visiting = (steps: Step[]) => {
    const lease = leaseOf({ steps });
    const made = visitingEngine(engine, lease, [lease.site], secretOf);
    assert.ok(made !== null);
    return made;
  };
  const login: Step[] = [
    { goto: '/login' },
    { click: '#accept' },
    { type: '#user', text: 'ann' },
    { type: '#password', secret: 'secret:password' },
    { click: '#enter' },
    { waitForUrl: '/account' },
  ];

  test('a consent and a login once, then visits begin with them, and cold', proves('journeys', 'secrets'), async () => {
    const here = visiting(login);
    await here.begin();
    const logins = () => world.requests.filter(({ path }) => path === '/session').length;
    assert.equal(logins(), 1);
    for (const protocol of isThorough ? (['h1', 'h2'] as const) : (['h2'] as const)) {
      world.requests.length = 0;
      const { evidence } = await here.load(loadOf(world.url('/account'), undefined, { protocol }));
      assert.equal(evidence.end.kind, 'quiet', JSON.stringify(evidence.end));
      // The icon of the login's tab may be asked for late.
      assert.equal(world.requests.find(({ path }) => path !== '/favicon.ico')?.path, '/account');
      assert.ok(
        world.requests.some(({ path }) => path.startsWith('/told?consent=all')),
        JSON.stringify(world.requests.map(({ path }) => path)),
      );
      assert.ok(
        world.requests.every(({ path }) => !path.startsWith('/login')),
        'logged in from the first request',
      );
      assert.equal(logins(), 0);
      const kept = JSON.stringify(evidence);
      for (const secret of [password, encodeURIComponent(password), session])
        assert.ok(!kept.includes(secret), `${secret} is not in the evidence`);
      assert.match(kept, /\/told\?consent=all&server=a-server\.own\.test&pass=\[secret\]/);
    }
  });

  test('a step that fails names itself, its selector and what is there instead', proves('journeys', 'secrets'), async () => {
    const failing: [Step[], RegExp][] = [
      [
        [{ goto: '/login' }, { click: '#accpet', atMostMs: 300 }],
        /^Step 2 \(click #accpet\) failed: nothing matches #accpet after 300 ms\. The tab is at https:\/\/own\.test:\d+\/login, titled "Log in", with these fields and buttons: input#user\[name=user\], input#password\[name=password\], button#enter "Log in"\.$/,
      ],
      [[{ goto: '/login' }, { click: '#enter', atMostMs: 300 }], /Step 2 \(click #enter\) failed: div lies over #enter after 300 ms/],
      [
        [{ goto: world.url('/login', 'third.test') }, { type: '#password', secret: 'secret:password' }],
        /the tab is at third\.test, and the secret is sealed for \*\.own\.test/,
      ],
    ];
    const others: [Step[], RegExp][] = [
      [[{ goto: '/login' }, { type: '#password', text: 'open' }], /Step 2 .*field for a password; expected `secret`/],
      [[{ goto: 'https://none.test/' }], /Step 1 .*can't be reached \(net::ERR_NAME_NOT_RESOLVED\)/],
      [[{ goto: '/login' }, { waitFor: 'p[', atMostMs: 300 }], /Step 2 .*not a valid selector/],
    ];
    for (const [steps, words] of isThorough ? [...failing, ...others] : failing) {
      await assert.rejects(visiting(steps).load(loadOf(world.url('/account'))), (error: Error) => {
        assert.match(error.message, words);
        return true;
      });
    }
  });

  test('changes that a page makes to built-ins change no step', thoroughly('journeys'), async () => {
    const visitor = loadVisitor(world.url('/account'), {
      steps: [{ goto: '/hostile' }, { type: '#user', text: 'ann' }, { waitFor: '#enter' }],
    });
    const state = await engine.takeSteps?.(loadOf(world.url('/account'), undefined, { visitor }));
    assert.deepEqual(
      state?.storage.map(({ items }) => items),
      [[['consent', 'all']]],
    );
    assert.equal(state?.cookies.find(({ name }) => name === 'typed')?.value, 'ann', 'the page has seen what was typed');
    const here = visiting([{ goto: '/hostile' }, { click: '#none', atMostMs: 300 }]);
    await assert.rejects(here.load(loadOf(world.url('/account'))), {
      reason: 'step-failed',
      message: /titled "Mine", with these fields and buttons: button#enter "Log in", input#user\.$/,
    });
  });

  test('a page that hangs at a click fails the step, and ends nothing else', thoroughly('journeys'), async () => {
    const here = visiting([{ goto: '/hostile' }, { click: '#enter' }]);
    await assert.rejects(here.load(loadOf(world.url('/account'))), {
      reason: 'step-failed',
      message: /^Step 2 \(click #enter\) failed: the page did not answer the mouse for 10000 ms\.$/,
    });
  });

  test(
    'an impossible visitor is reported as such, at a load and at discovery, and leaves no profile',
    proves('visitors', 'invalid-visits'),
    async () => {
      const profiles = () => globSync(join(tmpdir(), `pronghorn-*/${process.pid}-*/chrome-*`));
      const before = profiles();
      const url = world.url('/account');
      for (const ca of ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', world.clientCertificate]) {
        const visitor = { ca };
        await assert.rejects(engine.load(loadOf(url, visitor)), { reason: 'step-failed' });
        const lease = leaseOf(visitor);
        const site = { ...lease.site, url };
        const here = visitingEngine(engine, { ...lease, site }, [site], secretOf);
        const found = await here?.discover?.(site, { id: '1', spec: lease.spec, verdicts: {}, replaces: 'before' }, 'test');
        assert.deepEqual([found?.failure?.reason, found?.replaces], ['step-failed', 'before']);
      }
      assert.deepEqual(profiles(), before);
    },
  );

  test('discovery tells of a step that fails, rather than measuring the page without it', proves('journeys', 'discovery'), async () => {
    const steps: Step[] = [{ goto: '/login' }, { click: '#none', atMostMs: 300 }];
    const here = visiting(steps);
    const { spec, site } = leaseOf({ steps });
    const found = await here.discover?.(site, { id: '1', spec, verdicts: {}, replaces: null }, 'test');
    assert.equal(found?.failure?.reason, 'step-failed');
    assert.match(found?.failure?.detail ?? '', /Step 2 \(click #none\)/);
  });
});
