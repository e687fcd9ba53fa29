// The compose file as a newcomer starts it: built, healthy, measuring behind its link, and getting over a runner that dies.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { allItems } from '../../packages/core/src/client/index.ts';
import { proves, samples, thoroughly } from '../../packages/core/src/testing/proves.ts';
import { describeChrome } from './chrome.ts';
import { docker, noSettings, type Project } from './engine.ts';
import { describeGateway, type TryOutCertificate, tryOutCertificate } from './gateway.ts';
import { reasonToSkip } from './passed.ts';
import { processesOf, Running, until } from './running.ts';

describe('docker compose up', { ...proves('containers'), skip: await reasonToSkip(import.meta.filename) }, () => {
  let certificate: TryOutCertificate;
  let project: Project;
  let running: Running;

  before(async () => {
    certificate = await tryOutCertificate();
    project = await Running.prepare({ COMPOSE_PROFILES: 'gateway', ...certificate.env });
    await project.up('--scale', 'runner=2');
    running = await Running.open(project);
    await running.registered(2);
  });
  afterEach(async (t) => {
    if (project !== undefined && 'passed' in t && !t.passed)
      console.error((await project.compose('logs', '--no-color', '--tail', '40')).stdout);
  });
  after(async () => {
    await project?.down();
    certificate?.remove();
  });

  it('has compose files without a complaint', async () => {
    const runner = { PRONGHORN_API: 'https://pronghorn.example.com', PRONGHORN_LOCATION: 'fra' };
    for (const [options, env] of [
      [[], {}],
      [['--profile', '*'], {}],
      [['--file', 'docker/runner.yml'], runner],
      [onlyGateway, {}],
    ] as const) {
      const { stderr } = await docker(['compose', ...options, 'config', '--quiet'], { env: { ...noSettings, ...env } });
      assert.equal(stderr, '', options.join(' '));
    }
  });

  it('publishes the gateway alone with the file for that', async () => {
    const { stdout } = await docker(['compose', ...onlyGateway, 'config', '--format', 'json'], { env: noSettings });
    const { services } = JSON.parse(stdout) as { services: Record<string, { ports?: object[] }> };
    const published = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0);
    assert.deepEqual(
      published.map(([name]) => name),
      ['gateway'],
    );
  });

  it('is healthy, all of it', async () => {
    const { stdout } = await project.compose('ps', '--format', '{{.Service}} {{.Health}}');
    assert.deepEqual(stdout.trim().split('\n').sort(), [
      'api healthy',
      'gateway healthy',
      'origin healthy',
      'runner healthy',
      'runner healthy',
    ]);
  });

  it('publishes the service and the gateway, on the loopback alone', async () => {
    const { stdout } = await project.compose('ps', '--format', '{{.Ports}}');
    const published = stdout.split(/\n|, /).filter((port) => port.includes('->'));
    const gateway = `127.0.0.1:${project.gatewayPort}->8443`;
    assert.deepEqual(published.sort(), [`127.0.0.1:${project.port}->8080/tcp`, `${gateway}/tcp`, `${gateway}/udp`].sort());
  });

  it('serves as users without rights, from images that nobody can change', async () => {
    for (const [service, user] of [
      ['api', '10001'],
      ['origin', '10001'],
      ['gateway', '101'],
    ] as const) {
      const [container = ''] = await project.containers(service);
      // Not the test's own commands.
      const processes = (await processesOf(container)).filter(({ name }) => !['sh', 'cat'].includes(name));
      assert.ok(processes.length > 0, service);
      for (const { name, uid, effective, permitted, noNewPrivileges, seccomp } of processes)
        assert.deepEqual({ uid, effective, permitted, noNewPrivileges, seccomp }, { uid: user, ...rightless }, `${service}: ${name}`);
      const { stdout } = await docker(['exec', container, 'sh', '-c', 'touch /etc/new 2>&1 || true']);
      assert.match(stdout, /Read-only file system/, service);
    }
  });

  it('measures two conditions on two runners, each visit by its protocol', { timeout: 600_000 }, async () => {
    const visits = await running.measured();
    for (const condition of ['native', 'latency-50']) {
      for (const protocol of ['h2', 'h3'] as const) {
        const counted = visits.filter((visit) => visit.counted && visit.condition === condition && visit.protocol === protocol);
        assert.equal(counted.length, 2, `${protocol} under ${condition}: ${JSON.stringify(visits.map(({ outcome }) => outcome))}`);
        for (const { outcome } of counted) assert.equal(outcome.verdict === 'valid' && outcome.metrics[`${protocol}Share`], 1, protocol);
      }
    }
    const { runners } = await running.outside.ask('GET /runners/work', {});
    assert.equal(runners.filter(({ roundsDone }) => roundsDone > 0).length, 2, 'both runners took part');
  });

  it('has links that do what their conditions say, and pages that feel it', { timeout: 600_000 }, async (t) => {
    const visits = await running.measured();
    const id = visits[0]?.campaignId ?? '';
    const checks = await allItems((query) => running.outside.ask('GET /campaigns/{id}/link-checks', { id, query }));
    for (const [condition, requestedMs] of [
      ['native', 0],
      ['latency-50', 50],
    ] as const) {
      // A busy machine may spoil a check; then another one of the same round proves its link.
      const proven = checks.filter((check) => check.condition === condition && check.faults.length === 0);
      assert.ok(proven.length >= 2, `${condition}: ${JSON.stringify(checks)}`);
      for (const { rtt, backend } of proven) {
        assert.ok(
          rtt !== null && rtt.requestedMs === requestedMs && Math.abs(rtt.p50Ms - requestedMs) <= rtt.toleranceMs,
          JSON.stringify(rtt),
        );
        t.diagnostic(
          `${condition} by ${backend}: ${requestedMs} ms requested, RTT of ${rtt.p50Ms.toFixed(2)} ms measured, ±${rtt.toleranceMs} ms allowed`,
        );
      }
    }
    for (const { condition, outcome } of visits) {
      if (condition !== 'latency-50' || outcome.verdict !== 'valid') continue;
      // A handshake and a request: each takes a round trip at least.
      assert.ok((outcome.metrics.ttfb ?? 0) >= 2 * 48, `TTFB of ${outcome.metrics.ttfb} ms`);
    }
  });

  it('measures REST calls of the demo over all three protocols, each as the page’s server answers them', { timeout: 600_000 }, async () => {
    const visits = await running.visitsOf(
      await running.start({
        engine: 'transaction',
        protocols: ['h1', 'h2', 'h3'],
        conditions: ['latency-50'],
        rounds: 1,
        workload: { users: 2, requests: 5 },
      }),
    );
    const counted = visits.filter((visit) => visit.counted);
    assert.deepEqual(
      counted.map(({ protocol }) => protocol).sort(),
      ['h1', 'h2', 'h3'],
      JSON.stringify(visits.map(({ outcome }) => outcome)),
    );
    for (const { outcome, protocol } of counted) {
      assert.ok(outcome.verdict === 'valid' && 'latency' in outcome.metrics, JSON.stringify(outcome));
      const { requests, failedRequests, latency } = outcome.metrics;
      assert.deepEqual([requests, failedRequests, outcome.metrics[`${protocol}Share`]], [10, 0, 1], protocol);
      // A guest's clock that is short of CPU time may run ahead by some per cent.
      assert.ok(latency > 47, `${latency} ms`);
    }
  });

  describeChrome(() => running);
  describeGateway(() => ({ running, certificate }));

  it('leaves nothing behind in a runner: no dead process, no more than one link, little in /tmp', { timeout: 600_000 }, async (t) => {
    await running.measured();
    await running.visitsOf(await running.start({ conditions: ['latency-50'], rounds: samples(1, 4) }));
    for (const container of await project.containers('runner')) {
      // A process has ended for a moment before anybody learns of it.
      const left = await until(
        'no dead process',
        () => leftIn(container),
        ({ dead }) => dead === 0,
      );
      t.diagnostic(`${left.namespaces} network namespaces, ${left.temporaryKib} KiB in /tmp`);
      // The container's own, and of a link the visit's, the router's and the shaper's. A runner keeps its link for the next campaign.
      assert.ok(left.namespaces <= 4, `${left.namespaces} namespaces`);
      assert.ok(left.temporaryKib < 50 * 2 ** 10, `${left.temporaryKib} KiB`);
    }
  });

  it('loses nothing of a campaign when a runner is killed in the middle of a round', {
    ...thoroughly('containers', 'crashes'),
    timeout: 600_000,
  }, async () => {
    await running.measured();
    const campaign = await running.start({ conditions: ['latency-50'], rounds: 5 });
    const [victim = ''] = await project.containers('runner');
    const name = (await docker(['inspect', '--format', '{{.Config.Hostname}}', victim])).stdout.trim();
    // It is stopped first, so that it still has its round when it is killed.
    const pausedState = async () => {
      await docker(['pause', victim]);
      const state = (await running.runners()).find((runner) => runner.name === name)?.state;
      if (state !== 'busy') await docker(['unpause', victim]);
      return state;
    };
    await until(`${name} is stopped in a round`, pausedState, (state) => state === 'busy');
    await docker(['kill', victim]);
    const visits = await running.visitsOf(campaign);
    const rounds = await allItems((query) => running.outside.ask('GET /campaigns/{id}/rounds', { id: campaign.id, query }));
    assert.deepEqual(
      rounds.map(({ state }) => state),
      new Array(5).fill('done'),
    );
    assert.ok(
      rounds.some(({ attempt }) => attempt === 2),
      'the round that it had was done by the other one',
    );
    const counted = visits.filter((visit) => visit.counted).map(({ roundId, slot }) => `${roundId}/${slot}`);
    assert.deepEqual(counted.sort(), rounds.flatMap(({ id }) => [`${id}/0`, `${id}/1`]).sort());
  });
});

const onlyGateway = ['--file', 'docker-compose.yml', '--file', 'docker/only-gateway.yml', '--profile', 'gateway'];
const rightless = { effective: 0n, permitted: 0n, noNewPrivileges: true, seccomp: '2' };
async function leftIn(container: string): Promise<{ dead: number; namespaces: number; temporaryKib: number }> {
  const dead = (await processesOf(container)).filter(({ state }) => state.startsWith('Z'));
  const ask = 'readlink /proc/[0-9]*/ns/net 2> /dev/null | sort -u | wc -l; du -sk /tmp | cut -f1';
  const [namespaces, temporaryKib] = (await docker(['exec', container, 'sh', '-c', ask])).stdout.trim().split('\n').map(Number);
  return { dead: dead.length, namespaces: namespaces ?? 0, temporaryKib: temporaryKib ?? 0 };
}
