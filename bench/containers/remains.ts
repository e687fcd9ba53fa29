// What there is in a runner's container besides memory: sent into it by hundred-visits.ts, with rights to look at all processes.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Remains {
  nodeMb: number;
  processes: number;
  zombies: number;
  /** Other than the container's own. */
  namespaces: number;
  /** Below /tmp, folders among them. */
  files: number;
  /** Network devices and nftables' tables of the container's own namespace. */
  rules: number;
}

const own = readlinkSync('/proc/1/ns/net');
const namespaces = new Set<string>();
const remains: Remains = { nodeMb: 0, processes: 0, zombies: 0, namespaces: 0, files: 0, rules: 0 };
for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    remains.processes += 1;
    if (/^State:\tZ/m.test(status)) remains.zombies += 1;
    else namespaces.add(readlinkSync(`/proc/${pid}/ns/net`));
    if (/main\.ts\0runner\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')))
      remains.nodeMb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
  } catch {
    // It ended while it was looked at.
  }
}
namespaces.delete(own);
remains.namespaces = namespaces.size;
remains.files = readdirSync('/tmp', { recursive: true }).length;
const lines = (...[program = '', ...args]: string[]) =>
  execFileSync(program, args, { encoding: 'utf8' }).split('\n').filter(Boolean).length;
remains.rules = lines('ip', '-o', 'link') + lines('nft', 'list', 'tables');
console.log(JSON.stringify(remains));
