import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ApiRefusal, ApiUnavailable } from '@pronghorn/core/client';
import { conditionNamed } from '@pronghorn/core/network';
import { type EvidencePolicy, type Lease, type LinkCheck, problemType, type VisitUpload } from '@pronghorn/core/schemas';
import { madeSpec } from '../../../core/fixtures/made-campaign.ts';
import type { Upload } from '../api/uploads.ts';
import type { Load } from '../engines/engine.ts';
import type { Evidence } from '../gather/evidence.ts';
import { bulkyEngine, standInEngine } from '../testing/stand-in-engine.ts';
import { KnownSites } from './known-sites.ts';
import { isLost } from './lease-tools.ts';
import { type LeaseOptions, performLease } from './perform-lease.ts';

test('a lease is lost when the api says so, or does not know it; what else it refuses is a failure, which is counted', () => {
  assert.ok(isLost(new ApiRefusal(409, 'It is lost.', problemType('lease-lost'))));
  assert.ok(isLost(new ApiRefusal(409, 'It has ended.', problemType('lease-ended'))));
  assert.ok(isLost(new ApiRefusal(404, 'There is no lease.', problemType('not-found'))));
  for (const kind of ['already-different', 'round-incomplete', 'invalid-visit'] as const)
    assert.ok(!isLost(new ApiRefusal(409, 'Not so.', problemType(kind))), kind);
  assert.ok(!isLost(new ApiRefusal(404, 'A proxy’s page.', '', true)), 'it is not the api’s word');
  assert.ok(!isLost(new ApiUnavailable('It does not answer.', null)));
});

test('a check that a load made is stored before its visit, and its refusal gives the round back rather than making the visit invalid', async () => {
  const lease = madeLease();
  const check: LinkCheck = {
    ...{ id: '00000000-0000-4000-8000-000000000000', checkedAt: '2026-03-01T12:00:00.000Z', condition: 'native', backend: 'veth' },
    ...{ kernel: '6.12', tcLines: [], rtt: null, up: null, down: null, faults: [] },
  };
  const performed = (deliver: (upload: Upload) => Promise<void>) =>
    performLease({
      ...usually(),
      lease,
      tools: {
        engine: standInEngine({ loadMs: 0, resources: 1 }),
        link: { ...idleLink, takeChecks: () => [check] },
      },
      deliver,
    });
  const stored: string[] = [];
  assert.deepEqual(await performed(async ({ what }) => void stored.push(what)), { watchedEqually: true });
  assert.deepEqual(stored, ['discovery', 'link check', 'environment', 'visit', 'link check', 'visit']);
  await assert.rejects(
    performed(async ({ what }) => {
      if (what === 'link check') throw new ApiRefusal(409, 'It has another check of this id.', problemType('already-different'));
    }),
    /It has another check of this id/,
  );
});

test('if an unavailable api does not list a campaign’s sites, none is discovered as another visitor than its own', async () => {
  const other = { ...shop, id: 'other', url: 'https://other.example/', visitor: { userAgent: 'other' } };
  let isAway = true;
  const known = new KnownSites({
    runner: 'here',
    events: {},
    api: {
      sites: async () => {
        if (!isAway) return [shop, other];
        isAway = false;
        throw new ApiUnavailable('It is away.', null);
      },
      discoveries: async function* () {},
    },
  });
  const usual = standInEngine({ loadMs: 0, resources: 1 });
  const loaded: [string, string | undefined][] = [];
  const perform = () =>
    performLease({
      ...usually(),
      lease: madeLease(),
      tools: {
        engine: {
          ...usual,
          load: (load) => {
            loaded.push([load.url, load.visitor?.visitor.userAgent]);
            return usual.load(load);
          },
        },
        link: idleLink,
      },
      known,
    });
  await perform();
  assert.deepEqual(new Set(loaded.map(([url]) => url)), new Set([shop.url]));
  await perform();
  assert.deepEqual(
    loaded.filter(([url]) => url === other.url),
    [[other.url, 'other']],
  );
});

test('evidence that is too large costs neither its visit nor the round, and is reported', async () => {
  const bulk = Array.from({ length: 600 }, () => 'x'.repeat(2 ** 20));
  const stored: string[] = [];
  const warned: string[] = [];
  const whole = await performLease({
    ...usually(),
    lease: madeLease(),
    tools: {
      // The first visit's evidence is longer than a string can be, the second's is refused.
      engine: bulkyEngine({ loadMs: 0, resources: 1 }, 2, bulk),
      link: idleLink,
    },
    deliver: async ({ what }) => {
      if (what === 'evidence') throw new ApiRefusal(413, 'It is longer than 64 MB.', problemType('body-too-large'));
      stored.push(what);
    },
    keepEvidence: true,
    events: { warned: (message) => warned.push(message) },
  });
  assert.deepEqual(whole, { watchedEqually: true });
  assert.deepEqual(
    stored.filter((what) => what === 'visit'),
    ['visit', 'visit'],
  );
  assert.match(warned[0] ?? '', /shop: The evidence of a visit is dropped: it is too large to store/);
  assert.match(
    warned[1] ?? '',
    /shop: The evidence of a visit is dropped, .* MB compressed: It is longer than 64 MB\. The visit itself is stored/,
  );
});

test('evidence is sent of the visits of which the campaign wants it', async () => {
  const sentUnder = async (evidence: EvidencePolicy) => {
    const sent: string[] = [];
    const lease = madeLease();
    const usual = standInEngine({ loadMs: 0, resources: 1 });
    let loads = 0;
    const end = { kind: 'load-timeout', afterMs: 1, openRequests: 1 } as const;
    await performLease({
      ...usually(),
      lease: { ...lease, spec: { ...lease.spec, evidence, limits: { ...lease.spec.limits, retries: 0 } } },
      tools: {
        // Load 1 is its discovery's.
        engine: {
          ...usual,
          load: async (load) => {
            const loaded = await usual.load(load);
            return ++loads === 2 ? { ...loaded, evidence: { ...loaded.evidence, end } } : loaded;
          },
        },
        link: idleLink,
      },
      deliver: async ({ what, body }) => {
        if (what === 'visit') sent.push((JSON.parse(body.toString()) as VisitUpload).outcome.verdict);
        if (what === 'evidence') sent.push(what);
      },
      keepEvidence: true,
    });
    return sent;
  };
  for (const policy of ['always', 'outliers', 'on-demand'] as const)
    assert.deepEqual(await sentUnder(policy), ['invalid', 'evidence', 'valid', 'evidence'], policy);
  assert.deepEqual(await sentUnder('invalid'), ['invalid', 'evidence', 'valid']);
  assert.deepEqual(await sentUnder('never'), ['invalid', 'valid']);
});

test('what the link counted is evidence, and no part of the record', async () => {
  const lease = madeLease();
  const links: VisitUpload['link'][] = [];
  const counted: unknown[] = [];
  const counters = { before: 'Sent 0 bytes', after: 'Sent 1514 bytes' };
  await performLease({
    ...usually(),
    lease,
    tools: {
      engine: standInEngine({ loadMs: 0, resources: 1 }),
      link: { ...idleLink, watch: () => async () => ({ refused: [], receiveDrops: 3, counters }) },
    },
    deliver: async ({ what, body }) => {
      if (what === 'visit') links.push((JSON.parse(body.toString()) as VisitUpload).link);
      if (what === 'evidence') counted.push((JSON.parse(gunzipSync(body).toString()) as { linkCounters: unknown }).linkCounters);
    },
    keepEvidence: true,
  });
  assert.deepEqual([links[0], counted[0]], [{ refused: [], receiveDrops: 3 }, counters]);
});

test('if netlogs are requested, the first round ends with one extra visit of each slot, with its log', async () => {
  const performed = async (number: number, visitor = {}) => {
    const lease = madeLease();
    const usual = standInEngine({ loadMs: 0, resources: 1 });
    const sent: string[] = [];
    const visits: VisitUpload[] = [];
    await performLease({
      ...usually(),
      lease: {
        ...lease,
        round: { ...lease.round, number },
        spec: { ...lease.spec, netlogs: true, evidence: 'invalid', ...visitor },
      },
      tools: {
        engine: {
          ...usual,
          load: async (load) => {
            const { evidence, environment } = await usual.load(load);
            if (load.netlog === undefined) return { evidence, environment };
            const busy = { ...evidence, cpu: { ownShare: 0, foreignShare: 1 }, throttledMs: 60_000 };
            const rawNetlog = [{ cat: 'netlog', name: 'QUIC_SESSION', ph: 'b', ts: 1, pid: 1, args: {} }];
            return {
              evidence: { ...busy, netlog: { version: 1, startUs: 0, events: [] } },
              environment,
              rawNetlog,
              trace: '{}',
            };
          },
        },
        link: idleLink,
      },
      deliver: async ({ what, path, body }) => {
        if (what === 'visit') visits.push(JSON.parse(body.toString()));
        if (what === 'evidence') sent.push(path.replace(visits.at(-1)?.id ?? '', 'ID'));
      },
      keepEvidence: true,
    });
    return { sent, visits };
  };
  const { sent, visits } = await performed(1);
  assert.deepEqual(
    visits.map(({ slot, position, retry, netlog }) => [slot, position, retry, netlog]),
    [
      [0, 0, 0, undefined],
      [1, 1, 0, undefined],
      [0, 2, 0, { findings: { connections: [], notOverH3: [] } }],
      [1, 3, 0, { findings: { connections: [], notOverH3: [] } }],
    ],
  );
  const ofExtra = ['/visits/ID/evidence', '/visits/ID/evidence/netlog', '/visits/ID/evidence/trace'];
  assert.deepEqual(sent, [...ofExtra, ...ofExtra]);
  assert.equal((await performed(2)).visits.length, 2);
  const ofVisitor = await performed(1, { visitor: { language: 'de' } });
  assert.deepEqual(
    ofVisitor.sent,
    ['/visits/ID/evidence', '/visits/ID/evidence'],
    'headers of visitors may be secrets: their whole log is not kept',
  );
});

test('visits are watched for what discovery saw late: after as long a pause, and until the clock says so', async () => {
  const usual = standInEngine({ loadMs: 0, resources: 1 });
  const limits: Load['limits'][] = [];
  await performLease({
    ...usually(),
    lease: { ...madeLease(), watch: { untilMs: 1_200, pauseMs: 0 } },
    tools: {
      engine: {
        ...usual,
        load: async (load) => {
          const { evidence, environment } = await usual.load(load);
          // The load of discovery was slow: what a timer showed 2,000 ms after the navigation seemed to come soon after it.
          const settled = { ms: 1_500, restMs: 4_000, workMs: 1_100, pauseMs: 900, wentOnMs: 2_000, busy: [], cut: false };
          return { evidence: limits.push(load.limits) === 1 ? { ...evidence, settled } : evidence, environment };
        },
      },
      link: idleLink,
    },
  });
  assert.deepEqual(
    limits.slice(1).map(({ quietMs, untilMs }) => [quietMs, untilMs]),
    [
      [1_125, 2_300],
      [1_125, 2_300],
    ],
  );
});

test('a visit that ended before it could see what another one of its round saw is made again, watched for as long', async () => {
  /** A page whose script asks for a picture 1,000 ms after the navigation; over slot 0 it is at rest before, over slot 1 after that. */
  const performed = async (lease: Lease, pictureAtMs: (untilMs: number) => number | null, settled?: Evidence['settled']) => {
    const usual = standInEngine({ loadMs: 0, resources: 1 });
    const visits: VisitUpload[] = [];
    let loads = 0;
    const end = await performLease({
      ...usually(),
      lease,
      tools: {
        engine: {
          ...usual,
          load: async (load) => {
            const { evidence, environment } = await usual.load(load);
            const [sent, answered, finished] = evidence.network;
            const isDiscovery = loads++ === 0;
            const [restMs, untilMs] = [loads % 2 === 0 ? 800 : 1_570, load.limits.untilMs ?? 0];
            const endMs = Math.max(restMs, untilMs);
            const late = pictureAtMs(untilMs);
            assert.ok(evidence.page !== null && sent?.method === 'Network.requestWillBeSent');
            const url = 'https://shop.example/late.png';
            const asked = {
              ...sent.params,
              requestId: 'late',
              timestamp: sent.params.timestamp + (late ?? 0) / 1_000,
              type: 'Image' as const,
            };
            const isSeen = !isDiscovery && late !== null && late <= endMs;
            const more = isSeen ? [{ ...sent, params: { ...asked, request: { ...asked.request, url } } }] : [];
            const network = [sent, answered, finished, ...more].filter((event) => event !== undefined);
            const page = { ...evidence.page, readAt: endMs };
            return { evidence: { ...evidence, network, page, ...(!isDiscovery && settled && { settled }) }, environment };
          },
        },
        link: idleLink,
      },
      deliver: async ({ what, body }) => {
        if (what === 'visit') visits.push(JSON.parse(body.toString()));
      },
    });
    return { end, visits: visits.map(({ slot, position, retry, watch }) => [slot, position, retry, watch]) };
  };
  const again = { untilMs: 1_200, pauseMs: 0, again: true };
  assert.deepEqual(await performed(madeLease(), () => 1_000), {
    end: { watchedEqually: true },
    visits: [
      [0, 0, 0, undefined],
      [1, 1, 0, undefined],
      [0, 2, 0, again],
    ],
  });
  const known = { ...again, again: false };
  assert.deepEqual(
    await performed({ ...madeLease(), watch: { untilMs: 1_200, pauseMs: 0 } }, () => 1_000),
    {
      end: { watchedEqually: true },
      visits: [
        [0, 0, 0, known],
        [1, 1, 0, known],
      ],
    },
    'the rest of the cell is watched from the start',
  );
  const { end, visits } = await performed(madeLease(), (untilMs) => (untilMs > 0 ? null : 1_000));
  assert.deepEqual([end, visits.length], [{ watchedEqually: true }, 3], 'it had the time, and did not show it');
  assert.deepEqual(
    (await performed(madeLease(), () => null)).visits,
    [
      [0, 0, 0, undefined],
      [1, 1, 0, undefined],
    ],
    'a page that shows nothing late pays nothing',
  );
  const toTheLimit = await performed(madeLease(), () => 1_000, { ms: madeLease().spec.limits.settleMaxMs, busy: ['paint'], cut: true });
  assert.deepEqual([toTheLimit.end, toTheLimit.visits.length], [{ watchedEqually: false }, 2], 'nobody watches for longer');
});

test('a round may begin with a load that does not count', async () => {
  const lease = madeLease();
  const usual = standInEngine({ loadMs: 0, resources: 1 });
  const [loads, visits]: [string[], VisitUpload[]] = [[], []];
  await performLease({
    ...usually(),
    lease: { ...lease, spec: { ...lease.spec, protocols: ['h1', 'h2'], prime: true }, round: { ...lease.round, order: [1, 0] } },
    tools: {
      engine: {
        ...usual,
        load: async (load) => {
          loads.push(load.protocol);
          return await usual.load(load);
        },
      },
      link: idleLink,
    },
    deliver: async ({ what, body }) => {
      if (what === 'visit') visits.push(JSON.parse(body.toString()));
    },
  });
  assert.deepEqual(loads, ['h2', 'h2', 'h2', 'h1'], 'the discovery, the load that does not count, and the visits');
  assert.deepEqual(
    visits.map(({ slot, position }) => [slot, position]),
    [
      [1, 0],
      [0, 1],
    ],
  );
});

test('before a warm round the link learns of the hosts that pages before the page have, and nothing of them before a cold one', async () => {
  const learned = async (view: 'cold' | 'warm') => {
    const lease = madeLease();
    const told: string[] = [];
    await performLease({
      ...usually(),
      lease: {
        ...lease,
        round: { ...lease.round, view },
        spec: { ...lease.spec, visitor: { after: ['/list', 'https://search.example/'] } },
      },
      tools: {
        engine: standInEngine({ loadMs: 0, resources: 1 }),
        link: {
          ...idleLink,
          beginRound: async (urls) => {
            told.push(...urls);
            return [];
          },
        },
      },
    });
    return told.filter((url) => /list|search/.test(url));
  };
  assert.deepEqual(await learned('warm'), ['https://shop.example/list', 'https://search.example/']);
  assert.deepEqual(await learned('cold'), []);
});

const idleLink: LeaseOptions['tools']['link'] = { prepare: async () => null, clear: async () => {}, watch: () => async () => null };

/** For a site of which nothing is known yet; nothing of it is kept. */
const usually = (): Omit<LeaseOptions, 'lease' | 'tools'> => ({
  known: new KnownSites({ runner: 'here', events: {}, api: { sites: async () => [shop], discoveries: async function* () {} } }),
  environments: new Set(),
  deliver: async () => {},
  keepEvidence: false,
  events: {},
  signal: new AbortController().signal,
});

const shop = { id: 'site', url: 'https://shop.example/', name: 'shop', expectStatus: 200 };

function madeLease(): Lease {
  const condition = conditionNamed('native');
  assert.ok(condition);
  const spec = madeSpec({ protocols: ['h2', 'h2'], rounds: 1, conditions: [condition] });
  spec.limits.foreignCpuShare = 1;
  const round = {
    ...{ id: 'round', campaignId: 'campaign', siteId: shop.id, condition: 'native', view: 'cold' as const, number: 1, order: [0, 1] },
    ...{ state: 'leased' as const, attempt: 1, reason: null, linkCheckId: null },
  };
  return { id: 'lease', expiresAt: '', heartbeatMs: 10_000, round, site: shop, spec };
}
