import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../machine/run.ts';
import { hostsOf } from './egress.ts';
import { runInRouter } from './resolver.ts';

test('each host of URLs is queried once, with its port, if it is a name', () => {
  const { names, literals } = hostsOf([
    'https://shop.example/a',
    'https://shop.example:443/b',
    'http://plain.example/',
    'https://odd.example:8443/',
    'https://192.0.2.7/',
    'https://a,b.example/',
    `https://${'x'.repeat(64)}.example/`,
    'data:,x',
    'nonsense',
    'https://[2a44:55:66::77]:8443/',
  ]);
  assert.deepEqual(names, [
    { name: 'shop.example', port: 443 },
    { name: 'plain.example', port: 80 },
    { name: 'odd.example', port: 8443 },
  ]);
  assert.deepEqual(literals, [{ name: '2a44:55:66::77', port: 8443, v4: [], v6: ['2a44:55:66::77'] }]);
});

test('a thousand hosts of a page are queried, addresses among them', () => {
  const urls = Array.from({ length: 2_000 }, (_, i) => [`https://h${i}.example/`, `https://[2a44::${(i + 1).toString(16)}]/`]).flat();
  const { names, literals } = hostsOf(urls);
  assert.deepEqual([names.length, literals.length], [500, 500]);
});

test('a question may be longer than an argument of a process', async () => {
  const closed = { address: '0000:0000:0000:0000:0000:0000:0000:0001', port: 9 };
  const question = Array.from({ length: 2_000 }, () => ({ v4: null, v6: closed }));
  assert.ok(JSON.stringify(question).length > 131_072);
  assert.equal((await runInRouter<unknown[]>({ run }, 'reach', question)).length, 2_000);
});
