// A runner as the API knows it: capabilities, location, state.
import Type, { type Static } from 'typebox';
import { linkBackends } from '../vocabulary/choices.ts';
import { browsers, engines, type Isolation, isolations } from '../vocabulary/engine.ts';
import { OneLine, orNull, Time, TimeOrNull } from './fields.ts';
import { LinkBackend } from './link-check.ts';

/**
 * Increases when an older runner can no longer work with the current api, or the other way round. Within one number either may be newer.
 */
export const runnerProtocol = 2;

/** What a runner can do. A campaign is leased only to a runner that can perform all of it. */
export const Capabilities = Type.Object(
  {
    engines: Type.Array(Type.Enum([...engines]), { maxItems: engines.length, uniqueItems: true }),
    browsers: Type.Array(Type.Enum([...browsers]), { maxItems: browsers.length, uniqueItems: true }),
    backends: Type.Array(LinkBackend, {
      maxItems: linkBackends.length,
      uniqueItems: true,
      description: 'Link backends; netem and guest shape packets.',
    }),
    isFenced: Type.Optional(
      Type.Boolean({
        description:
          'Whether visits over the link direct can reach only public addresses, as over all other links; false: everything that the machine can reach. Absent: it has no such link.',
      }),
    ),
    isolations: Type.Optional(
      Type.Array(Type.Enum([...isolations]), {
        maxItems: isolations.length,
        uniqueItems: true,
        description: 'How it can separate visits. Default: auto, context and process.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Capabilities = Static<typeof Capabilities>;

/** How a runner can separate visits; containers need a runner with a command that starts them. */
export const isolationsOf = ({ isolations = ['auto', 'context', 'process'] }: Capabilities): readonly Isolation[] => isolations;

/** Whether a runner can put a condition on its link. */
export const canShape = ({ backends }: Capabilities): boolean => backends.some((backend) => backend === 'netem' || backend === 'guest');

const registration = {
  name: OneLine({ maxLength: 200, description: 'Name of the runner; the same name is the same runner.' }),
  instance: Type.String({ format: 'uuid', description: 'Id of the process; a new process replaces the previous one.' }),
  location: orNull(OneLine({ maxLength: 100 }), 'Location of the runner; null: not given.'),
  version: Type.String({ minLength: 1, maxLength: 50, pattern: '^\\d+\\.\\d+\\.\\d+', description: 'Version of the runner.' }),
  protocol: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Version of the protocol between runner and api.' }),
  capabilities: Capabilities,
  machine: Type.Object(
    {
      hostname: Type.String({ maxLength: 300 }),
      kernel: Type.String({ maxLength: 300 }),
      arch: Type.String({ maxLength: 50 }),
      cpu: Type.String({ maxLength: 300 }),
      cores: Type.Integer({ minimum: 1, maximum: 100_000 }),
      memoryBytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      node: Type.String({ maxLength: 50 }),
    },
    { additionalProperties: false },
  ),
};

/** Registers a runner. */
export const RunnerRegistration = Type.Object(registration, { additionalProperties: false });
export type RunnerRegistration = Static<typeof RunnerRegistration>;

/** Sent by a registered runner every `heartbeatMs`. */
export const RunnerHeartbeat = Type.Object(
  {
    instance: registration.instance,
    sequence: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'Increases with each heartbeat of the process. A heartbeat that arrives after a later one has no effect. Absent: a heartbeat counts when it arrives.',
      }),
    ),
    doing: Type.Enum(['working', 'draining', 'stopped'], {
      description:
        'draining: it finishes its round and takes no other; stopped: it shut down properly, and later heartbeats have no effect until it registers again.',
    }),
    trouble: orNull(OneLine({ maxLength: 2000 }), 'What keeps it from working; null: nothing.'),
    cpuShare: orNull(
      Type.Number({ minimum: 0, maximum: 1 }),
      'Share of its machine’s CPU time used since the last heartbeat; null: unknown.',
    ),
  },
  { additionalProperties: false },
);
export type RunnerHeartbeat = Static<typeof RunnerHeartbeat>;

export const runnerStates = ['alive', 'busy', 'draining', 'lost', 'stopped'] as const;
export const RunnerState = Type.Enum([...runnerStates], {
  description:
    'alive: waits for work; busy: has a round; draining: takes no other round; lost: missed three heartbeats; stopped: shut down properly.',
});
export type RunnerState = (typeof runnerStates)[number];

const { instance: _, ...shown } = registration;
export const Runner = Type.Object({
  id: Type.String(),
  ...shown,
  state: RunnerState,
  roundId: orNull(Type.String(), 'Current round; null: none.'),
  trouble: RunnerHeartbeat.properties.trouble,
  cpuShare: RunnerHeartbeat.properties.cpuShare,
  outdated: Type.Boolean({ description: 'Whether its version is older than the api’s.' }),
  versionWords: orNull(Type.String(), 'How its version differs from the api’s, in words; null: it is the same.'),
  registeredAt: Time('ISO 8601; last start.'),
  seenAt: Time('ISO 8601; last heartbeat.'),
  heartbeatMs: Type.Integer({ description: 'Expected interval between heartbeats.' }),
});
export type Runner = Static<typeof Runner>;

const workCounts = {
  roundsDone: Type.Integer({ description: 'Rounds completed in the last 24 hours.' }),
  roundsLost: Type.Integer({ description: 'Rounds lost in the last 24 hours, because it stopped sending heartbeats.' }),
};

/** Recent work of all runners. */
export const RunnersWork = Type.Object({
  since: Time('ISO 8601: 24 hours ago.'),
  runners: Type.Array(Type.Object({ runnerId: Type.String(), ...workCounts }), { description: 'Runners that did anything since then.' }),
});
export type RunnersWork = Static<typeof RunnersWork>;

/** Recent work of one runner. */
export const RunnerWork = Type.Object({
  since: RunnersWork.properties.since,
  ...workCounts,
  browser: orNull(Type.String(), 'Browser of its latest visit, such as Chrome/156.0.8078.79; null: no visit, or unknown.'),
  rounds: Type.Array(
    Type.Object({
      roundId: Type.String(),
      campaignId: Type.String(),
      siteName: Type.String(),
      condition: Type.String(),
      state: Type.Enum(['active', 'completed', 'lost']),
      leasedAt: Time(),
      endedAt: TimeOrNull('ISO 8601; null: it still has the round.'),
      reason: orNull(Type.String(), 'Why it was lost; null if it was not.'),
    }),
    { description: 'The latest 20, newest first.' },
  ),
});
export type RunnerWork = Static<typeof RunnerWork>;

const byNumbers = new Intl.Collator('en', { numeric: true });

/** By semantic versioning: 1.0.0-rc.1 is older than 1.0.0-rc.2, and that is older than 1.0.0. @returns below 0 if `one` is older, above 0 if it is newer */
export function compareVersions(one: string, other: string): number {
  const [release, preRelease] = partsOf(one);
  const [otherRelease, otherPreRelease] = partsOf(other);
  if (release !== otherRelease) return byNumbers.compare(release, otherRelease);
  if (preRelease === '' || otherPreRelease === '') return otherPreRelease.length - preRelease.length;
  return byNumbers.compare(preRelease, otherPreRelease);
}

/** The release and the pre-release; what follows a + counts nothing. */
function partsOf(version: string): [release: string, preRelease: string] {
  const [, release = '', preRelease = ''] = /^([^+-]*)-?([^+]*)/.exec(version) ?? [];
  return [release, preRelease];
}
