import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Visitor } from '../schemas/visitor.ts';
import { visitorWords } from './visitor.ts';

test('visitors that differ in any part differ in words', () => {
  const pem = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
  const visitors: Visitor[] = [
    {},
    { device: 'phone' },
    { device: 'tablet' },
    { viewport: { width: 390, height: 844 } },
    { viewport: { width: 390, height: 844, scale: 3 } },
    { cpuSlowdown: 4 },
    { language: 'de-CH' },
    { userAgent: 'me' },
    { headers: [{ name: 'X-Pass', value: 'secret:a' }] },
    { headers: [{ name: 'X-Pass', value: 'secret:b' }] },
    { cookies: [{ name: 'consent', value: 'all' }] },
    { cookies: [{ name: 'consent', value: 'all', domain: 'b.example' }] },
    { basicAuth: { user: 'ann', password: 'secret:a' } },
    { ca: pem('MIIBabcdefgh') },
    { ca: pem('MIIBabcdefgi') },
    { proxy: 'http://proxy.example:1' },
    { proxy: 'http://proxy.example:1', proxyAuth: { user: 'ann', password: 'secret:a' } },
    { clientCertificate: 'secret:a' },
    { clientCertificate: 'secret:b' },
    { block: ['ads.example'] },
    { firstPartyOnly: true },
    { ownHosts: ['ads.example'] },
    { after: [] },
    { after: ['/list'] },
    { after: ['/', '/list'] },
    { steps: [{ goto: '/login' }] },
    { steps: [{ cookie: 'consent', value: 'all' }] },
    { steps: [{ cookie: 'consent', value: 'none' }] },
    { steps: [{ type: '#user', text: 'ann' }] },
    { steps: [{ type: '#user', text: 'bob' }] },
  ];
  assert.equal(new Set(visitors.map(visitorWords)).size, visitors.length);
  assert.equal(visitorWords({ device: 'phone', language: 'de-CH' }), 'phone; language de-CH');
  assert.equal(visitorWords({ device: 'desktop' }), visitorWords({}), 'desktop is what nothing means');
});
