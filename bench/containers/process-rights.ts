// What the kernel says of each process of a container: sent into it by chrome.ts.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessRights {
  pid: number;
  what: string;
  uid: string;
  /** Hexadecimal, as in /proc/PID/status. */
  capabilities: Record<'CapInh' | 'CapPrm' | 'CapEff' | 'CapBnd' | 'CapAmb', string>;
  noNewPrivileges: boolean;
  /** 0: none, 2: filters; and how many of them. */
  seccomp: string;
  filters: string;
  zombie: boolean;
  rssKb: number;
  /** Those that are not PID 1's. */
  ownNamespaces: string[];
}

const namespacesOf = (pid: number | string) =>
  Object.fromEntries(readdirSync(`/proc/${pid}/ns`).map((name) => [name, readlinkSync(`/proc/${pid}/ns/${name}`)]));

const first = namespacesOf(1);
const found: ProcessRights[] = [];
for (const pid of readdirSync('/proc')
  .filter((name) => /^\d+$/.test(name))
  .map(Number)) {
  try {
    const status = Object.fromEntries(
      readFileSync(`/proc/${pid}/status`, 'utf8')
        .split('\n')
        .map((line) => line.split(/:\s+/, 2) as [string, string]),
    );
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    const own = namespacesOf(pid);
    found.push({
      pid,
      what: words || String(status.Name),
      uid: String(status.Uid).split('\t')[1] ?? '',
      capabilities: {
        CapInh: String(status.CapInh),
        CapPrm: String(status.CapPrm),
        CapEff: String(status.CapEff),
        CapBnd: String(status.CapBnd),
        CapAmb: String(status.CapAmb),
      },
      noNewPrivileges: status.NoNewPrivs === '1',
      seccomp: String(status.Seccomp),
      filters: String(status.Seccomp_filters),
      zombie: String(status.State).startsWith('Z'),
      rssKb: Number.parseInt(status.VmRSS ?? '0', 10),
      ownNamespaces: Object.keys(own).filter((name) => !name.endsWith('_for_children') && own[name] !== first[name]),
    });
  } catch {
    // It ended while it was looked at.
  }
}
console.log(JSON.stringify(found));
