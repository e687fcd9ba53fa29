import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { loopbackKey, loopbackOrigins, renamed, renaming, withoutIntegrity } from './loopback.ts';

const [page, api] = ['localhost-7010.server.pronghorn.test', 'localhost-7011.server.pronghorn.test'];
const names = { 'localhost:7010': page, 'localhost:7011': api, 'app.localhost:7012': 'app.test', 'localhost:80': 'eighty.test' };

const forms: Readonly<Record<string, string>> = {
  'href="http://localhost:7010/wp-content/x.css"': `href="https://${page}/wp-content/x.css"`,
  "url('http://127.0.0.1:7010/a.png')": `url('https://${page}/a.png')`,
  'src="//localhost:7010/app.js"': `src="//${page}/app.js"`,
  '{"siteurl":"http:\\/\\/localhost:7010\\/wp"}': `{"siteurl":"https:\\/\\/${page}\\/wp"}`,
  '"http:\\u002F\\u002Flocalhost:7011\\u002Fapi"': `"https:\\u002F\\u002F${api}\\u002Fapi"`,
  'http:&#x2F;&#x2F;localhost:7010&#x2F;': `https:&#x2F;&#x2F;${page}&#x2F;`,
  "new WebSocket('ws://localhost:7010/live')": `new WebSocket('wss://${page}/live')`,
  "fetch('HTTP://[::1]:7011')": `fetch('HTTPs://${api}')`,
  'https://localhost:7010/': `https://${page}/`,
  'http://0.0.0.0:7010': `https://${page}`,
  '<http://localhost:7010/a>; rel=preload': `<https://${page}/a>; rel=preload`,
  'connect-src http://localhost:7011;': `connect-src https://${api};`,
  'http://app.localhost:7012/': 'https://app.test/',
  'http://localhost/': 'https://eighty.test/',
  'http://localhost:7010,http://localhost:7011': `https://${page},https://${api}`,
};
const kept = [
  'http://localhost:70101/',
  'http://localhost:701/',
  'http://localhost.example:7010/',
  'http://mylocalhost:7010/',
  'http://user@localhost:7010/',
  'postgres://localhost:7010/shop',
  'file:///localhost:7010',
  'url=http%3A%2F%2Flocalhost%3A7010%2Fa.png', // an argument for the server itself
  "'http://' + host + ':7010'",
  "'http://localhost:' + port",
  'localhost:7010',
  'http://localhost:9/',
  'https://example.com:7010/',
];

test('loopback origins are renamed in every form in which pages write them, and nothing else', () => {
  for (const [written, expected] of Object.entries(forms)) assert.equal(renamed(written, names), expected);
  for (const written of kept) assert.equal(renamed(written, names), written);
});

test('a body is renamed alike however it is cut, and what can begin no origin does not wait', async () => {
  const body = `é ${[...Object.keys(forms), ...kept].join(' ')} ${'x'.repeat(300)}//localhost:7010 ${'postgres:'.repeat(30)}//localhost:7010`;
  const expected = renamed(body, names);
  for (const size of [1, 7, 64, 1_000]) {
    const bytes = Buffer.from(body);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
    assert.equal(await text(Readable.from(chunks).pipe(renaming(names))), expected, `by ${size}`);
  }
  const stream = renaming(names);
  stream.write('<div>shell</div>');
  assert.equal(String(stream.read()), '<div>shell</div>');
  stream.end();
});

test('what a text names is found once for each origin', () => {
  const found = loopbackOrigins([...Object.keys(forms), 'http://localhost:7010', 'http://localhost:99999'].join('\n'));
  assert.deepEqual(
    found.map(({ origin }) => origin),
    [
      ...['http://localhost:7010', 'http://127.0.0.1:7010', 'http://localhost:7011', 'http://[::1]:7011', 'https://localhost:7010'],
      ...['http://0.0.0.0:7010', 'http://app.localhost:7012', 'http://localhost'],
    ],
  );
  assert.deepEqual([...new Set(found.map(loopbackKey))], ['localhost:7010', 'localhost:7011', 'app.localhost:7012', 'localhost:80']);
});

test('hashes of scripts and style sheets are taken away, however the page comes, and nothing else', async () => {
  const page = `<p integrity=kept>a < b</p><script src=/a.js integrity="sha384-x" defer></script><link rel=stylesheet integrity='sha256-y' href=/b.css>
    <link href=/c.css integrity=sha256-z><script>const integrity = "sha384-x"; if (a<b) c()</script>`;
  const wanted = `<p integrity=kept>a < b</p><script src=/a.js defer></script><link rel=stylesheet href=/b.css>
    <link href=/c.css><script>const integrity = "sha384-x"; if (a<b) c()</script>`;
  for (const size of [1, 7, 1_000]) {
    const chunks = Array.from({ length: Math.ceil(page.length / size) }, (_, n) => Buffer.from(page.slice(n * size, (n + 1) * size)));
    assert.equal(await text(Readable.from(chunks).pipe(withoutIntegrity())), wanted, `by ${size}`);
  }
});
