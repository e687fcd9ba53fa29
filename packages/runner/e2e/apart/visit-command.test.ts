// Each visit by a command of its own, as a container would be: here a child process, with a real Chrome behind a real link.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { conditionNamed } from '@pronghorn/core/network';
import type { Condition, Environment, Lease, LinkCheck, SiteDiscovery, Step, VisitUpload } from '@pronghorn/core/schemas';
import { isThorough, proves, quickBrowser, thoroughly } from '@pronghorn/core/testing';
import { hostAddresses, type Origin, startOrigin } from '@pronghorn/origin';
import { madeSpec } from '../../../core/fixtures/made-campaign.ts';
import type { Executor } from '../../src/lease/executor.ts';
import { KnownSites } from '../../src/lease/known-sites.ts';
import { performLease } from '../../src/lease/perform-lease.ts';
import { surveyBackends } from '../../src/link/backends.ts';
import { Namespace } from '../../src/link/net/namespace.ts';
import { run } from '../../src/machine/run.ts';
import { commandExecutor } from '../../src/visit-command/command-executor.ts';
import { onMachine, traces } from '../egress-bench.ts';

const main = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url));
/** Private: visits reach it only since it is allowed. */
const prefix = '172.31.155.';
const secret = 'correct horse battery staple';
const headers = [{ name: 'X-Pass', value: 'secret:pass' }];
/** Each visit has a command, a link and a Chrome of its own. */
const protocols = isThorough ? (['h2', 'h3'] as const) : (['h3'] as const);

const survey = await surveyBackends();
const shapes = survey.some(({ name, can }) => (name === 'netem' || name === 'guest') && can === true);

await onMachine(import.meta.filename, 'each visit by a command of its own', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pronghorn-visit-command-'));
  let network: Namespace;
  let origin: Origin;
  before(async () => {
    network = await originNetwork();
    origin = await startOrigin({ directory, place: { enter: network.enter, addressPrefix: prefix } });
  });
  after(async () => {
    await origin?.stop();
    await network?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const executor = (before = '') =>
    commandExecutor(
      `${before} exec '${process.execPath}' '${main}' visit`,
      {
        choice: 'auto',
        allowNet: [`${prefix}0/24`],
        fencing: 'fenced' as const,
        congestionControl: 'cubic',
        lab: { trust: origin.trust, settings: origin.settings, serves: (hostname) => hostname.endsWith('.pronghorn.test') },
      },
      { backends: survey.filter(({ can }) => can === true).map(({ name }) => name) },
    );

  const shaped = shapes ? 'latency-50' : 'native';
  for (const name of shapes ? (['latency-50', 'native'] as const) : (['native'] as const)) {
    test(
      `under ${name}: proven protocols, a link proven before each load, and a secret in no argument and no variable`,
      name === shaped ? proves('isolation', 'link-check', 'secrets') : thoroughly('isolation'),
      async (t) => {
        const seen = join(directory, `seen-${name}`);
        const place = executor(tellingWords(seen));
        t.after(() => place.close());
        const given = leaseOf(origin, name);
        const first = await performed(t, place, { ...given, spec: { ...given.spec, visitor: { headers } } });
        assert.deepEqual(
          first.discoveries.map(({ failure }) => failure),
          [null],
        );
        const [visits, checks] = counted(first);
        assert.deepEqual(
          visits.map(({ outcome, protocol }) => [protocol, outcome.verdict]),
          protocols.map((protocol) => [protocol, 'valid']),
          JSON.stringify(first.visits.map(({ outcome }) => outcome)),
        );
        assert.ok(visits.every(({ link }) => link?.refused.length === 0 && Number.isInteger(link.receiveDrops)));
        const rttMs = name === 'native' ? 0 : 50;
        assert.ok(
          checks.every(({ rtt }) => rtt?.requestedMs === rttMs),
          JSON.stringify(first.checks),
        );
        const whole = checks.filter(({ down }) => down !== null);
        assert.ok(whole.length >= 1 && checks.length - whole.length >= visits.length, 'a whole proof, and round trips for each visit');
        // Of the document's request alone: Chrome may connect before the navigation begins. A guest's clock may run ahead by some per cent.
        for (const { outcome, resources } of visits) {
          const { sendMs, waitMs } = resources[0] ?? {};
          assert.ok((sendMs ?? 0) + (waitMs ?? 0) > 0.94 * rttMs, JSON.stringify([outcome, sendMs, waitMs]));
        }
        assert.equal(await traces(), '', 'nothing of a link is left');
        tellsNothing(seen, first);

        if (!isThorough) return;
        const second = await performed(t, place, given, first.known);
        // One that did not match is proven whole again.
        if (second.checks.every(({ faults }) => faults.length === 0))
          assert.ok(
            second.checks.every(({ down }) => down === null),
            'what was proven is not proven again',
          );
        const environments = (all: typeof first) => counted(all)[0].map(({ environmentId }) => environmentId);
        assert.deepEqual(environments(second), environments(first));
        t.diagnostic(
          `seconds of each visit: ${[...first.visits, ...second.visits].map(({ wallMs }) => (wallMs / 1_000).toFixed(1)).join(', ')}`,
        );
      },
    );
  }

  test(
    'a visitor’s steps and secrets reach the command by its standard input, and what fails there keeps its reason',
    thoroughly('visitors'),
    async (t) => {
      const seen = join(directory, 'seen');
      const place = executor(tellingWords(seen));
      t.after(() => place.close());
      const leaseFor = (steps: Step[]): Lease => {
        const lease = leaseOf(origin, 'native');
        return { ...lease, round: { ...lease.round, order: [0] }, spec: { ...lease.spec, protocols: ['h2'], visitor: { headers, steps } } };
      };
      const good = await performed(t, place, leaseFor([{ goto: '/' }, { waitFor: 'h1' }, { cookie: 'id', value: 'secret:pass' }]));
      const [visit] = good.visits;
      assert.deepEqual(
        [visit?.outcome.verdict, good.visits.length],
        ['valid', 1],
        JSON.stringify(good.visits.map(({ outcome }) => outcome)),
      );
      const bad = await performed(t, place, leaseFor([{ goto: '/' }, { waitFor: '#none', atMostMs: 100 }]));
      const [failed] = bad.visits.map(({ outcome }) => outcome);
      assert.ok(failed?.verdict === 'invalid' && failed.reason === 'step-failed', JSON.stringify(failed));
      assert.match(failed.detail, /^Step 2 \(wait for #none\) failed: nothing matches #none after 100 ms\. The tab is at https:/);
      tellsNothing(seen, good);
    },
  );
});

/** The visits that stand, by slot, and the checks that found the link as asked for. What other work disturbs is discarded and repeated. */
function counted({ visits, checks }: Awaited<ReturnType<typeof performed>>): [VisitUpload[], LinkCheck[]] {
  const last = new Map(visits.map((visit) => [visit.slot, visit]));
  return [[...last.values()].sort((a, b) => a.slot - b.slot), checks.filter(({ faults }) => faults.length === 0)];
}

/** For the shell, before the command: writes into a file what others of the machine may read of a process. */
const tellingWords = (file: string) => `{ env; ps -ww -eo args; } >> '${file}';`;

/** The secret stands neither there nor in what is sent to the service. */
function tellsNothing(file: string, { visits, environments, discoveries }: Awaited<ReturnType<typeof performed>>): void {
  const written = readFileSync(file, 'utf8');
  assert.match(written, /^PATH=.*visit$/ms);
  for (const text of [written, JSON.stringify([visits, environments, discoveries])]) assert.ok(!text.includes(secret));
}

/** A network beside the machine, where the origin's hosts have an address each. */
async function originNetwork(): Promise<Namespace> {
  const network = await Namespace.create('origin');
  await run(['ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', `${network.pid}`]);
  await run(['ip', 'address', 'add', `${prefix}1/24`, 'dev', 'eth0']);
  await run(['ip', 'link', 'set', 'eth0', 'up']);
  for (const address of hostAddresses({ enter: [], addressPrefix: prefix }))
    await network.run(['ip', 'address', 'add', `${address}/24`, 'dev', 'eth0']);
  await network.run(['ip', 'link', 'set', 'eth0', 'up']);
  await network.run(['ip', 'route', 'add', 'default', 'via', `${prefix}1`]);
  return network;
}

/**
 * A round as a runner performs it, and what it would have sent. A link that other work delays is refused, and so is a probe that was kept waiting:
 * a runner gives its round back then, and somebody asks anew.
 */
async function performed(t: TestContext, ...given: Parameters<typeof performedOnce>): ReturnType<typeof performedOnce> {
  for (let left = 4; ; left--) {
    try {
      return await performedOnce(...given);
    } catch (error) {
      if (left === 0 || !/does not match condition|own receiver/.test(String(error))) throw error;
      t.diagnostic(`asked anew, since the link was refused: ${error}`);
    }
  }
}

async function performedOnce(
  place: Executor,
  lease: Lease,
  known = new KnownSites({ runner: 'test', events: {}, api: { sites: async () => [lease.site], discoveries: async function* () {} } }),
) {
  const [visits, checks, discoveries]: [VisitUpload[], LinkCheck[], SiteDiscovery[]] = [[], [], []];
  const environments: Environment[] = [];
  const whole = await performLease({
    lease,
    tools: await place.open(lease),
    known,
    environments: new Set(),
    deliver: async ({ what, body }) => {
      const into: Record<string, unknown[]> = { visit: visits, 'link check': checks, discovery: discoveries, environment: environments };
      into[what]?.push(JSON.parse(body.toString()));
    },
    keepEvidence: false,
    secretOf: async () => ({ value: secret, hosts: null }),
    events: {},
    signal: new AbortController().signal,
  });
  assert.ok(whole);
  return { visits, checks, discoveries, environments, known };
}

function leaseOf({ sites }: Origin, condition: string): Lease {
  const url = sites.find(({ name }) => name === 'article')?.url ?? '';
  const site = { id: 'site', url, name: 'article', expectStatus: 200 };
  const conditions = [conditionNamed(condition) as Condition];
  const spec = madeSpec({ protocols: [...protocols], rounds: 1, conditions, isolation: 'container', browser: quickBrowser });
  Object.assign(spec.limits, { foreignCpuShare: 1, quietMs: 100, retries: 4 });
  const round = {
    ...{
      id: 'round',
      campaignId: 'campaign',
      siteId: site.id,
      condition,
      view: 'cold' as const,
      number: 1,
      order: protocols.map((_, slot) => slot),
    },
    ...{ state: 'leased' as const, attempt: 1, reason: null, linkCheckId: null },
  };
  return { id: 'lease', expiresAt: '', heartbeatMs: 10_000, round, site, spec };
}
