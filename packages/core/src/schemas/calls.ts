// Which servers may receive REST calls, and how many: a run puts load on a server, and load without its owner's consent is an attack.
import Type, { type Static } from 'typebox';
import { orNull } from './fields.ts';
import { workloadLimits } from './workload.ts';

/** Where a server names the service that may load it: the first line must be that service's token. */
export const ownershipPath = '/.well-known/pronghorn';

const limit = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });

/** Limits of one run of this service. A workload without a rate is bounded by its users: each has one request in flight. */
export const CallLimits = Type.Object({
  users: limit(workloadLimits.users, 'Concurrent users, each with one request in flight.'),
  requestsPerSecond: limit(workloadLimits.requestsPerSecond, 'In mode rate.'),
  requests: limit(workloadLimits.requests, 'Total over all users of a run, in modes count and rate.'),
  seconds: limit(workloadLimits.seconds, 'Duration of a run, in any mode.'),
  bodyBytes: Type.Integer({ minimum: 0, maximum: workloadLimits.bodyBytes, description: 'Size of each request’s body.' }),
});
export type CallLimits = Static<typeof CallLimits>;

export const defaultCallLimits: CallLimits = {
  users: workloadLimits.users,
  requestsPerSecond: workloadLimits.requestsPerSecond,
  requests: workloadLimits.requests,
  seconds: workloadLimits.seconds,
  bodyBytes: workloadLimits.bodyBytes,
};

export const CallsPolicy = Type.Object({
  hosts: orNull(
    Type.Array(Type.String()),
    'Hosts that may be loaded besides the demo origin: a host, or *.host for the host and its subdomains. Null: any.',
  ),
  loopback: Type.Boolean({ description: 'Whether the loopback interface of a runner’s machine may be loaded without a token.' }),
  limits: CallLimits,
});
export type CallsPolicy = Static<typeof CallsPolicy>;

/** What a service permits, and how a server shows its owner's consent. */
export const CallsPermission = Type.Object({
  ...CallsPolicy.properties,
  token: Type.String({ description: 'Line that a server must return at `path`, over https, before it is loaded.' }),
  path: Type.String(),
});
export type CallsPermission = Static<typeof CallsPermission>;
