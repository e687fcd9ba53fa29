import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostsOf } from './rounds.ts';

test('each host of URLs is asked for once, with its port; what is no name is not', () => {
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
