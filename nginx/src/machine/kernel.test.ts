import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { thisMachine } from '../hosts/place.ts';
import { kernelSettings } from './kernel.ts';

test('the kernel’s values are those of /proc, each on one line, null where it has none', async () => {
  const { tcp } = (await kernelSettings(thisMachine)) as { tcp: Record<string, string | null> };
  const expected = await readFile('/proc/sys/net/ipv4/tcp_wmem', 'utf8').then(
    (text) => text.trim().replaceAll('\t', ' '),
    () => null,
  );
  assert.equal(tcp.sendBuffer, expected);
  assert.equal(tcp.loopbackMtu, (await readFile('/sys/class/net/lo/mtu', 'utf8')).trim());
});

test('a place that can’t be entered is named', async () => {
  const nowhere = { enter: ['nsenter', '--net=/nowhere', '--'], addressPrefix: '10.115.2.' };
  await assert.rejects(kernelSettings(nowhere), /could not be read in the origin's place \(nsenter\): .*\/nowhere/s);
});
