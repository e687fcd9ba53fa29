// The receive buffers of a browser's sockets: a burst that one can't hold is lost after it has crossed the link. QUIC's windows allow more
// than the buffer holds, TCP's window is the buffer.
import { readFileSync } from 'node:fs';
import type { Environment } from '@pronghorn/core/schemas';
import { contentOf } from '../../machine/run.ts';
import type { Namespace } from './namespace.ts';

/** Datagrams that the sockets of a process's namespace have lost to full buffers since it was made, over IPv4 and IPv6. */
export function receiveDrops({ pid }: Pick<Namespace, 'pid'>): number {
  const v4 = readFileSync(`/proc/${pid}/net/snmp`, 'utf8');
  // The kernel may lack IPv6.
  return countDrops(v4, contentOf(`/proc/${pid}/net/snmp6`) ?? '');
}

/** @param snmp6 of /proc/net; empty where the kernel has no IPv6. @throws Error when /proc/net/snmp has no such counter */
export function countDrops(snmp: string, snmp6: string): number {
  const [names = [], values = []] = snmp
    .split('\n')
    .filter((line) => line.startsWith('Udp: '))
    .map((line) => line.split(' '));
  const place = names.indexOf('RcvbufErrors');
  if (place < 0 || values[place] === undefined) throw new Error('/proc/net/snmp does not count UDP’s RcvbufErrors.');
  return Number(values[place]) + Number(/^Udp6RcvbufErrors\s+(\d+)$/m.exec(snmp6)?.[1] ?? 0);
}

/** @param visit where the browser is; undefined: on the machine’s own network */
export async function receiveBuffers(visit?: Namespace): Promise<Environment['link']['receiveBuffers']> {
  const tcpFile = '/proc/sys/net/ipv4/tcp_rmem';
  // Every process sees TCP's of its own namespace; UDP's limit is the machine's, and namespaces don't show it.
  const tcp = visit === undefined ? contentOf(tcpFile) : await visit.run(['cat', tcpFile]).catch(() => null);
  const udp = contentOf('/proc/sys/net/core/rmem_max');
  return { tcp: tcp?.trim().replaceAll(/\s+/g, ' ') ?? null, udpMaxBytes: udp === null ? null : Number(udp) };
}
