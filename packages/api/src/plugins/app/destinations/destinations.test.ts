import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNetwork } from '@pronghorn/core/network';
import { problemType } from '@pronghorn/core/schemas';
import { tokenApi } from '../../../testing/test-api.ts';
import { createDestinations } from './destinations.ts';

/** What names lead to; all others to nothing. */
const names: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:2800:220:1::1'],
  'private.example': ['10.1.2.3'],
  'mixed.example': ['93.184.216.34', 'fd12::1'],
  'mapped.example': ['::ffff:10.1.2.3'],
  'zoned.example': ['fe80::1%eth0'],
  'metadata.google.internal': ['169.254.169.254'],
};
const lookUp = async (name: string) => (names[name] ?? []).map((address) => ({ address }));
const now = () => 0;
const policy = (allow: string[] = [], open = false) => createDestinations({ open, allow: allow.map(parseNetwork), lookUp, now });

const refusedAs = (words: RegExp) => (error: { kind?: string; message: string }) => {
  assert.equal(error.kind, 'address-refused');
  assert.match(error.message, words);
  return true;
};

for (const url of [
  'https://93.184.216.34/',
  'https://public.example/a?b',
  'http://[2606:2800:220:1::1]:8080/',
  'https://unknown.example/', // may be known where the runner is
  'https://localhost.example/',
  'https://127.0.0.1.example/',
]) {
  test(`${url} may be asked for`, async () => {
    await policy().assertAllowed(url);
  });
}

for (const [url, words] of [
  ['http://127.0.0.1/', /this machine itself/],
  ['http://127.0.0.1./', /this machine itself/],
  ['http://127.1/', /this machine itself/],
  ['http://2130706433/', /this machine itself/],
  ['http://0x7f000001/', /this machine itself/],
  ['http://0x7f.0.0.0x1/', /this machine itself/],
  ['http://0177.0.0.1/', /this machine itself/],
  ['http://017700000001/', /this machine itself/],
  ['http://１２７.0.0.1/', /this machine itself/],
  ['http://127。0。0。1/', /this machine itself/],
  ['http://%31%32%37.0.0.1/', /this machine itself/],
  ['http://localhost/', /this machine itself/],
  ['http://LOCALHOST./', /this machine itself/],
  ['http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', /this machine itself/],
  ['http://a.b.localhost:8080/', /this machine itself/],
  ['http://[::1]/', /this machine itself/],
  ['http://[0:0:0:0:0:0:0:1]/', /this machine itself/],
  ['http://[::ffff:127.0.0.1]/', /an IPv4 address inside an IPv6 one/],
  ['http://[::ffff:7f00:1]/', /an IPv4 address inside an IPv6 one/],
  ['http://[::127.0.0.1]/', /an IPv4 address inside an IPv6 one/],
  ['http://[64:ff9b::10.0.0.1]/', /an IPv4 address inside an IPv6 one/],
  ['http://[2002:a00:1::1]/', /an IPv4 address inside an IPv6 one/],
  ['http://[fe80::1]/', /an address of the local link/],
  ['http://[fd00:ec2::254]/', /the metadata service of a cloud/],
  ['http://169.254.169.254/latest/meta-data/', /the metadata service of a cloud/],
  ['http://0xA9FEA9FE/', /the metadata service of a cloud/],
  ['http://metadata.google.internal/', /the metadata service of a cloud/],
  ['http://10.0.0.1/', /a private address/],
  ['http://192.168.1.1/', /a private address/],
  ['http://100.64.0.1/', /an address of a carrier’s own network/],
  ['http://0.0.0.0/', /an address for a special purpose/],
  ['http://0/', /an address for a special purpose/],
  ['http://255.255.255.255/', /an address for a special purpose/],
  ['http://224.0.0.1/', /a multicast address/],
  ['https://private.example/', /leads to private\.example, which is a private address/],
  ['https://private.example./', /a private address/],
  ['https://mixed.example/', /a private address/],
  ['https://mapped.example/', /an IPv4 address inside an IPv6 one/],
  ['https://zoned.example/', /an address of the local link/],
  ['ftp://public.example/', /has the scheme ftp/],
  ['https://user:secret@public.example/', /has credentials/],
  ['file:///etc/passwd', /has the scheme file/],
] as const) {
  test(`${url} is refused, and the message says why`, async () => {
    await assert.rejects(policy().assertAllowed(url), refusedAs(words));
    await assert.rejects(policy().resolveAllowed(url), refusedAs(words));
  });
}

test('where a name leads inside is not told, nor a password', async () => {
  await assert.rejects(policy().assertAllowed('https://private.example/'), (error: Error) => !error.message.includes('10.1.2.3'));
  await assert.rejects(policy().assertAllowed('https://user:secret@public.example/'), (error: Error) => !error.message.includes('secret'));
});

test('a network that the operator allows may be asked for, and no other', async () => {
  const allowing = policy(['10.1.0.0/16', '127.0.0.1']);
  await allowing.assertAllowed('https://private.example/');
  await allowing.assertAllowed('http://localhost:3000/');
  await assert.rejects(allowing.assertAllowed('http://10.2.0.1/'), refusedAs(/a private address/));
  await assert.rejects(allowing.assertAllowed('http://127.0.0.2/'), refusedAs(/this machine itself/));
  await assert.rejects(allowing.assertAllowed('http://[::ffff:10.1.2.3]/'), refusedAs(/an IPv4 address inside/));
});

test('where access is open only the scheme and credentials are looked at', async () => {
  const open = policy([], true);
  await open.assertAllowed('http://127.0.0.1:8443/');
  assert.deepEqual(await open.resolveAllowed('http://localhost/'), [{ address: '127.0.0.1', family: 4 }]);
  await assert.rejects(open.assertAllowed('ftp://public.example/'), refusedAs(/has the scheme ftp/));
});

test('resolveAllowed gives the checked addresses, and fails where there is none', async () => {
  assert.deepEqual(await policy().resolveAllowed('https://public.example/hook'), [
    { address: '93.184.216.34', family: 4 },
    { address: '2606:2800:220:1::1', family: 6 },
  ]);
  assert.deepEqual(await policy().resolveAllowed('https://[2606:2800:220:1::1]/'), [{ address: '2606:2800:220:1::1', family: 6 }]);
  await assert.rejects(policy().resolveAllowed('https://unknown.example/'), /unknown\.example has no address/);
});

test('a resolver that does not answer holds nobody up for longer than was allowed', async () => {
  const silent = createDestinations({ open: false, allow: [], lookUp: () => new Promise(() => {}), now });
  const signal = AbortSignal.abort(new Error('time is up'));
  await assert.rejects(silent.assertAllowed('https://slow.example/', { signal }), refusedAs(/could not be looked up in time\. Ask again/));
  await assert.rejects(silent.resolveAllowed('https://slow.example/', { signal }), /time is up/);
});

test('a slow name that somebody types is late with each letter, and makes no other name late', async (t) => {
  const { promise: never, resolve } = Promise.withResolvers<{ address: string }[]>();
  const alive = setInterval(() => {}, 1_000); // AbortSignal.timeout keeps no process alive, and nothing else does here
  t.after(() => {
    clearInterval(alive);
    resolve([]);
  });
  const destinations = createDestinations({
    open: false,
    allow: [],
    lookUp: (name) => (name === 'slow.example' ? never : lookUp(name)),
    now,
  });
  const lateOf = async (...urls: string[]) => (await destinations.preview(urls, 5)).map(({ place, isLate }) => [place, isLate]);
  assert.deepEqual(await lateOf('https://slow.example/', 'https://public.example/'), [[0, true]]);
  assert.deepEqual(await lateOf('https://slow.example/a', 'https://private.example/'), [[0, true]]);
  assert.deepEqual(await lateOf('https://public.example/'), []);
  await assert.rejects(destinations.assertAllowed('https://private.example/'), refusedAs(/a private address/));
});

test('what names lead to is remembered for a minute while somebody types, and asked anew of what is submitted', async () => {
  const asked: string[] = [];
  let time = 0;
  const watched = async (name: string) => {
    asked.push(name);
    return lookUp(name);
  };
  const destinations = createDestinations({ open: false, allow: [], lookUp: watched, now: () => time });
  const urls = ['https://public.example/', 'https://private.example/'];
  const typed = async () => (await destinations.preview(urls, 10_000)).map(({ place, isLate }) => [place, isLate]);
  assert.deepEqual(await typed(), [[1, false]]);
  time = 59_999;
  assert.deepEqual(await typed(), [[1, false]]);
  assert.equal(asked.length, 2);
  await destinations.refusedOf(urls);
  assert.equal(asked.length, 4);
  time = 60_000;
  await typed();
  assert.equal(asked.length, 6);
});

test('a campaign’s proxies and steps lead where its sites may, and nowhere else', async (t) => {
  const api = await tokenApi(t, { lookUp });
  const inside: [object, string][] = [
    [{ proxy: 'http://169.254.169.254' }, 'proxy'],
    [{ proxy: 'socks5://private.example:1080' }, 'proxy'],
    [{ proxy: 'http://localhost:8080' }, 'proxy'],
    [{ steps: [{ goto: '/login' }, { goto: 'http://169.254.169.254/latest/' }] }, 'steps/1/goto'],
    [{ steps: [{ goto: '//private.example/' }] }, 'steps/0/goto'],
    [{ steps: [{ goto: 'http:/private.example/' }] }, 'steps/0/goto'],
  ];
  const ask = async (payload: object) => await api.ask('submitter', 'POST', '/campaigns', { payload: { rounds: 1, ...payload } });
  for (const [visitor, place] of inside) {
    const { body } = await ask({ sites: [{ url: 'https://public.example/' }], protocols: ['h1', 'h2'], visitor });
    assert.deepEqual([body.type, body.errors?.[0]?.pointer], [problemType('address-refused'), `#/visitor/${place}`], JSON.stringify(body));
    const ofSite = await ask({ sites: [{ url: 'https://public.example/', visitor }], protocols: ['h1', 'h2'] });
    assert.equal(ofSite.body.errors?.[0]?.pointer, `#/sites/0/visitor/${place}`);
  }
  // Of an http page this is a host; of an https one, a path.
  const steps = [{ goto: 'https:private.example/' }];
  const { body } = await ask({ sites: [{ url: 'http://public.example/' }], protocols: ['h1'], visitor: { steps } });
  assert.deepEqual([body.type, body.errors?.[0]?.pointer], [problemType('address-refused'), '#/visitor/steps/0/goto']);
  const visitor = { proxy: 'http://public.example:3128', steps: [{ goto: 'https://public.example/login' }] };
  assert.equal((await ask({ sites: [{ url: 'https://public.example/' }], protocols: ['h1', 'h2'], visitor })).status, 201);
});

test('a campaign names every site that leads where it may not, and looks up each host once', async (t) => {
  const asked: string[] = [];
  const api = await tokenApi(t, {
    lookUp: async (name) => {
      asked.push(name);
      return lookUp(name);
    },
  });
  const sites = ['https://public.example/', 'https://private.example/a', 'https://private.example/b', 'http://169.254.169.254/'];
  const payload = { sites: sites.map((url) => ({ url })), protocols: ['h1'] };
  const { status, body } = await api.ask('submitter', 'POST', '/campaigns', { payload });
  assert.deepEqual([status, body.type], [422, problemType('address-refused')]);
  assert.deepEqual(
    body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['#/sites/1/url', '#/sites/2/url', '#/sites/3/url'],
  );
  assert.deepEqual(asked.sort(), ['private.example', 'public.example']);
  assert.equal((await api.ask('admin', 'GET', '/campaigns')).body.items.length, 0);
});
