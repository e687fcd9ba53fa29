// Two network namespaces with a pair of devices between them: a visit's and an origin's place, without any shaping.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { nextOutput } from '@pronghorn/core/testing';
import { hostAddresses, type Place } from '../src/index.ts';

const run = promisify(execFile);

export const needsRoot = process.getuid?.() === 0 ? false : 'needs root, to make network namespaces';

export interface Pair {
  /** What starts a program on the visit's side, whose addresses are `visitAddresses`. */
  visit: readonly string[];
  place: Place;
  close(): Promise<void>;
}

export const visitAddresses = ['10.115.2.1', 'fd70:7068:2::1'];

export async function openPair(): Promise<Pair> {
  const [visit, origin] = await Promise.all([openNamespace(), openNamespace()]);
  const place: Place = { enter: origin.enter, addressPrefix: '10.115.2.', addressPrefix6: 'fd70:7068:2::' };
  const addAll = (addresses: readonly string[]) =>
    addresses
      .map((address) => `addr add ${address}${address.includes(':') ? '/64 dev link0 nodad' : '/24 dev link0'}`)
      .concat('link set link0 up', 'link set lo up');
  await ip(visit.enter, [`link add link0 type veth peer name link0 netns ${origin.pid}`, ...addAll(visitAddresses)]);
  await ip(origin.enter, addAll(hostAddresses(place)));
  return {
    visit: visit.enter,
    place,
    async close() {
      await Promise.all([visit.close(), origin.close()]);
    },
  };
}

/** A namespace that lives as long as the process that holds it, which ends with this one. */
async function openNamespace() {
  const own = readlinkSync('/proc/self/ns/net');
  const holder = spawn('setpriv', ['--pdeathsig', 'KILL', '--', 'unshare', '--net', '--', 'sh', '-c', 'echo ready; exec sleep infinity']);
  await nextOutput(holder);
  const pid = holder.pid as number;
  if (readlinkSync(`/proc/${pid}/ns/net`) === own) throw new Error('unshare made no namespace');
  return {
    pid,
    enter: ['nsenter', `--net=/proc/${pid}/ns/net`, '--'],
    async close() {
      const gone = once(holder, 'exit');
      holder.kill('SIGKILL');
      await gone;
    },
  };
}

async function ip(enter: readonly string[], lines: readonly string[]): Promise<void> {
  const [program = '', ...args] = [...enter, 'sh', '-c', 'PATH=$PATH:/usr/sbin:/sbin; for line; do ip $line || exit; done', 'sh', ...lines];
  await run(program, args);
}
