import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureLine, visitorOptions } from './command-lines.ts';

test('every part of a visitor has its option', () => {
  const { options, files, uncovered, variables } = visitorOptions({
    ...{ userAgent: 'me', headers: [{ name: 'X-Pass', value: 'secret:wall-pass' }], cookies: [{ name: 'consent', value: 'all' }] },
    ...{
      basicAuth: { user: 'ann', password: 'secret:staging' },
      ca: 'PEM\n',
      clientCertificate: 'secret:ann',
      proxy: 'http://proxy.example:1',
      proxyAuth: { user: 'ann', password: 'secret:way-out' },
      block: ['a.example', '*.b.example'],
    },
    ...{
      firstPartyOnly: true,
      ownHosts: ['c.example'],
      device: 'phone',
      viewport: { width: 390, height: 844 },
      cpuSlowdown: 4,
      language: 'de-CH',
    },
    steps: [
      { type: '#password', secret: 'secret:shop' },
      { cookie: 'id', value: 'secret:shop' },
    ],
    after: ['/', '/list'],
  });
  assert.deepEqual(options, [
    ['user-agent', 'me'],
    ['header', 'X-Pass: env:WALL_PASS'],
    ['cookie', 'consent=all'],
    ['basic-auth', 'ann:env:STAGING'],
    ['ca', 'ca.pem'],
    ['client-cert', 'env:ANN'],
    ['proxy', 'http://proxy.example:1'],
    ['proxy-auth', 'ann:env:WAY_OUT'],
    ['block', 'a.example'],
    ['block', '*.b.example'],
    ['first-party-only', true],
    ['own-host', 'c.example'],
    ['device', 'phone'],
    ['viewport', '390x844'],
    ['cpu-slowdown', 4],
    ['language', 'de-CH'],
    ['steps', 'steps.json'],
    ['after', '/'],
    ['after', '/list'],
  ]);
  assert.deepEqual(files[0], { name: 'ca.pem', text: 'PEM' });
  assert.deepEqual(JSON.parse(files[1]?.text ?? ''), [
    { type: '#password', secret: 'env:SHOP' },
    { cookie: 'id', value: 'env:SHOP' },
  ]);
  assert.deepEqual([uncovered, variables], [[], ['WALL_PASS', 'STAGING', 'ANN', 'WAY_OUT', 'SHOP']]);
});

test('what no option can say is named', () => {
  const { options, uncovered } = visitorOptions({
    cookies: [{ name: 'id', value: '1', domain: 'login.example' }],
    viewport: { width: 390, height: 844, scale: 2 },
  });
  assert.deepEqual(options, [['viewport', '390x844']]);
  assert.deepEqual(uncovered, ['cookies of other hosts than the page’s', 'the scale of the viewport']);
});

test('the command writes the files that it names, and quotes what a shell would take apart', () => {
  const { line, uncovered, variables } = measureLine(
    {
      sites: [{ url: 'https://a.example/', visitor: { language: 'de' } }],
      visitor: { headers: [{ name: 'X-Pass', value: 'secret:wall' }], firstPartyOnly: true, steps: [{ click: '#a' }] },
    },
    [],
  );
  assert.ok(line.startsWith(`cat > steps.json <<'END'\n[\n  {\n    "click": "#a"\n  }\n]\nEND\n./pronghorn measure`), line);
  assert.match(line, /--header 'X-Pass: env:WALL'\s\\\s+--first-party-only\s\\\s+--steps steps\.json$/);
  assert.deepEqual([uncovered, variables], [['a visitor for each page'], ['WALL']]);
});
