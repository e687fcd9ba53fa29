// The compose file as a newcomer starts it: built, healthy, measuring, and keeping Chrome where it belongs.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Campaign, LinkCheck, Round, Runner, RunnersWork, Visit } from '../../packages/core/src/index.ts';
import { docker, missingEngine, Project } from './engine.ts';
import { Outside } from './outside.ts';

const missing = await missingEngine();
const shop = 'https://shop.pronghorn.test:4433/';
/** Two runners on two cores are each other's noise, and what is tested here is not how fast a page is. */
const whatever = { sites: [{ url: shop }], protocols: ['h2', 'h3'], limits: { foreignCpuShare: 1 } } as const;

describe('docker compose up', { skip: missing ?? false }, () => {
  const project = new Project();
  let outside: Outside;

  before(async () => {
    await project.compose('build');
    await project.compose('up', '--detach', '--wait', '--wait-timeout', '180', '--scale', 'runner=2');
    outside = await Outside.open('pronghorn-test/api:dev', `http://localhost:${project.port}`);
    outside.token = (await project.exec('api', 'pronghorn', 'token', 'create', '--role', 'admin', '--name', 'test')).trim();
  });
  after(async () => {
    await outside?.close();
    await project.down();
  });

  it('has a compose file without a complaint', async () => {
    assert.equal((await project.compose('--profile', 'gateway', 'config', '--quiet')).stderr, '');
  });

  it('publishes one port, on the loopback alone', async () => {
    const { stdout } = await docker(['ps', '--filter', `label=com.docker.compose.project=${project.name}`, '--format', '{{.Ports}}']);
    const published = stdout.split('\n').filter((line) => line.includes('->'));
    assert.deepEqual(published, [`127.0.0.1:${project.port}->8080/tcp`]);
  });

  it('measures two conditions on two runners, each visit by its protocol, and a link that was proven', async () => {
    const campaign = await outside.ask<Campaign>('POST', '/campaigns', {
      ...whatever,
      conditions: ['native', 'latency-50'],
      rounds: 4,
    });
    await done(campaign.id);
    const visits = await outside.all<Visit>(`/campaigns/${campaign.id}/visits`);
    const counted = visits.filter((visit) => visit.counted);
    for (const condition of ['native', 'latency-50']) {
      for (const protocol of ['h2', 'h3']) {
        const found = counted.filter((visit) => visit.condition === condition && visit.protocol === protocol);
        assert.equal(found.length, 4, `${protocol} under ${condition}: ${JSON.stringify(visits.map(({ outcome }) => outcome))}`);
      }
    }
    const checks = await outside.all<LinkCheck>(`/campaigns/${campaign.id}/link-checks`);
    const delayed = checks.filter(({ condition }) => condition === 'latency-50');
    assert.equal(
      delayed.some(({ faults }) => faults.length === 0),
      true,
      'no check of latency-50 passed',
    );
    const { runners } = await outside.ask<RunnersWork>('GET', '/runners/work');
    assert.equal(runners.filter(({ roundsDone }) => roundsDone > 0).length, 2, 'both runners took part');
  });

  it('runs Chrome as a user of its own, without capabilities, in its sandbox, and lets it reach the origin alone', async () => {
    const campaign = await outside.ask<Campaign>('POST', '/campaigns', { ...whatever, rounds: 30 });
    const { container, chrome } = await firstOf(async () => {
      for (const container of await project.containers('runner')) {
        const [chrome] = await chromesOf(container);
        if (chrome !== undefined) return { container, chrome };
      }
    });
    const { pid, ...rights } = chrome;
    assert.deepEqual(rights, { uid: '47813', effective: 0, permitted: 0, noNewPrivileges: '1', seccomp: '2' });
    const addressOf = async (service: string, network: string) => {
      const [id = ''] = await project.containers(service);
      const format = `{{(index .NetworkSettings.Networks "${project.name}_${network}").IPAddress}}`;
      return (await docker(['inspect', '--format', format, id])).stdout.trim();
    };
    const api = await addressOf('api', 'service');
    assert.equal(await connects(container, [], api, 8080), true, 'the runner itself reaches the service');
    const fromPage = ['nsenter', `--net=/proc/${pid}/ns/net`, '--'];
    assert.equal(await connects(container, fromPage, '172.31.125.112', 4433), true, 'a page reaches the origin');
    for (const [address, port] of [
      [api, 8080],
      [await addressOf('origin', 'lab'), 4433],
      ['172.31.125.1', 22],
    ] as const) {
      assert.equal(await connects(container, fromPage, address, port), false, `a page reaches ${address}:${port}`);
    }
    await outside.ask('POST', `/campaigns/${campaign.id}/cancel`);
  });

  it('loses nothing of a campaign when a runner is killed in the middle of a round', async () => {
    const campaign = await outside.ask<Campaign>('POST', '/campaigns', {
      sites: [{ url: shop }],
      protocols: ['h2', 'h3'],
      conditions: ['native'],
      rounds: 20,
    });
    const [victim = ''] = await project.containers('runner');
    const name = (await docker(['inspect', '--format', '{{.Config.Hostname}}', victim])).stdout.trim();
    await firstOf(async () => (await outside.all<Runner>('/runners')).find((runner) => runner.name === name && runner.state === 'busy'));
    await docker(['kill', victim]);
    await done(campaign.id);
    const rounds = await outside.all<Round>(`/campaigns/${campaign.id}/rounds`);
    assert.equal(rounds.filter(({ state }) => state === 'done').length, 20);
  });

  it('goes on with its data after its container was made anew', async () => {
    const before = (await outside.all<Campaign>('/campaigns')).map(({ id }) => id);
    await project.compose('up', '--detach', '--wait', '--force-recreate', '--no-deps', 'api');
    assert.deepEqual(
      (await outside.all<Campaign>('/campaigns')).map(({ id }) => id),
      before,
    );
  });

  async function done(id: string): Promise<void> {
    await firstOf(async () => {
      const { state } = await outside.ask<Campaign>('GET', `/campaigns/${id}`);
      return state === 'done' ? true : undefined;
    });
  }
});

/** Asks until there is an answer; the test's own time limit ends it. */
async function firstOf<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await delay(250);
  }
}

interface Rights {
  uid: string;
  effective: number;
  permitted: number;
  noNewPrivileges: string;
  seccomp: string;
}

/** What the kernel says of the browsers' main processes in a container. */
async function chromesOf(container: string): Promise<(Rights & { pid: string })[]> {
  const script = `
    const fs = require('fs');
    const found = fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).flatMap((pid) => {
      try {
        const line = fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8');
        if (!line.startsWith('/usr/lib/chromium/') || line.includes('--type=')) return [];
        const status = Object.fromEntries(fs.readFileSync('/proc/' + pid + '/status', 'utf8').split('\\n').map((row) => row.split(/:\\s+/)));
        return [{
          pid, uid: status.Uid.split('\\t')[0], effective: parseInt(status.CapEff, 16), permitted: parseInt(status.CapPrm, 16),
          noNewPrivileges: status.NoNewPrivs, seccomp: status.Seccomp,
        }];
      } catch {
        return [];
      }
    });
    console.log(JSON.stringify(found));`;
  return JSON.parse((await docker(['exec', container, 'node', '-e', script])).stdout);
}

/** Whether a TCP connection comes about from a container, or from a namespace in it. */
async function connects(container: string, enter: readonly string[], address: string, port: number): Promise<boolean> {
  const script = `
    const socket = require('net').connect({ host: '${address}', port: ${port}, timeout: 3000 });
    const end = (answer) => { console.log(answer); process.exit(); };
    socket.on('connect', () => end(true)).on('error', () => end(false)).on('timeout', () => end(false));`;
  return JSON.parse((await docker(['exec', container, ...enter, 'node', '-e', script])).stdout);
}
