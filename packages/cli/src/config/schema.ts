// Everything that an operator can choose of `pronghorn serve`, once: the type, the check, the environment variables, the JSON Schema of
// the file and the table of docs/operation.md all come from here.
import { defaultCampaignLimits, defaultQueueOptions, defaultRateLimits, defaultRunnersOptions, logLevels } from '@pronghorn/api';
import { OidcRule, workloadLimits } from '@pronghorn/core/schemas';
import { defaultCongestionControl, linkChoices } from '@pronghorn/runner';
import Type, { type Static, type TSchema } from 'typebox';

const section = <Properties extends Record<string, TSchema>>(description: string, properties: Properties) =>
  Type.Object(properties, { additionalProperties: false, description });
const words = (description: string, byDefault: string[] = []) =>
  Type.Array(Type.String({ minLength: 1 }), { default: byDefault, description });
const yes = (byDefault: boolean, description: string) => Type.Boolean({ default: byDefault, description });
const whole = (byDefault: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ default: byDefault, minimum, maximum, description });
const days = (byDefault: number | null, description: string) =>
  Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()], { default: byDefault, description });

/** A section with a whole number for each key of the defaults. */
const numbers = <Key extends string>(byDefault: Record<Key, number>, description: string, each: Record<Key, string>) =>
  section(
    description,
    Object.fromEntries(Object.entries<number>(byDefault).map(([key, value]) => [key, whole(value, 1, 1e9, each[key as Key])])) as Record<
      Key,
      ReturnType<typeof whole>
    >,
  );

const limits = (role: 'submitter' | 'admin') =>
  numbers(defaultCampaignLimits[role], `Of campaigns of a token with the role ${role}.`, {
    maxSites: 'Sites of a campaign.',
    maxRounds: 'Rounds of a campaign: sites × conditions × views × rounds.',
    maxHours: 'Hours that one runner would take for a campaign.',
    maxUnfinished: 'Campaigns of one token that are not done, those of schedules that it started by hand among them.',
    maxSchedules: 'Schedules of one token.',
  });

export const ConfigSchema = section('What `pronghorn serve` runs with. Nothing is needed: everything has a default.', {
  data: Type.String({ minLength: 1, default: '.pronghorn', description: 'Folder of the database and the evidence.' }),
  listen: section('Where the service listens.', {
    host: Type.String({
      minLength: 1,
      default: '127.0.0.1',
      description: 'Address or name. One that others can reach needs access.kind tokens.',
    }),
    port: whole(8080, 0, 65_535, '0: any that is free.'),
  }),
  allowedHosts: words('Names by which clients may ask, besides localhost and addresses.'),
  trustedProxies: words('Addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.'),
  access: section('Who may do what.', {
    kind: Type.Enum(['tokens', 'open'], {
      default: 'tokens',
      description: 'open: anyone who can reach the service is admin; on loopback only.',
    }),
    publicReading: yes(false, 'Whether everybody may read without a token.'),
    allowNet: words('Networks that campaigns and webhooks may name although they are not public, such as 10.0.0.0/8.'),
    oidc: Type.Array(OidcRule, {
      default: [],
      maxItems: 100,
      description: 'Which jobs of GitHub and GitLab count as which token: see docs/security.md.',
    }),
    sessionHours: whole(168, 1, 8_760, 'How long a browser stays signed in.'),
    rateLimits: numbers(defaultRateLimits, 'Requests a minute.', {
      withoutToken: 'Of each address that shows no token.',
      viewer: 'Of a token of this role.',
      submitter: 'Of a token of this role.',
      runner: 'Of a token of this role.',
      admin: 'Of a token of this role.',
      failedSignIns: 'Wrong tokens of one address that are answered at all.',
    }),
    limits: section('What one campaign may ask for.', { submitter: limits('submitter'), admin: limits('admin') }),
  }),
  calls: section('Whose servers campaigns of REST calls may load, and how much: see docs/transactions.md.', {
    hosts: words('Hosts that may be loaded once they serve the token, such as api.example.org or *.example.org; with access open: any.'),
    limits: section('The most that one run may do. One without a rate is bound by its users.', {
      users: whole(workloadLimits.users, 1, workloadLimits.users, 'Who work at the same time, each with one request under way.'),
      requestsPerSecond: whole(workloadLimits.requestsPerSecond, 1, workloadLimits.requestsPerSecond, 'Of the mode rate.'),
      requests: whole(workloadLimits.requests, 1, workloadLimits.requests, 'Of all users together, of the modes count and rate.'),
      seconds: whole(workloadLimits.seconds, 1, workloadLimits.seconds, 'Of a run, whatever ends it.'),
      bodyBytes: whole(workloadLimits.bodyBytes, 0, workloadLimits.bodyBytes, 'Of the body of each request.'),
    }),
  }),
  queue: section('How rounds are lent.', {
    leaseMs: whole(60_000, 5_000, 3_600_000, 'How long a lease lasts without a heartbeat.'),
    maxOpenRounds: whole(defaultQueueOptions.maxOpenRounds, 1, 1e9, 'Rounds that may be queued and leased at once, of all campaigns.'),
    idleSeconds: whole(defaultQueueOptions.idleSeconds, 1, 3_600, 'How long a runner that got nothing waits before it asks again.'),
    agingMs: whole(defaultQueueOptions.agingMs, 1_000, 1e9, 'After so long, a waiting campaign is as urgent as the next higher priority.'),
    turnMs: whole(defaultQueueOptions.turnMs, 0, 1e9, 'How long a runner stays with a campaign before it serves another of its priority.'),
    runnerHeartbeatMs: whole(
      defaultRunnersOptions.heartbeatMs,
      1_000,
      600_000,
      'How often runners give a sign; after three missed, one is lost.',
    ),
  }),
  schedules: section('Campaigns that start by themselves.', {
    enabled: yes(true, 'Whether this process starts them. Several may: a start is made once.'),
    minimumIntervalSeconds: whole(300, 1, 86_400, 'Shortest time between two starts of a schedule, as clocks show it.'),
  }),
  notifications: section('Webhooks and Slack messages.', {
    enabled: yes(true, 'Whether this process sends them. Several may: each is sent by one.'),
    publicUrl: Type.Union([Type.String({ pattern: '^https?://', maxLength: 1_000 }), Type.Null()], {
      default: null,
      description: 'Where people find this service, for links in messages; null: no links.',
    }),
  }),
  evidence: section('How much is kept of visits beside their records: frames, netlogs, videos.', {
    budgetMb: Type.Union([Type.Integer({ minimum: 1, maximum: 1e9 }), Type.Null()], {
      default: null,
      description: 'What all of it may take, megabytes; what is worth least goes first. null: no limit.',
    }),
  }),
  retention: section('How long what was measured is kept. Visits with their metrics, summaries and results stay for ever.', {
    enabled: yes(true, 'Whether this process removes what is too old, once a day. Several may: one does.'),
    resourcesDays: days(null, 'Requests of each visit, and with them its HAR; null: for ever.'),
    evidenceDays: days(null, 'Raw evidence of each visit; null: for ever.'),
    logDays: days(null, 'Lines of campaigns’ logs, but for the last; null: for ever.'),
  }),
  runner: section('A runner in the service’s own process.', {
    enabled: yes(false, 'Whether there is one. Fine for a start; machines that measure should do nothing else.'),
    name: Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
      default: null,
      description: 'null: the machine’s name.',
    }),
    location: Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
      default: null,
      description: 'Where it stands; null: nowhere in particular.',
    }),
    link: Type.Enum([...linkChoices], { default: 'auto', description: 'As --link of measure.' }),
    allowNet: words('Networks that visits may reach although they are not public.'),
    fence: yes(true, 'Whether visits over the link direct reach public addresses alone; with access open they are not held to that.'),
    congestionControl: Type.String({ minLength: 1, default: defaultCongestionControl, description: 'Of TCP at both ends of the link.' }),
    keepEvidence: yes(true, 'Whether the raw evidence of each visit is stored (about 50 KB).'),
  }),
  log: section('The service’s own log, on standard output.', {
    level: Type.Enum([...logLevels], { default: 'info', description: 'The least that is told; debug has every request.' }),
    pretty: Type.Enum(['auto', 'always', 'never'], { default: 'auto', description: 'Text instead of JSON; auto: on a terminal.' }),
  }),
  metrics: section('What Prometheus scrapes at /metrics.', {
    access: Type.Enum(['token', 'anyone', 'own-port'], {
      default: 'token',
      description: 'Who may read it: a token that may read; everybody; or everybody on a port of its own, and there alone.',
    }),
    host: Type.String({ minLength: 1, default: '127.0.0.1', description: 'With own-port: where that is.' }),
    port: whole(9464, 0, 65_535, 'With own-port: which.'),
  }),
  storage: section('How the database is written.', {
    checkpoints: Type.Enum(['service', 'elsewhere'], {
      default: 'service',
      description: 'Who moves the write-ahead log into the database; elsewhere: Litestream, which must do it alone.',
    }),
  }),
  readiness: section('When /readyz says yes.', {
    minFreeMb: whole(500, 0, 1e9, 'Room on the disk of the data folder, megabytes.'),
  }),
  shutdown: section('How the service ends on SIGTERM and SIGINT.', {
    drainSeconds: whole(90, 0, 3_600, 'How long the round of the runner in this process may take to its end.'),
  }),
});
export type Config = Static<typeof ConfigSchema>;
