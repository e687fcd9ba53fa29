// What a run of REST calls does, in words.
import type { Workload } from '@pronghorn/core/schemas';
import { many, quantity } from './format.ts';

/** At a fixed rate, where nobody said how many may be under way. */
const mostUsers = 1_000;

function connectionWords({ connections = 'user', shared = 1 }: Workload, users: number): string {
  switch (connections) {
    case 'user':
      return users === 1 ? 'one connection' : 'a connection for each user';
    case 'shared':
      return `${many(shared, 'connection')} for all`;
    case 'pool':
      return 'connections as Go’s HTTP client opens them';
    case 'each':
      return 'every request opens a connection';
  }
}

const seconds = (value: number) => `${Number(value.toPrecision(6))} s`;

/** Such as: 10 users, 100 GET requests each, one after another; a connection for each user; at most 30 s a request. What is not chosen is as core has it. */
export function workloadWords(workload: Workload = {}): string {
  const { method = 'GET', bodyBytes = 0, paths = [], mode = 'count', requests = 100, seconds: lasts = 10 } = workload;
  const { requestsPerSecond = 0, arrivals = 'even', earlyData = false, requestTimeoutMs = 30_000 } = workload;
  const users = workload.users ?? (mode === 'rate' ? mostUsers : 1);
  const one = `${method} request`;
  const sent = {
    count: `${many(users, 'user')}, ${many(requests, one)}${users === 1 ? '' : ' each'}, one after another`,
    duration: `${many(users, 'user')}, ${one}s one after another for ${seconds(lasts)}`,
    rate: `${many(requestsPerSecond, one)} due each second for ${seconds(lasts)}, at ${arrivals === 'even' ? 'equal' : 'random'} distances, at most ${many(users, 'request')} under way`,
  }[mode];
  return [
    sent,
    bodyBytes > 0 ? `bodies of ${quantity(bodyBytes, 'bytes')}` : '',
    paths.length > 1 ? `${paths.length} paths in turn` : '',
    connectionWords(workload, users),
    earlyData ? 'with 0-RTT where a ticket allows it' : '',
    `at most ${seconds(requestTimeoutMs / 1000)} a request`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}
