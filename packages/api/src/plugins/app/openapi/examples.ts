// What bodies look like, for who reads the document: one shop's checkout, from its campaign to who is told of it.
import type {
  Campaign,
  CampaignRequest,
  Condition,
  CreatedToken,
  Gate,
  GateAnswer,
  GateQuestion,
  GateRequest,
  KnownCondition,
  NotificationRequest,
  Problem,
  SavedNotificationTarget,
  Schedule,
  ScheduleRequest,
  TokenRequest,
} from '@pronghorn/core/schemas';

const site = { url: 'https://shop.example/checkout', name: 'Checkout' };

const campaignRequest: CampaignRequest = {
  name: 'Checkout on a phone',
  sites: [site],
  conditions: ['train'],
  protocols: ['h2', 'h3'],
  rounds: 20,
  seed: 20260301,
  annotations: { commit: '9f2c1d7', branch: 'main' },
};

const train: Condition = {
  name: 'train',
  description: 'On the train between two cities.',
  baseRttMs: 60,
  up: { rateKbps: 5_000 },
  down: { rateKbps: 12_000, loss: { model: 'independent', share: 0.01 } },
};

const campaign: Campaign = {
  id: '1',
  createdAt: '2026-03-01T12:00:00.000Z',
  finishedAt: null,
  createdBy: 'nightly build',
  createdByKind: 'token',
  priority: 'interactive',
  location: null,
  annotations: { commit: '9f2c1d7', branch: 'main' },
  state: 'running',
  spec: {
    name: 'Checkout on a phone',
    conditions: [train],
    protocols: ['h2', 'h3'],
    views: ['cold'],
    rounds: 20,
    engine: 'puppeteer',
    discovery: 'forced',
    isolation: 'auto',
    browser: 'chrome',
    primaryMetric: 'onLoad',
    margin: 0.05,
    adjustment: 'hommel',
    maximumRounds: null,
    seed: 20260301,
    limits: {
      loadTimeoutMs: 'auto',
      quietMs: 500,
      settleMaxMs: 15_000,
      retries: 2,
      foreignCpuShare: 0.2,
      maxRequests: 10_000,
      maxTransferBytes: 500_000_000,
    },
  },
  sites: [{ id: '1', ...site, expectStatus: 200 }],
  progress: { rounds: 20, roundsDone: 7, visitsValid: 14, visitsInvalid: 1 },
};

const gateRequest: GateRequest = {
  name: 'checkout',
  campaign: { sites: [site], conditions: ['train'], protocols: ['h2', 'h3'], rounds: 30 },
  rules: { assertions: ['onLoad p75 h3 <= 2.5 s', 'onLoad h3 <= h2 + 5 %'] },
};

const scheduleRequest: ScheduleRequest = {
  name: 'checkout, nightly',
  cron: '30 2 * * *',
  timeZone: 'Europe/Berlin',
  gate: 'checkout',
  campaign: { sites: [site], conditions: ['train'], rounds: 30 },
};

const notificationRequest: NotificationRequest = {
  name: 'web team',
  kind: 'webhook',
  url: 'https://hooks.example/pronghorn',
  events: ['gate-failed', 'regression-found'],
};

/** By the names of core's schemas. Their test sends the requests, and holds the answers against what comes of these. */
export const examples: {
  CampaignRequest: CampaignRequest[];
  Campaign: Campaign[];
  Condition: Condition[];
  KnownCondition: KnownCondition[];
  GateRequest: GateRequest[];
  Gate: Gate[];
  GateQuestion: GateQuestion[];
  GateAnswer: GateAnswer[];
  ScheduleRequest: ScheduleRequest[];
  Schedule: Schedule[];
  NotificationRequest: NotificationRequest[];
  SavedNotificationTarget: SavedNotificationTarget[];
  TokenRequest: TokenRequest[];
  CreatedToken: CreatedToken[];
  Problem: Problem[];
} = {
  CampaignRequest: [campaignRequest, { sites: [{ url: 'https://www.example.com/' }] }],
  Campaign: [campaign],
  Condition: [train],
  KnownCondition: [
    {
      ...train,
      preset: false,
      words: '+60 ms RTT, 12 Mbit/s down, 5 Mbit/s up, 1 % loss down',
      numbers: {
        rttMs: 60,
        up: { delayMs: 30, jitterMs: null, lossShare: 0, rateKbps: 5_000, queueBytes: 62_500 },
        down: { delayMs: 30, jitterMs: null, lossShare: 0.01, rateKbps: 12_000, queueBytes: 150_000 },
      },
    },
  ],
  GateRequest: [gateRequest],
  Gate: [
    { id: '1', createdAt: '2026-03-01T12:00:00.000Z', changedAt: '2026-03-01T12:00:00.000Z', createdBy: 'nightly build', ...gateRequest },
  ],
  GateQuestion: [
    {
      campaign: { sites: [site], protocols: ['h2', 'h3'], rounds: 30, annotations: { commit: '9f2c1d7', branch: 'main' } },
      assertions: ['onLoad p75 h3 <= 2.5 s', 'onLoad h3 <= h2 + 5 %'],
    },
    { campaignId: '1', gateId: '1' },
  ],
  GateAnswer: [
    {
      id: '2',
      campaignId: '1',
      gateId: '1',
      gate: 'checkout',
      askedAt: '2026-03-01T12:05:00.000Z',
      askedBy: 'nightly build',
      checkedAt: null,
      outcome: null,
      result: null,
    },
  ],
  ScheduleRequest: [scheduleRequest],
  Schedule: [
    {
      id: '1',
      ...scheduleRequest,
      timeZone: 'Europe/Berlin',
      gate: 'checkout',
      campaign: { ...scheduleRequest.campaign, priority: 'schedule' },
      paused: false,
      missed: 'run-once',
      jitterSeconds: 0,
      notifications: null,
      baselineRuns: 28,
      regressionThreshold: 0.1,
      createdAt: '2026-03-01T12:00:00.000Z',
      createdBy: 'nightly build',
      nextRuns: [2, 3, 4, 5, 6].map((day) => `2026-03-0${day}T01:30:00.000Z`),
      lastStart: null,
    },
  ],
  NotificationRequest: [notificationRequest],
  SavedNotificationTarget: [
    {
      id: '1',
      name: 'web team',
      kind: 'webhook',
      events: ['gate-failed', 'regression-found'],
      campaigns: 'all',
      enabled: true,
      origin: 'https://hooks.example',
      createdAt: '2026-03-01T12:00:00.000Z',
      waiting: 0,
      givenUp: 0,
      secret: 'whsec_an-example-and-nobody-signs-with-it',
    },
  ],
  TokenRequest: [{ name: 'nightly build', role: 'submitter', expiresAt: '2026-12-31T00:00:00Z' }],
  CreatedToken: [
    {
      id: '1',
      name: 'nightly build',
      role: 'submitter',
      createdAt: '2026-03-01T12:00:00.000Z',
      createdBy: 'the admin',
      expiresAt: '2026-12-31T00:00:00.000Z',
      scope: null,
      issuer: null,
      lastUsedAt: null,
      revokedAt: null,
      token: 'prg_an-example-that-opens-nothing',
    },
  ],
  Problem: [
    {
      type: 'urn:pronghorn:problem:invalid-campaign',
      status: 422,
      title: 'The campaign cannot be run',
      detail: '"ftp://www.example.com/" has the scheme ftp; expected https or http.',
      errors: [{ pointer: '#/sites/0/url', detail: '"ftp://www.example.com/" has the scheme ftp; expected https or http.' }],
    },
  ],
};
