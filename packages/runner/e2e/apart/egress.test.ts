// What a visit may reach, asked by a plain program, with real listeners at the forbidden places.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { openEgress } from '../../src/link/egress/egress.ts';
import type { Namespace } from '../../src/link/net/namespace.ts';
import { openPath } from '../../src/link/shapers/path.ts';
import { openVeth } from '../../src/link/shapers/shaper.ts';
import { onOwnMachine, reached, traces } from '../egress-bench.ts';
import { forbiddenHosts, publicUrls, redirects } from '../egress-page.ts';
import { machine, publicHosts } from '../egress-world.ts';

await onOwnMachine(import.meta.filename, 'what a program in a visit reaches', (bench) => {
  test(
    'a program reaches public addresses by IPv4, IPv6, name and redirect, and no forbidden one, however it is written',
    proves('fence'),
    async (context) => {
      const opened = await bench.open();
      const welcome = await bench.ask({ urls: publicUrls, udp: [{ host: publicHosts.v4[0], port: 4433 }] });
      for (const url of publicUrls) assert.ok(welcome.find(({ question }) => question === url)?.reached, url);
      assert.ok(bench.world.visitors.some(({ transport, where }) => transport === 'udp' && where === 'internet'));
      const urls = [...forbiddenHosts.flatMap((host) => [`http://${host}/fetch`, `http://${host}:8080/fetch`]), ...redirects];
      const hosts = forbiddenHosts.filter((host) => !/[%１。]/.test(host)).map((host) => host.replace(/[[\]]/g, ''));
      const answers = await bench.ask({
        urls,
        tcp: hosts.map((host) => ({ host, port: 8080 })),
        udp: hosts.flatMap((host) => [4433, 3478].map((port) => ({ host, port }))),
      });
      assert.deepEqual(
        answers.filter(({ reached }) => reached).map(({ question }) => question),
        [],
      );
      assert.deepEqual(bench.forbidden(), []);
      const refusals = await opened.takeRefusals();
      context.diagnostic(`${answers.length} attempts in ${forbiddenHosts.length} forms; refused: ${JSON.stringify(refusals.packets)}`);
      for (const reason of ['private', 'metadata', 'link-local', 'shared', 'embedded-ipv4', 'special', 'router'] as const)
        assert.ok((refusals.packets[reason] ?? 0) > 0, reason);
      assert.ok(
        refusals.destinations.some(({ address, transport, port }) => address === '10.1.2.3' && transport === 'tcp' && port === 8080),
      );
      const silent = answers.filter((answer) => answer.silent).map(({ question }) => question);
      assert.deepEqual(silent, [], 'a refusal comes at once, it is no timeout');
    },
  );

  test('a name that turns from public to private in between leads nowhere', proves('fence'), async () => {
    await bench.open();
    const first = await bench.ask({ urls: ['http://a.rebind.test/'] });
    assert.equal(first[0]?.reached, true);
    await bench.world.forget();
    // Not from memory: as if the resolver had to ask again.
    await bench.open();
    const second = await bench.ask({ urls: ['http://a.rebind.test/'] });
    assert.equal(second[0]?.reached, false);
    assert.deepEqual(bench.forbidden(), []);
    assert.ok(
      (((await bench.egress?.takeRefusals()) ?? { packets: {} }).packets.private ?? 0) > 0,
      'it did resolve to the private address',
    );
  });

  test('names that are pinned have their address, others what their nameserver says', proves('fence'), async () => {
    await bench.open([], { 'private.test': publicHosts.v4[0], 'public6.test': publicHosts.v6[0], 'b.rebind.test': null });
    const urls = ['http://private.test/', 'http://public6.test/', 'http://b.rebind.test/'];
    assert.deepEqual(reached(await bench.ask({ urls })), [true, true, true]);
    await bench.open();
    assert.deepEqual(reached(await bench.ask({ urls })), [false, true, false], 'the second answer for b.rebind.test is private');
  });

  test('--allow-net opens exactly what it names', proves('fence'), async () => {
    await bench.open(['10.1.0.0/16', 'fd12:3456::/32']);
    const urls = [
      'http://10.1.2.3/a',
      'http://private.test/a',
      'http://[fd12:3456::1]/a',
      'http://10.2.2.3/a',
      'http://192.168.7.1/a',
      'http://[fd12:3457::1]/a',
    ];
    const answers = await bench.ask({ urls });
    assert.deepEqual(
      answers.map(({ reached }) => reached),
      [true, true, true, false, false, false],
    );
    assert.deepEqual([...new Set(bench.forbidden().map(({ address }) => address.replace('::ffff:', '')))].sort(), [
      '10.1.2.3',
      'fd12:3456::1',
    ]);
  });

  test('an allowed network does not open the machine itself, its address named by itself does', proves('fence'), async () => {
    await bench.open(['192.168.7.0/24']);
    const urls = ['http://192.168.7.1/a', `http://${machine.lan}/a`];
    assert.deepEqual(reached(await bench.ask({ urls })), [true, false]);
    await bench.open([`${machine.lan}/32`]);
    assert.deepEqual(reached(await bench.ask({ urls: [...urls, `http://${machine.v4}/a`] })), [false, true, false]);
  });

  test(
    'a nameserver is answered over the link at whichever address, and names resolve after the shaper was renewed',
    proves('fence'),
    async () => {
      await bench.open();
      const script = `const { Resolver } = require('dns').promises;
      Promise.all(['127.0.0.53', '127.0.0.1', '10.9.9.9', '8.8.8.8', '[::1]', '[2001:4860:4860::8888]'].map(async (server) => {
        const resolver = new Resolver({ timeout: 30000, tries: 1 }); resolver.setServers([server]);
        return (await resolver.resolve4('public.test'))[0];
      })).then((all) => console.log(all.join()), (error) => console.log(error.message));`;
      assert.equal((await bench.path.visit.run([process.execPath, '-e', script])).trim(), new Array(6).fill(publicHosts.v4[0]).join());
      await bench.path.renewShaper();
      await bench.egress?.restoreRoutes();
      assert.deepEqual(reached(await bench.ask({ urls: ['http://public.test/'] })), [true]);
    },
  );

  test(
    'the demo origin is reached on its port alone; without an outside nothing else is, and the machine is not touched',
    proves('fence'),
    async () => {
      await bench.close();
      const withOrigin = await openPath({
        openShaper: openVeth,
        originAddresses: ['10.115.2.11'],
        congestionControl: 'cubic',
      });
      try {
        await bench.world.listenIn('origin', withOrigin.origin as Namespace);
        await openEgress(withOrigin, { allowNet: [], originPorts: [8080], outside: false, v6: false });
        assert.equal(await traces(), '');
        const urls = [
          'http://10.115.2.11:8080/',
          'http://10.115.2.11/',
          publicUrls[0] as string,
          'http://10.1.2.3/',
          'http://public.test/',
        ];
        assert.deepEqual(reached(await bench.ask({ urls }, withOrigin)), [true, false, false, false, false]);
      } finally {
        await withOrigin.close();
      }
    },
  );
});
