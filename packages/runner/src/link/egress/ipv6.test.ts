import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reach, Reached } from './ask-process.ts';
import { Ipv6Judge } from './ipv6.ts';

const host = (name: string, v6: string[], v4 = ['198.41.0.4']) => ({ name, port: 443, v4, v6 });
const good = '2a44:55:66::77';
const bad = '2a44:55:66::78';
const none = new Set<string>();

/** A network in which addresses of IPv6 answer after so long; all others, and IPv4 without an entry of its own, as said. */
function network(answers: Record<string, number | null>, v4Ms: number | null = 10) {
  const asked: string[] = [];
  const reach = async (pairs: Reach[]): Promise<Reached[]> =>
    pairs.map(({ v4, v6 }) => {
      asked.push(v6.address);
      return { v4Ms: v4 === null ? null : v4Ms, v6Ms: answers[v6.address] ?? null };
    });
  return { asked, reach };
}

test('a machine without a route for IPv6 tries no host', async () => {
  const { asked, reach } = network({ [good]: 10 });
  assert.equal((await new Ipv6Judge(false, []).judge([host('a.example', [good])], none, reach, 0)).state, 'none');
  assert.deepEqual(asked, []);
});

test('a host of both families is reached over IPv4, however fast IPv6 is; one of IPv6 alone proves it as well', async () => {
  for (const v6Ms of [1, 10, 1_400]) {
    const judge = new Ipv6Judge(true, []);
    assert.equal(judge.state, 'unproven');
    const { asked, reach } = network({ [good]: v6Ms, [bad]: 10 });
    const found = await judge.judge([host('a.example', [good]), host('b.example', [bad], [])], none, reach, 0);
    assert.deepEqual(found, { state: 'works', withheld: [good], warnings: [] });
    assert.deepEqual(asked, [good, bad]);
  }
});

test('an address that another host has for its only one is not withheld', async () => {
  const { reach } = network({ [good]: 10 });
  const { withheld } = await new Ipv6Judge(true, []).judge([host('a.example', [good]), host('b.example', [good], [])], none, reach, 0);
  assert.deepEqual(withheld, []);
});

test('a host that answers only over IPv6 is reached over it, and is tried twice before that counts', async () => {
  const { asked, reach } = network({ [good]: 10 }, null);
  const { state, withheld, warnings } = await new Ipv6Judge(true, []).judge([host('a.example', [good])], none, reach, 0);
  assert.deepEqual([state, withheld], ['works', ['198.41.0.4']]);
  assert.match(warnings.join(), /^a\.example does not answer at its IPv4 address 198\.41\.0\.4/);
  assert.deepEqual(asked, [good, good]);
});

test('a host that is down over both families says nothing about IPv6', async () => {
  const judge = new Ipv6Judge(true, []);
  const { reach } = network({}, null);
  assert.deepEqual(await judge.judge([host('a.example', [bad])], none, reach, 0), { state: 'unproven', withheld: [], warnings: [] });
});

test('IPv6 that has stopped working is noticed after five minutes, reported once, and found again when it is back', async () => {
  const judge = new Ipv6Judge(true, []);
  const works = network({ [good]: 10 });
  const broken = network({});
  const hosts = [host('a.example', [good])];
  assert.equal((await judge.judge(hosts, none, works.reach, 0)).state, 'works');
  assert.equal((await judge.judge(hosts, none, broken.reach, 299_999)).state, 'works', 'from memory');
  assert.deepEqual(broken.asked, []);
  const found = await judge.judge(hosts, none, broken.reach, 300_000);
  assert.equal(found.state, 'leads-nowhere');
  assert.match(found.warnings.join(), /IPv6 does not work from this machine/);
  assert.deepEqual((await judge.judge(hosts, none, broken.reach, 600_000)).warnings, []);
  assert.equal((await judge.judge(hosts, none, works.reach, 900_000)).state, 'works');
});

test('addresses that visits may not reach are not asked, but for those that the operator opened', async () => {
  const local = 'fd12:3456::1';
  const closed = network({ [local]: 10 });
  await new Ipv6Judge(true, []).judge([host('a.example', [local])], none, closed.reach, 0);
  assert.deepEqual(closed.asked, []);
  const open = network({ [local]: 10 });
  const allow = [{ family: 6, address: 'fd12:3456::', prefix: 32 }] as const;
  assert.equal((await new Ipv6Judge(true, allow).judge([host('a.example', [local])], none, open.reach, 0)).state, 'works');
});

test('a name that is pinned to IPv4 has its addresses of IPv6 withheld, without a warning', async () => {
  const { reach } = network({ [good]: 10 });
  const { withheld, warnings } = await new Ipv6Judge(true, []).judge([host('a.example', [good])], new Set(['a.example']), reach, 0);
  assert.deepEqual([withheld, warnings], [[good], []]);
});
