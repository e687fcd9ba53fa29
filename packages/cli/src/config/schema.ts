// All settings of `pronghorn serve`: type, check, environment variables, the JSON Schema of the file and the table of docs/operation.md all come from
// here.
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
  numbers(defaultCampaignLimits[role], `Limits of campaigns of a token with the role ${role}.`, {
    maxSites: 'Sites of a campaign.',
    maxRounds: 'Rounds of a campaign: sites × conditions × views × rounds.',
    maxHours: 'Hours that one runner would need for a campaign.',
    maxUnfinished: 'Unfinished campaigns of one token, including those of schedules that it started by hand.',
    maxSchedules: 'Schedules of one token.',
  });

export const ConfigSchema = section('Settings of `pronghorn serve`. All are optional and have defaults.', {
  data: Type.String({ minLength: 1, default: '.pronghorn', description: 'Folder of the database and the evidence.' }),
  listen: section('The address of the service.', {
    host: Type.String({
      minLength: 1,
      default: '127.0.0.1',
      description: 'Address or name. One that others can reach needs access.kind tokens.',
    }),
    port: whole(8080, 0, 65_535, '0: any free port.'),
  }),
  allowedHosts: words('Host names by which clients may reach the service, besides localhost and addresses.'),
  trustedProxies: words('Addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted.'),
  access: section('Who may do what.', {
    kind: Type.Enum(['tokens', 'open'], {
      default: 'tokens',
      description: 'open: anyone who can reach the service is admin; on loopback only.',
    }),
    publicReading: yes(false, 'Lets everybody read without a token.'),
    publicLinkDays: days(null, 'Longest life of a public link to one result; null: there are none.'),
    allowNet: words('Networks that campaigns and webhooks may use although they are not public, such as 10.0.0.0/8.'),
    oidc: Type.Array(OidcRule, {
      default: [],
      maxItems: 100,
      description: 'Which GitHub and GitLab jobs act as which token: see docs/security.md.',
    }),
    sessionHours: whole(168, 1, 8_760, 'How long a browser stays signed in.'),
    rateLimits: numbers(defaultRateLimits, 'Requests a minute.', {
      withoutToken: 'For each address without a token.',
      viewer: 'For each token of this role.',
      submitter: 'For each token of this role.',
      runner: 'For each token of this role.',
      admin: 'For each token of this role.',
      failedSignIns: 'Wrong tokens from one address that are answered at all.',
    }),
    limits: section('Limits of a campaign.', { submitter: limits('submitter'), admin: limits('admin') }),
  }),
  calls: section('The servers that campaigns of REST calls may load, and how much: see docs/transactions.md.', {
    hosts: words('Hosts that may be loaded if they serve the token, such as api.example.org or *.example.org; with access open: any.'),
    limits: section('Limits of one run. One without a rate is bound by its users.', {
      users: whole(workloadLimits.users, 1, workloadLimits.users, 'Concurrent users, each with one request at a time.'),
      requestsPerSecond: whole(workloadLimits.requestsPerSecond, 1, workloadLimits.requestsPerSecond, 'For the mode rate.'),
      requests: whole(workloadLimits.requests, 1, workloadLimits.requests, 'Of all users together, for the modes count and rate.'),
      seconds: whole(workloadLimits.seconds, 1, workloadLimits.seconds, 'Length of a run, whatever ends it.'),
      bodyBytes: whole(workloadLimits.bodyBytes, 0, workloadLimits.bodyBytes, 'Size of each request body.'),
    }),
  }),
  queue: section('How runners lease rounds.', {
    leaseMs: whole(60_000, 5_000, 3_600_000, 'How long a lease lasts without a heartbeat.'),
    maxOpenRounds: whole(defaultQueueOptions.maxOpenRounds, 1, 1e9, 'Rounds of all campaigns that may be queued and leased at once.'),
    idleSeconds: whole(defaultQueueOptions.idleSeconds, 1, 3_600, 'How long a runner without work waits before it asks again.'),
    agingMs: whole(
      defaultQueueOptions.agingMs,
      1_000,
      1e9,
      'After this time, a waiting campaign is as urgent as the next higher priority.',
    ),
    turnMs: whole(defaultQueueOptions.turnMs, 0, 1e9, 'How long a runner stays with a campaign before it serves another of its priority.'),
    runnerHeartbeatMs: whole(
      defaultRunnersOptions.heartbeatMs,
      1_000,
      600_000,
      'How often runners send a heartbeat; after three missed ones, a runner is lost.',
    ),
  }),
  schedules: section('Campaigns that start by themselves.', {
    enabled: yes(true, 'Starts them in this process. Several processes may: each start happens once.'),
    minimumIntervalSeconds: whole(300, 1, 86_400, 'Minimum time between two starts of a schedule, as clocks show it.'),
  }),
  notifications: section('Webhooks and Slack messages.', {
    enabled: yes(true, 'Sends them from this process. Several processes may: each message is sent once.'),
    publicUrl: Type.Union([Type.String({ pattern: '^https?://', maxLength: 1_000 }), Type.Null()], {
      default: null,
      description: 'Public URL of this service, for links in messages; null: no links.',
    }),
  }),
  evidence: section('Storage for evidence beside the records of visits: frames, netlogs, videos.', {
    budgetMb: Type.Union([Type.Integer({ minimum: 1, maximum: 1e9 }), Type.Null()], {
      default: null,
      description: 'Limit of all evidence, megabytes; the least useful is removed first. null: no limit.',
    }),
  }),
  retention: section('How long data is kept. Visits with their metrics, summaries and results stay for ever.', {
    enabled: yes(true, 'Removes expired data in this process, once a day. Several processes may: one does it.'),
    resourcesDays: days(null, 'Requests of each visit, and with them its HAR; null: for ever.'),
    evidenceDays: days(null, 'Raw evidence of each visit; null: for ever.'),
    logDays: days(null, 'Lines of campaigns’ logs, except the last; null: for ever.'),
  }),
  runner: section('A runner in the service’s own process.', {
    enabled: yes(false, 'Runs one. Fine to start with; machines that measure should do nothing else.'),
    name: Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
      default: null,
      description: 'null: the machine’s name.',
    }),
    location: Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
      default: null,
      description: 'Its location; null: none in particular.',
    }),
    link: Type.Enum([...linkChoices], { default: 'auto', description: 'As --link of measure.' }),
    allowNet: words('Networks that visits may reach although they are not public.'),
    fence: yes(true, 'Limits visits over the link direct to public addresses; with access open there is no such limit.'),
    congestionControl: Type.String({
      minLength: 1,
      default: defaultCongestionControl,
      description: 'TCP congestion control at both ends of the link.',
    }),
    keepEvidence: yes(true, 'Stores the raw evidence of each visit (about 50 KB).'),
  }),
  log: section('The service’s own log, on standard output.', {
    level: Type.Enum([...logLevels], { default: 'info', description: 'Lowest level that is logged; debug has every request.' }),
    pretty: Type.Enum(['auto', 'always', 'never'], { default: 'auto', description: 'Text instead of JSON; auto: on a terminal.' }),
  }),
  metrics: section('Metrics for Prometheus at /metrics.', {
    access: Type.Enum(['token', 'anyone', 'own-port'], {
      default: 'token',
      description: 'Who may read them: any token that may read; everybody; or everybody, but only on a separate port.',
    }),
    host: Type.String({ minLength: 1, default: '127.0.0.1', description: 'With own-port: its address.' }),
    port: whole(9464, 0, 65_535, 'With own-port: the port.'),
  }),
  storage: section('How the database is written.', {
    checkpoints: Type.Enum(['service', 'elsewhere'], {
      default: 'service',
      description: 'Who moves the write-ahead log into the database; elsewhere: Litestream, which must be the only one.',
    }),
  }),
  readiness: section('When /readyz succeeds.', {
    minFreeMb: whole(500, 0, 1e9, 'Minimum free space on the disk of the data folder, megabytes.'),
  }),
  shutdown: section('How the service ends on SIGTERM and SIGINT.', {
    drainSeconds: whole(90, 0, 3_600, 'How long the runner in this process may take to finish its round.'),
  }),
});
export type Config = Static<typeof ConfigSchema>;
