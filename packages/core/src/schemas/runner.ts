// A runner as the API knows it: capabilities, location, presence.
import Type, { type Static } from 'typebox';
import { browsers, engines, type Isolation, isolations } from '../vocabulary/engine.ts';
import { OneLine, orNull, Time, TimeOrNull } from './fields.ts';
import { LinkBackend } from './link-check.ts';

/**
 * Grows when a runner of before can no longer work with the api of now, or the other way round. Within one number either may be newer.
 */
export const runnerProtocol = 2;

/** What a runner can do. A campaign is lent only to a runner that can do all of it. */
export const Capabilities = Type.Object(
  {
    engines: Type.Array(Type.Enum([...engines]), { uniqueItems: true }),
    browsers: Type.Array(Type.Enum([...browsers]), { uniqueItems: true }),
    backends: Type.Array(LinkBackend, { uniqueItems: true, description: 'What its link can be made of; netem and guest shape packets.' }),
    isFenced: Type.Optional(
      Type.Boolean({
        description:
          'Whether visits over the link direct reach public addresses alone, as they do over all others; false: all that the machine reaches. Without: it has no such link.',
      }),
    ),
    isolations: Type.Optional(
      Type.Array(Type.Enum([...isolations]), {
        uniqueItems: true,
        description: 'How it can keep visits apart. Without: auto, context and process.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Capabilities = Static<typeof Capabilities>;

/** How a runner can keep visits apart: only one that is told how to start containers can give each visit one. */
export const isolationsOf = ({ isolations = ['auto', 'context', 'process'] }: Capabilities): readonly Isolation[] => isolations;

/** Whether a runner can put a condition on its link. */
export const canShape = ({ backends }: Capabilities): boolean => backends.some((backend) => backend === 'netem' || backend === 'guest');

const registration = {
  name: OneLine({ maxLength: 200, description: 'Names the runner; the same name is the same runner.' }),
  instance: Type.String({ format: 'uuid', description: 'Of the process: a new one takes the place of the one before.' }),
  location: orNull(OneLine({ maxLength: 100 }), 'Where it stands; null: not said.'),
  version: Type.String({ minLength: 1, maxLength: 50, pattern: '^\\d+\\.\\d+\\.\\d+', description: 'Of its Pronghorn.' }),
  protocol: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Of the talk between runner and api.' }),
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

/** A runner says that it is there. */
export const RunnerRegistration = Type.Object(registration, { additionalProperties: false });
export type RunnerRegistration = Static<typeof RunnerRegistration>;

/** What a registered runner says every `heartbeatMs`. */
export const RunnerHeartbeat = Type.Object(
  {
    instance: registration.instance,
    sequence: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'Grows with each sign of the process. One that was overtaken by a later one on its way changes nothing. Without: a sign counts when it comes.',
      }),
    ),
    doing: Type.Enum(['working', 'draining', 'stopped'], {
      description:
        'draining: it finishes its round and takes no other; stopped: it ended as it should, and later signs change nothing until it registers again.',
    }),
    trouble: orNull(OneLine({ maxLength: 2000 }), 'What keeps it from working, in words; null: nothing.'),
    cpuShare: orNull(
      Type.Number({ minimum: 0, maximum: 1 }),
      'Share of its machine’s CPU time that was in use since the last one; null: unknown.',
    ),
  },
  { additionalProperties: false },
);
export type RunnerHeartbeat = Static<typeof RunnerHeartbeat>;

export const runnerStates = ['alive', 'busy', 'draining', 'lost', 'stopped'] as const;
export const RunnerState = Type.Enum([...runnerStates], {
  description:
    'alive: waits for work; busy: has a round; draining: takes no other round; lost: gave no sign for three heartbeats; stopped: ended as it should.',
});
export type RunnerState = (typeof runnerStates)[number];

const { instance: _, ...shown } = registration;
export const Runner = Type.Object({
  id: Type.String(),
  ...shown,
  state: RunnerState,
  roundId: orNull(Type.String(), 'The round that it has; null: none.'),
  trouble: RunnerHeartbeat.properties.trouble,
  cpuShare: RunnerHeartbeat.properties.cpuShare,
  outdated: Type.Boolean({ description: 'Whether its Pronghorn is older than the api’s.' }),
  versionWords: orNull(Type.String(), 'How its version differs from the api’s, in words; null: it is the same.'),
  registeredAt: Time('ISO 8601; when it last started.'),
  seenAt: Time('ISO 8601; its last sign.'),
  heartbeatMs: Type.Integer({ description: 'How often it should give a sign.' }),
});
export type Runner = Static<typeof Runner>;

const workCounts = {
  roundsDone: Type.Integer({ description: 'That it completed in the last 24 hours.' }),
  roundsLost: Type.Integer({ description: 'That it was lent and gave no sign of any more, in the last 24 hours.' }),
};

/** What runners did lately. */
export const RunnersWork = Type.Object({
  since: Time('ISO 8601: 24 hours ago.'),
  runners: Type.Array(Type.Object({ runnerId: Type.String(), ...workCounts }), { description: 'Those that did anything since then.' }),
});
export type RunnersWork = Static<typeof RunnersWork>;

/** What one runner did lately. */
export const RunnerWork = Type.Object({
  since: RunnersWork.properties.since,
  ...workCounts,
  browser: orNull(Type.String(), 'What its latest visit ran in, such as Chrome/156.0.8078.79; null: it made none, or didn’t say.'),
  rounds: Type.Array(
    Type.Object({
      roundId: Type.String(),
      campaignId: Type.String(),
      siteName: Type.String(),
      condition: Type.String(),
      state: Type.Enum(['active', 'completed', 'lost']),
      leasedAt: Time(),
      endedAt: TimeOrNull('ISO 8601; null: it has it now.'),
      reason: orNull(Type.String(), 'Why it was lost; null where it was not.'),
    }),
    { description: 'The latest 20, newest first.' },
  ),
});
export type RunnerWork = Static<typeof RunnerWork>;

const byNumbers = new Intl.Collator('en', { numeric: true });

/** By semantic versioning: 1.0.0-rc.1 is older than 1.0.0-rc.2, and that than 1.0.0. @returns below 0 where `one` is older, above 0 where it is newer */
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
