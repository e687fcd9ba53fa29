// Kernel settings that decide how the origin's server sends; no server can set them itself. Nothing about the link, which
// has its own record.
import { execFile } from 'node:child_process';
import { release } from 'node:os';
import { promisify } from 'node:util';
import type { Place } from '../hosts/place.ts';

const run = promisify(execFile);

/** Each network namespace has its own, so they are read where the origin runs. */
const tcp = {
  // A route may say another (`congctl`): then this is not what was used, and the link's record has it.
  defaultCongestionControl: 'ipv4/tcp_congestion_control',
  noMetricsSave: 'ipv4/tcp_no_metrics_save',
  slowStartAfterIdle: 'ipv4/tcp_slow_start_after_idle',
  sendBuffer: 'ipv4/tcp_wmem',
  receiveBuffer: 'ipv4/tcp_rmem',
  notSentLowWater: 'ipv4/tcp_notsent_lowat',
  ecn: 'ipv4/tcp_ecn',
  lossRecovery: 'ipv4/tcp_recovery',
  tailLossProbe: 'ipv4/tcp_early_retrans',
  pacingSlowStartPercent: 'ipv4/tcp_pacing_ss_ratio',
  pacingPercent: 'ipv4/tcp_pacing_ca_ratio',
};
/** Settings of the whole machine, on kernels that don't have them per namespace. A QUIC server's sockets have these buffers or ask for others. */
const udp = {
  sendBufferDefault: 'core/wmem_default',
  sendBufferMost: 'core/wmem_max',
  receiveBufferDefault: 'core/rmem_default',
  receiveBufferMost: 'core/rmem_max',
};

/** Values as they read, null where the kernel doesn't show them. */
export async function kernelSettings(place: Place): Promise<Record<string, unknown>> {
  const paths = [...Object.values(tcp), ...Object.values(udp)];
  const [there, here] = await Promise.all([readValues(place.enter, paths), readValues([], Object.values(udp))]);
  const named = (table: Record<string, string>, from: Map<string, string>[]) =>
    Object.fromEntries(Object.entries(table).map(([name, path]) => [name, from.map((one) => one.get(path)).find(Boolean) ?? null]));
  return {
    kernel: release(),
    tcp: {
      ...named(tcp, [there]),
      initialWindowSegments: 10, // unless a route says otherwise (RFC 6928; TCP_INIT_CWND in Linux)
      // Without a link TCP's segments are as large as this lets them be, and QUIC's packets are not.
      ...(place.enter.length === 0 ? { loopbackMtu: (await readValues([], ['/sys/class/net/lo/mtu'])).values().next().value ?? null } : {}),
    },
    udp: named(udp, [there, here]),
  };
}

/** /proc/sys/net shows every process the values of its own network namespace, so the reader must be a process there. */
async function readValues(enter: readonly string[], paths: readonly string[]): Promise<Map<string, string>> {
  const script = 'cd /proc/sys/net && for f; do echo "$f $(cat "$f" 2>/dev/null | tr "\\t" " ")"; done';
  const [program = '', ...args] = [...enter, 'sh', '-c', script, 'sh', ...paths];
  const { stdout } = await run(program, args).catch((error: Error) => {
    throw new Error(`the kernel's network settings could not be read in the origin's place (${program}): ${error.message}`);
  });
  const lines = stdout.trimEnd().split('\n');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
}
