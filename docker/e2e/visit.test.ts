// A container for each visit, by the command that the documentation has: a round behind a link of its own in each, of which nothing is left.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type LabElsewhere, labOfFile } from '../../packages/cli/src/service/runner.ts';
import { madeSpec } from '../../packages/core/fixtures/made-campaign.ts';
import { conditionNamed } from '../../packages/core/src/network/index.ts';
import type { Lease, LinkCheck, VisitUpload } from '../../packages/core/src/schemas/index.ts';
import { proves, thoroughly } from '../../packages/core/src/testing/proves.ts';
import type { Executor } from '../../packages/runner/src/lease/executor.ts';
import { KnownSites } from '../../packages/runner/src/lease/known-sites.ts';
import { type LeaseOptions, performLease } from '../../packages/runner/src/lease/perform-lease.ts';
import { commandExecutor } from '../../packages/runner/src/visit-command/command-executor.ts';
import { surveyVisitCommand } from '../../packages/runner/src/visit-command/visit-command.ts';
import { docker, label, type Project } from './engine.ts';
import { reasonToSkip } from './passed.ts';
import { Running, until } from './running.ts';
import { documentedVisitCommand, visitLabel } from './visit-command.ts';

const shop = 'https://shop.pronghorn.test:4433/';

describe('docker run … visit', { ...proves('containers', 'isolation'), skip: await reasonToSkip(import.meta.filename) }, () => {
  let project: Project;
  let lab: LabElsewhere;
  let command: string;
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-visit-'));

  before(async () => {
    project = await Running.prepare();
    await project.up('origin');
    writeFileSync(join(folder, 'lab.json'), await project.exec('origin', 'cat', '/lab/lab.json'));
    lab = labOfFile(join(folder, 'lab.json'));
    command = documentedVisitCommand(project, 'pronghorn-test');
  });
  after(async () => {
    await project?.down();
    rmSync(folder, { recursive: true, force: true });
  });

  const visits = async () =>
    (
      await docker(['ps', '--all', '--quiet', '--filter', `label=${visitLabel}`, '--filter', `label=${label}=${project.name}`])
    ).stdout.trim();
  const executor = async (by = command) => {
    const containers = await surveyVisitCommand(by, 'auto', 'fenced');
    return commandExecutor(
      by,
      { choice: 'auto', allowNet: lab.addresses, fencing: 'fenced', congestionControl: 'cubic', lab: lab.lab },
      containers,
    );
  };

  for (const [condition, rttMs] of [
    ['native', 0],
    ['latency-50', 50],
  ] as const) {
    it(`performs a round under ${condition}, proves the link before each load, and leaves no container`, {
      timeout: 600_000,
      ...(condition === 'native' ? thoroughly('containers', 'isolation') : {}),
    }, async (t) => {
      const place = await executor();
      t.after(() => place.close());
      const { uploads, checks } = await performed(place, leaseOf(condition));
      assert.deepEqual(
        uploads.map(({ protocol, outcome }) => [protocol, outcome.verdict]),
        [
          ['h2', 'valid'],
          ['h3', 'valid'],
        ],
        JSON.stringify(uploads.map(({ outcome }) => outcome)),
      );
      // A guest's clock that is short of CPU time may run ahead by some per cent.
      for (const { outcome, protocol } of uploads)
        assert.ok(
          outcome.verdict === 'valid' && outcome.metrics.ttfb > (protocol === 'h3' ? 2 : 3) * 0.95 * rttMs,
          JSON.stringify(outcome),
        );
      assert.ok(checks.length >= 3 && checks.every(({ rtt }) => rtt?.requestedMs === rttMs), JSON.stringify(checks));
      assert.equal(await visits(), '');
      t.diagnostic(`seconds of each visit: ${uploads.map(({ wallMs }) => (wallMs / 1_000).toFixed(1)).join(', ')}`);
    });
  }

  it('finds a visit invalid that a limit on CPU time kept waiting', { timeout: 600_000 }, async (t) => {
    const place = await executor(command.replace('docker run ', 'docker run --cpus 0.5 '));
    t.after(() => place.close());
    const { uploads } = await performed(place, leaseOf('native'));
    for (const { outcome } of uploads) {
      assert.ok(outcome.verdict === 'invalid', JSON.stringify(outcome));
      assert.equal(outcome.reason, 'busy-machine');
      assert.match(outcome.detail, /^A limit on the runner’s CPU time stopped it for \d+ ms during the visit/);
    }
    assert.ok(uploads.length > 0);
  });

  for (const [what, proven] of [
    ['discovery', false],
    ['load', true],
  ] as const) {
    it(`breaks a ${what} off when the runner stops, and leaves no container of that`, { timeout: 600_000 }, async () => {
      const place = await executor();
      const stop = new AbortController();
      const checked = Promise.withResolvers<void>();
      const round = performed(place, leaseOf('native'), { signal: stop.signal, events: { checked: () => checked.resolve() } });
      const end = round.then(
        ({ uploads }) => uploads.map(({ outcome }) => outcome.verdict).join(),
        (error: Error) => error.message,
      );
      if (proven) await Promise.race([checked.promise, round]);
      await until('a container for the visit', visits, (containers) => containers !== '');
      stop.abort();
      await place.close();
      assert.match(await end, proven ? /^$/ : /was stopped/);
      assert.equal(await visits(), '');
    });
  }
});

async function performed(
  place: Executor,
  lease: Lease,
  { signal, events }: Partial<Pick<LeaseOptions, 'signal' | 'events'>> = {},
): Promise<{ uploads: VisitUpload[]; checks: LinkCheck[] }> {
  const [uploads, checks]: [VisitUpload[], LinkCheck[]] = [[], []];
  await performLease({
    lease,
    tools: await place.open(lease),
    known: new KnownSites({ runner: 'test', events: {}, api: { sites: async () => [lease.site], discoveries: async function* () {} } }),
    environments: new Set(),
    deliver: async ({ what, body }) => {
      const into: Record<string, unknown[]> = { visit: uploads, 'link check': checks };
      into[what]?.push(JSON.parse(body.toString()));
    },
    keepEvidence: false,
    events: events ?? {},
    signal: signal ?? new AbortController().signal,
  });
  return { uploads, checks };
}

function leaseOf(name: string): Lease {
  const condition = conditionNamed(name);
  assert.ok(condition);
  const site = { id: 'site', url: shop, name: 'shop', expectStatus: 200 };
  const spec = madeSpec({ protocols: ['h2', 'h3'], rounds: 1, conditions: [condition], isolation: 'container' });
  spec.limits.foreignCpuShare = 1;
  const round = {
    ...{ id: 'round', campaignId: 'campaign', siteId: site.id, condition: name, view: 'cold' as const, number: 1, order: [0, 1] },
    ...{ state: 'leased' as const, attempt: 1, reason: null, linkCheckId: null },
  };
  return { id: 'lease', expiresAt: '', heartbeatMs: 10_000, round, site, spec };
}
