// A link at 20 Mbit/s beside the same link at rest: CPU time. And without a condition: start, throughput, round trip beside loopback's.
// Takes 1 minute, as root. node bench link/floor [guest|netem|veth]
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { median } from '../../packages/core/src/math/index.ts';
import type { Condition } from '../../packages/core/src/schemas/index.ts';
import { chooseBackend, type LinkChoice, shaperOf } from '../../packages/runner/src/link/backends.ts';
import { routerEnd, visitEnd } from '../../packages/runner/src/link/net/addresses.ts';
import { openProbe } from '../../packages/runner/src/link/probe/probe.ts';
import { openPath } from '../../packages/runner/src/link/shapers/path.ts';
import { tcLines } from '../../packages/runner/src/link/shapers/tc.ts';
import { run } from '../../packages/runner/src/machine/run.ts';
import { ratio } from '../shared/figures.ts';

const starts = 5;
const seconds = 5;
const backend = await chooseBackend((process.argv[2] ?? 'guest') as LinkChoice, []);
const openShaper = shaperOf(backend);
if (openShaper === undefined) throw new Error(`The link ${backend} has nothing to measure: choose guest, netem or veth.`);
const open = () => openPath({ openShaper, originAddresses: undefined, congestionControl: 'cubic' });

const startsMs: number[] = [];
for (let start = 0; start < starts; start++) {
  const began = performance.now();
  const path = await open();
  startsMs.push(performance.now() - began);
  await path.close();
}
console.log(`${backend}: start ${(median(startsMs) / 1_000).toFixed(2)} s (median of ${starts})`);

const loopbackRttMs = await pingMs((argv) => run(argv), '127.0.0.1');
const path = await open();
const probe = await openProbe(path.visit, path.router, { near: visitEnd.v4, far: routerEnd.v4 });
try {
  const linkRttMs = await pingMs((argv) => path.visit.run(argv), routerEnd.v4);
  if (linkRttMs !== undefined && loopbackRttMs !== undefined) {
    const words = `mean ${linkRttMs} ms, over loopback ${loopbackRttMs} ms`;
    console.log(`RTT by ping: ${words}; link ÷ loopback ${ratio(linkRttMs, loopbackRttMs)}`);
  }
  const { delay } = await probe.rtt({ packets: 500 });
  console.log(`RTT by the probe: median ${delay?.p50Ms.toFixed(3)} ms, p99 ${delay?.p99Ms.toFixed(3)} ms of ${delay?.packets}`);
  for (const transport of ['tcp', 'udp'] as const) {
    for (const direction of ['up', 'down'] as const) {
      const { kbps } = await probe.rate({ direction, transport, seconds: 2 });
      console.log(`${transport} ${direction}: ${(kbps / 1_000).toFixed(0)} Mbit/s`);
    }
  }
  // By clock ticks of all guest processes; netem in this kernel runs in interrupts, which only the whole machine's idle time shows.
  const used = async (work: Promise<unknown>) => {
    const before = { guest: guestSeconds(), machine: busySeconds() };
    await work;
    return { guest: guestSeconds() - before.guest, machine: busySeconds() - before.machine };
  };
  const idle = await used(new Promise((resolve) => setTimeout(resolve, seconds * 1_000)));
  console.log(`at rest: the guest takes ${share(idle.guest)} of the machine, the machine with the probe ${share(idle.machine)}`);
  const shaped: Condition = { name: 'shaped', up: { delayMs: 15 }, down: { delayMs: 15, rateKbps: 100_000, queueBytes: 500_000 } };
  for (const condition of [{ name: 'unshaped', up: {}, down: {} }, ...(path.shaper.devices === null ? [] : [shaped])]) {
    if (path.shaper.devices !== null) await path.shaper.apply(tcLines(condition, path.shaper.devices));
    const sent = probe.rate({ direction: 'down', transport: 'udp', offeredKbps: 20_000, seconds, warmUpMs: 0 });
    const busy = await used(sent);
    const { kbps } = await sent;
    console.log(
      `${condition.name}, ${(kbps / 1_000).toFixed(1)} Mbit/s: the guest ${share(busy.guest)}, the machine with the probe that sends and receives ` +
        `${share(busy.machine)}; ÷ at rest: guest ${ratio(busy.guest, idle.guest)}, machine ${ratio(busy.machine, idle.machine)}`,
    );
  }
} finally {
  await probe.close();
  await path.close();
}

function share(cpuSeconds: number): string {
  return `${((100 * cpuSeconds) / seconds / availableParallelism()).toFixed(1)} %`;
}

/** The mean of 500 pings; undefined where ping is not installed. */
async function pingMs(runAt: (argv: string[]) => Promise<string>, address: string): Promise<number | undefined> {
  const output = await runAt(['ping', '-q', '-c', '500', '-i', '0.01', address]).catch(() => '');
  const [, mean] = /rtt min\/avg\/max\/mdev = [\d.]+\/([\d.]+)/.exec(output) ?? [];
  return mean === undefined ? undefined : Number(mean);
}

function guestSeconds(): number {
  return readdirSync('/proc').reduce((sum, pid) => {
    try {
      if (!/^\d+$/.test(pid) || !/(linux|uml-userspace)$/.test(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''))) return sum;
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return sum + (Number(fields[11]) + Number(fields[12])) / 100;
    } catch {
      return sum;
    }
  }, 0);
}

/** proc_stat(5): all but idle and iowait. */
function busySeconds(): number {
  const [, ...ticks] = (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '').split(/\s+/);
  return ticks.reduce((sum, value, place) => (place === 3 || place === 4 || place > 7 ? sum : sum + Number(value)), 0) / 100;
}
