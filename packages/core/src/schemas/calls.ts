// Whose servers REST calls may be sent to, and how many of them: a run loads a server, and a load that nobody asked for is an attack.
import Type, { type Static } from 'typebox';
import { orNull } from './fields.ts';
import { workloadLimits } from './workload.ts';

/** Where a server tells whose requests it expects: the first line has to be the token of the service that measures. */
export const ownershipPath = '/.well-known/pronghorn';

const most = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });

/** The most that one run of this service may do. A workload without a rate is bound by its users: each has one request under way. */
export const CallLimits = Type.Object({
  users: most(workloadLimits.users, 'Who work at the same time, each with one request under way.'),
  requestsPerSecond: most(workloadLimits.requestsPerSecond, 'Of the mode rate.'),
  requests: most(workloadLimits.requests, 'Of all users of a run together, where they are counted: of the modes count and rate.'),
  seconds: most(workloadLimits.seconds, 'Of a run, whatever ends it.'),
  bodyBytes: Type.Integer({ minimum: 0, maximum: workloadLimits.bodyBytes, description: 'Of the body of each request.' }),
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
    'Hosts that may be loaded besides the demo origin: a host, or *.host for it and all below it. null: any.',
  ),
  loopback: Type.Boolean({ description: 'Whether the loopback of a runner’s machine may be loaded, without a token.' }),
  limits: CallLimits,
});
export type CallsPolicy = Static<typeof CallsPolicy>;

/** What a service permits, and by what a server shows that it is its owner’s wish. */
export const CallsPermission = Type.Object({
  ...CallsPolicy.properties,
  token: Type.String({ description: 'The line that a server has to answer at `path`, over https, before it is loaded.' }),
  path: Type.String(),
});
export type CallsPermission = Static<typeof CallsPermission>;
