import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Command, Option } from 'commander';
import { type VisitorOptions, visitedBy } from '../options/visit.ts';
import { checkVariables, journeyOf, visitorOfOptions, visitorWarnings } from './visitor.ts';

const read = (...args: string[]) => {
  const command = visitedBy(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return visitorOfOptions(command.parse(args, { from: 'user' }).opts<VisitorOptions>());
};

test('options become the visitor of the campaign, with references as they are', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-visitor-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const steps = join(folder, 'login.json');
  writeFileSync(steps, '[{"goto":"/login"},{"type":"#password","secret":"env:PASSWORD"}]');
  assert.equal(read(), undefined);
  assert.deepEqual(
    read('--header', 'X-Token: env:TOKEN', '--cookie', 'consent=a=b', '--basic-auth', 'ann:file:/run/secret', '--viewport', '390x844'),
    {
      headers: [{ name: 'X-Token', value: 'env:TOKEN' }],
      cookies: [{ name: 'consent', value: 'a=b' }],
      basicAuth: { user: 'ann', password: 'file:/run/secret' },
      viewport: { width: 390, height: 844 },
    },
  );
  assert.deepEqual(read('--steps', steps, '--device', 'phone')?.steps?.length, 2);
});

test('steps that are none are told by their number', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-visitor-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'login.json');
  const of = (steps: string) => {
    writeFileSync(file, steps);
    return () => read('--steps', file);
  };
  for (const one of ['1', 'null', '"goto"', '[]', '{}', '{"wait":5}'])
    assert.throws(
      of(`[{"goto":"/"},${one}]`),
      /step 2 is not valid; expected an object with one of goto, click, type, waitFor, waitForUrl, waitMs, cookie, storage\. docs/,
    );
  assert.throws(of('[{"goto":5}]'), /step 1 \(goto\) is wrong at goto: it must be string/);
  assert.throws(of('[{"waitMs":1,"also":2}]'), /step 1 \(waitMs\) has also, which is unknown\./);
  assert.throws(of('[{"storage":"a"}]'), /step 1 \(storage\) is wrong: it must have required properties value/);
  assert.throws(of('{"goto":"/"}'), /has no list/);
});

test('what holds a secret as it is, is refused before anything starts', () => {
  assert.throws(() => read('--basic-auth', 'ann:open sesame'), /expected a reference: env:NAME or file:PATH/);
  assert.throws(() => read('--header', 'Authorization: Bearer 123'), /expected a reference/);
  assert.throws(() => read('--header', 'X-Token: secret:token'), /names a secret of a service/);
  assert.throws(() => read('--steps', '/none.json'), /--steps \/none\.json can't be read/);
});

test('a variable that is not set is told before anything starts', (t) => {
  t.after(() => delete process.env.PRONGHORN_TEST_PASSWORD);
  const steps = [{ type: '#password', secret: 'env:PRONGHORN_TEST_PASSWORD' }];
  assert.throws(() => checkVariables({ steps }), /The variable PRONGHORN_TEST_PASSWORD of env:PRONGHORN_TEST_PASSWORD is not set/);
  process.env.PRONGHORN_TEST_PASSWORD = 'open sesame';
  checkVariables({ steps });
  checkVariables({ headers: [{ name: 'X-Token', value: 'file:/none' }] });
  checkVariables(undefined);
});

test('a certificate and an account at a proxy are named by reference; SOCKS takes none', () => {
  assert.deepEqual(read('--client-cert', 'file:ann.pem', '--proxy', 'http://proxy:3128', '--proxy-auth', 'ann:env:PASSWORD'), {
    clientCertificate: 'file:ann.pem',
    proxy: 'http://proxy:3128',
    proxyAuth: { user: 'ann', password: 'env:PASSWORD' },
  });
  assert.throws(() => read('--client-cert', 'ann.pem'), /clientCertificate holds a secret.*expected a reference/);
  assert.throws(
    () => read('--proxy', 'socks5://proxy:1080', '--proxy-auth', 'ann:env:PASSWORD'),
    /Chrome sends no password to a SOCKS proxy/,
  );
  assert.match(visitorWarnings({ clientCertificate: 'file:ann.pem' }, ['h3']).join(), /no client certificate over HTTP\/3/);
});

test('a journey is each page after those before it, and the first after none', () => {
  const [home, list, item] = ['https://shop.example/', 'https://shop.example/list', 'https://shop.example/item'] as const;
  const found = journeyOf([{ url: home }, { url: list, name: 'the list' }, { url: item, visitor: { device: 'phone' } }]);
  assert.deepEqual(found, [
    { url: home, visitor: { after: [] } },
    { url: list, name: 'the list', visitor: { after: [home] } },
    { url: item, visitor: { device: 'phone', after: [home, list] } },
  ]);
});

test('pages before a page are for its warm view, unless another is asked for', () => {
  const viewOf = (...args: string[]) => {
    const command = visitedBy(new Command()).addOption(new Option('--view <list>').default(['cold']));
    return command.parse(args, { from: 'user' }).opts<{ view: string[] | string }>().view;
  };
  assert.deepEqual(read('--after', '/list', '--after', '/cart'), { after: ['/list', '/cart'] });
  assert.deepEqual(viewOf('--after', '/list'), ['warm']);
  assert.equal(viewOf('--after', '/list', '--view', 'cold'), 'cold');
  assert.deepEqual(viewOf(), ['cold']);
});

test('HTTP/3 through a proxy is told of before the campaign', () => {
  assert.match(visitorWarnings({ proxy: 'http://proxy:3128' }, ['h2', 'h3']).join(), /HTTP\/3 can't pass the proxy http:\/\/proxy:3128/);
  assert.deepEqual(visitorWarnings({ proxy: 'http://proxy:3128' }, ['h1', 'h2']), []);
});
