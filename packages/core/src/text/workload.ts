// A workload in plain sentences, the same before a campaign, beside it and in its report.

import type { WholeWorkload } from '../schemas/workload.ts';
import type { View } from '../vocabulary/cell.ts';
import { counted, grouped } from './numbers.ts';

/** What each run does: 50 users send 10 GET requests each, over one connection each; 500 requests. */
export function workloadWords(workload: WholeWorkload): string {
  const { method, mode, users, requests, seconds, requestsPerSecond, arrivals, bodyBytes, paths, earlyData } = workload;
  const body = method === 'POST' && bodyBytes > 0 ? ` of ${sizeWords(bodyBytes)}` : '';
  const to = paths.length > 1 ? `, to ${paths.length} paths in turn` : '';
  const early = earlyData && method === 'GET' ? '; over HTTP/3 they may go with the handshake (0-RTT)' : '';
  const who = counted(users, 'user');
  const over = connectionWords(workload);
  switch (mode) {
    case 'count': {
      const each = `${counted(requests, `${method} request`)}${body}${users === 1 ? '' : ' each'}`;
      const all = users === 1 || requests === 1 ? '' : `; ${counted(users * requests, 'request')}`;
      return `${who} ${users === 1 ? 'sends' : 'send'} ${each}${to}, ${over}${early}${all}.`;
    }
    case 'duration':
      return `${who} ${users === 1 ? 'sends' : 'send'} ${method} requests${body} one after another${to} for ${secondsWords(seconds)}, ${over}${early}.`;
    case 'rate': {
      const due = requestsPerSecond === 1 ? 'request is' : 'requests are';
      const apart = arrivals === 'poisson' ? ' at random distances' : '';
      return `${grouped(requestsPerSecond)} ${method} ${due} due a second${apart} for ${secondsWords(seconds)}${body === '' ? '' : `, each${body}`}${to}, with at most ${grouped(users)} under way, ${over}${early}; about ${counted(Math.round(requestsPerSecond * seconds), 'request')}.`;
    }
  }
}

function connectionWords({ connections, shared, users }: WholeWorkload): string {
  switch (connections) {
    case 'user':
      return users === 1 ? 'over one connection' : 'over one connection each';
    case 'shared':
      return shared === 1 ? 'all over one connection' : `over ${grouped(shared)} connections for all`;
    case 'pool':
      return 'over as many connections as Go’s HTTP client opens';
    case 'each':
      return 'each request over a connection of its own';
  }
}

/** The number of requests of a run; null: limited by time. */
export function requestsOfRun({ mode, users, requests, seconds, requestsPerSecond }: WholeWorkload): number | null {
  if (mode === 'duration') return null;
  return mode === 'count' ? users * requests : Math.round(requestsPerSecond * seconds);
}

/** The meaning of a view for a run: it concerns connections, because nothing is cached. */
export const runViewWords: Readonly<Record<View, string>> = {
  cold: 'the first request of a connection opens it, so the handshake is part of its time',
  warm: 'each connection was opened, and has answered a request, before the run begins',
};

const secondsWords = (seconds: number) => (seconds === 1 ? '1 second' : `${seconds} seconds`);

/** The size of a body: 1.5 MB; 512 KiB if that is exact; 300 bytes. */
export function sizeWords(bytes: number): string {
  const units: [string, number][] = [
    ['GB', 1e9],
    ['GiB', 2 ** 30],
    ['MB', 1e6],
    ['MiB', 2 ** 20],
    ['kB', 1e3],
    ['KiB', 2 ** 10],
  ];
  const even = units.find(([, size]) => bytes >= size && Number((bytes / size).toPrecision(3)) * size === bytes);
  if (even) return `${bytes / even[1]} ${even[0]}`;
  const [unit, size] = units.filter(([name]) => !name.includes('i')).find(([, least]) => bytes >= least) ?? ['', 1];
  return size === 1 ? counted(bytes, 'byte') : `${Number((bytes / size).toPrecision(3))} ${unit}`;
}
