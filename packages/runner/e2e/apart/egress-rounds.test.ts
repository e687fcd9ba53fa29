// Visits of one round reach one set of addresses, whatever nameservers say in between, and IPv6 only where it leads somewhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves, samples, thoroughly } from '@pronghorn/core/testing';
import { onOwnMachine } from '../egress-bench.ts';
import { fourAddresses } from '../egress-dns.ts';
import type { Ipv6Route } from '../egress-world.ts';

await onOwnMachine(import.meta.filename, 'the visits of a round', (bench) => {
  /**
   * As Chrome takes addresses: in the order of the answer.
   * @returns of each name, the first address and how long it is told to last, of three visits one after the other
   */
  const firstOf = async (...names: string[]): Promise<{ address: string; ttl: number }[][]> => {
    const script = `const { resolve4 } = require('dns').promises;
      const first = async (name) => { const all = []; for (let visit = 0; visit < 3; visit++) all.push((await resolve4(name, { ttl: true }))[0]); return all; };
      Promise.all(process.argv.slice(1).map(first)).then((all) => console.log(JSON.stringify(all)));`;
    return JSON.parse(await bench.path.visit.run([process.execPath, '-e', script, '--', ...names]));
  };

  test('h1, h2 and h3 of a round reach the same one of four rotating addresses', proves('protocols', 'fence'), async (context) => {
    const egress = await bench.open();
    const rounds: string[][] = [];
    for (let round = 0; round < samples(6, 20); round++) {
      await egress.beginRound(['https://four.test/', 'https://moving.test/']);
      const [four = [], moving = []] = await firstOf('four.test', 'moving.test');
      assert.equal(four.length, 3);
      assert.equal(new Set(moving.map(({ address }) => address)).size, 1, 'also where a nameserver changes its mind');
      assert.ok(
        four.every(({ ttl }) => ttl > 3_500),
        'no answer runs out within the round',
      );
      rounds.push(four.map(({ address }) => address));
    }
    const short = (address: string) => address.replace(/.*\./, '');
    context.diagnostic(`four.test, by round h1/h2/h3: ${rounds.map((visits) => visits.map(short).join('/')).join(' ')}`);
    assert.deepEqual(
      rounds.filter((visits) => new Set(visits).size > 1),
      [],
    );
    assert.deepEqual(new Set(rounds.flat()), new Set(fourAddresses), 'each round asks anew');
  });

  test(
    'a nameserver is asked once a round for each record, also for those that are not there, and before the first visit',
    proves('fence'),
    async () => {
      const egress = await bench.open();
      const types = ['A', 'AAAA', 'HTTPS'] as const;
      const names = ['public.test', 'gone.test'];
      const count = () => names.flatMap((name) => types.map((type) => bench.world.queries.get(`${name} ${type}`) ?? 0));
      const before = count();
      await egress.beginRound(names.map((name) => `https://${name}/`));
      const queries = count();
      // Of a name that does not exist, the first answer says so for all types.
      assert.deepEqual(
        queries.slice(0, 3),
        before.slice(0, 3).map((times) => times + 1),
      );
      assert.ok(queries.slice(3).some((times, place) => times > (before[place + 3] ?? 0)));
      const script = `const { createSocket } = require('dgram'); const { resolve4, resolve6 } = require('dns').promises;
      const https = (name) => new Promise((resolve) => { const socket = createSocket('udp4').once('message', resolve).unref();
        socket.send(Buffer.concat([Buffer.from([1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]), ...name.split('.').map((l) => Buffer.from([l.length, ...Buffer.from(l)])), Buffer.from([0, 0, 65, 0, 1])]), 53, '10.115.1.1'); });
      (async () => { for (const name of process.argv.slice(1)) { await resolve4(name).catch(() => {}); await resolve6(name).catch(() => {}); await https(name); } process.exit(0); })();`;
      await bench.path.visit.run([process.execPath, '-e', script, '--', ...names]);
      assert.deepEqual(count(), queries, 'the visit was answered from memory');
    },
  );

  const state = async (way: Ipv6Route) => {
    await bench.world.treatIpv6(way);
    // As before the first round: nothing has been asked.
    const opened = await bench.open([], undefined, []);
    const first = opened.ipv6;
    const warnings = await opened.beginRound(['http://dual.test/', 'http://public.test/']);
    const route = async (address: string) =>
      bench.path.visit.run(['ip', '-6', 'route', 'get', address]).then(
        () => true,
        () => false,
      );
    return {
      first,
      found: opened.ipv6,
      warnings: warnings.join(),
      dual: await route('2a44:55:66::77'),
      other: await route('2a44:55:66::99'),
    };
  };

  const offered = { first: 'unproven', found: 'works', warnings: '', dual: false, other: true };

  test(
    'IPv6 that works is offered to visits once a host has answered over it; a host of both families is left to IPv4',
    proves('production-pages'),
    async () => {
      assert.deepEqual(await state('works'), offered);
    },
  );

  test('IPv6 that works slowly is offered too', thoroughly('production-pages'), async () => {
    assert.deepEqual(await state('slow'), offered);
  });

  test('IPv6 that does not work is not offered, and the operator is warned', proves('production-pages'), async () => {
    const { warnings, ...rest } = await state('leads-nowhere');
    assert.deepEqual(rest, { first: 'unproven', found: 'leads-nowhere', dual: false, other: false });
    assert.match(warnings, /IPv6 does not work from this machine.*dual\.test \(2a44:55:66::77\) answers only over IPv4/);
  });
});
