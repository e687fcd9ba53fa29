import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Visitor } from '@pronghorn/core/schemas';
import { referableTexts } from '@pronghorn/core/visitor';
import { changedOrNone } from '../forms/fields.ts';
import {
  accountOf,
  cookieLines,
  headerLines,
  hostLines,
  stepsText,
  viewportOf,
  visitorForAddress,
  visitorOfAddress,
  visitorTextProblems,
} from './visitor-text.ts';

test('lists are read as they are written', () => {
  const headers = [
    { name: 'X-Pass', value: 'secret:wall' },
    { name: 'X-Url', value: 'https://a.example:8443/' },
  ];
  const cookies = [
    { name: 'consent', value: 'all=yes' },
    { name: 'id', value: 'secret:id', domain: 'login.example' },
  ];
  assert.deepEqual(headerLines.read(headerLines.write(headers)), headers);
  assert.deepEqual(cookieLines.read(cookieLines.write(cookies)), cookies);
  assert.deepEqual(hostLines.read(' a.example \n\n*.b.example\r\n'), ['a.example', '*.b.example']);
  for (const form of [headerLines, cookieLines, hostLines, stepsText]) assert.equal(form.read(' \n'), undefined);
});

test('steps are a list; what is none stays as it was typed, and is told', () => {
  const steps = [{ goto: '/login' }, { click: '#accept' }];
  assert.deepEqual(stepsText.read(stepsText.write(steps)), steps);
  const typed = stepsText.read('[{ "goto"') as never;
  assert.equal(stepsText.write(typed), '[{ "goto"');
  assert.deepEqual(
    visitorTextProblems({ steps: typed }).map(({ pointer }) => pointer),
    ['#/visitor/steps'],
  );
  assert.deepEqual(visitorTextProblems({ steps }), []);
});

test('a part that is emptied leaves no trace', () => {
  assert.equal(changedOrNone<Visitor>({ language: 'de' }, { language: undefined }), undefined);
  assert.deepEqual(changedOrNone<Visitor>({ language: 'de' }, { device: 'phone' }), { language: 'de', device: 'phone' });
  assert.equal(accountOf(undefined, undefined), undefined);
  assert.deepEqual(accountOf('ann', undefined), { user: 'ann', password: '' });
});

test('a viewport keeps its scale, and takes both sides', () => {
  const whole = { width: 390, height: 844, scale: 3 };
  assert.deepEqual(viewportOf(changedOrNone(whole, { width: 400 })), { ...whole, width: 400 });
  assert.equal(viewportOf(changedOrNone<Partial<typeof whole>>({ width: 390 }, { width: undefined })), undefined);
  assert.equal(visitorTextProblems({ viewport: viewportOf({ width: 390 }) as typeof whole }).length, 1);
});

test('an address has references, and no secret that was typed in their place', () => {
  const visitor = {
    headers: [
      { name: 'Authorization', value: 'Bearer abc' },
      { name: 'X-Api-Key', value: 'secret:key' },
      { name: 'X-Preview', value: 'on' },
    ],
    cookies: [{ name: 'session', value: 'abc' }],
    basicAuth: { user: 'ann', password: 'abc' },
  };
  const shown = visitorForAddress(visitor);
  assert.deepEqual(shown, { headers: visitor.headers.slice(1), basicAuth: { user: 'ann', password: '' } });
  assert.ok(!JSON.stringify(shown).includes('abc'));
});

test('what core takes for a secret by its name, the address does too', () => {
  for (const name of ['Cookie', 'X-Auth', 'sid', 'csrf-token', 'PHPSESSID', 'X-Preview', 'consent', 'keyboard', 'Proxy-Authorization']) {
    const [text] = referableTexts({ headers: [{ name, value: 'x' }] });
    assert.equal(visitorForAddress({ headers: [{ name, value: 'x' }] }) === undefined, text?.secret, name);
  }
});

test('nor does an address tell a secret of a step, what is typed, and steps that can’t be read yet', () => {
  const steps = [
    { goto: '/login' },
    { type: '#password', secret: 'abc' },
    { type: '#pin', secret: 'secret:pin' },
    { cookie: 'sid', value: 'abc' },
    { type: '#password', text: 'hunter22', atMostMs: 5 },
  ];
  assert.deepEqual(visitorForAddress({ steps }), { steps: [steps[0], steps[2], { type: '#password', atMostMs: 5 }] });
  for (const typed of ['[{ "cookie": "sid", "value": "abc" ', [1]])
    assert.deepEqual(visitorForAddress({ language: 'de', steps: typed as never }), { language: 'de' });
});

test('an address says all that a visitor can have, and what it says wrongly is left out', () => {
  const visitor: Visitor = {
    ...{ userAgent: 'me', headers: [{ name: 'a', value: 'b' }], cookies: [{ name: 'a', value: 'b' }], ca: '-----BEGIN CERTIFICATE-----' },
    ...{
      basicAuth: { user: 'a', password: 'secret:b' },
      proxy: 'http://proxy.example:1',
      proxyAuth: { user: 'a', password: 'secret:c' },
      clientCertificate: 'secret:d',
      block: ['a.example'],
      firstPartyOnly: true,
    },
    ...{ ownHosts: ['b.example'], device: 'phone', viewport: { width: 390, height: 844 }, cpuSlowdown: 4, language: 'de-CH' },
    steps: [{ goto: '/login' }],
    after: ['/list'],
  };
  assert.deepEqual(Object.keys(visitor).sort(), Object.keys(Visitor.properties).sort());
  assert.deepEqual(visitorOfAddress(JSON.parse(JSON.stringify(visitor))), visitor);
  assert.equal(visitorOfAddress({ headers: 5, block: [null], device: null, other: 'x' }), undefined);
  assert.equal(visitorOfAddress([]), undefined);
});
