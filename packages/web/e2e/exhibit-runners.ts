// The exhibit's runners, what they ran on, and what is beside campaigns.
import { randomUUID } from 'node:crypto';
import { type Environment, type Runner, runnerProtocol } from '@pronghorn/core/schemas';
import type { Service } from './service.ts';

/** Runners of every state, a condition of one's own, tokens, and who is told. */
export async function makeRest(service: Service, setDaysAgo: (days: number) => void): Promise<Runner> {
  setDaysAgo(1);
  await register(service, 'gone-since-yesterday', { location: 'Sydney' });
  setDaysAgo(0);
  const runner = await register(service, 'berlin-1', { location: 'Berlin' }, { cpuShare: 0.08 });
  await register(service, 'berlin-2', { location: 'Berlin', version: '0.0.9' }, { doing: 'draining', cpuShare: 0.83 });
  await register(service, 'ended', { location: null }, { doing: 'stopped' });
  await register(
    service,
    'troubled',
    { location: 'São Paulo' },
    { trouble: 'Chrome does not start: libnss3.so is missing. Install it with apt-get install libnss3.' },
  );
  const description = 'Between two cities, measured in March.';
  const train = {
    name: 'train',
    description,
    up: { delayMs: 40, rateKbps: 3000 },
    down: { delayMs: 40, rateKbps: 12000, queueBytes: 131072 },
  };
  await service.send('POST', 'conditions', train);
  await service.makeToken('Ada', 'viewer');
  await service.makeToken('nightly build', 'submitter');
  await service.send('POST', 'notifications', { name: 'the team', kind: 'webhook', url: 'https://93.184.216.60/hook' });
  return runner;
}

type Sign = { doing?: 'working' | 'draining' | 'stopped'; trouble?: string | null; cpuShare?: number | null };

async function register(
  service: Service,
  name: string,
  different: object,
  { doing = 'working', trouble = null, cpuShare = null }: Sign = {},
): Promise<Runner> {
  const instance = randomUUID();
  const { cpu, cores, memoryBytes, kernel, arch } = environment.machine;
  const runner: Runner = await service.send('POST', 'runners', {
    ...{ name, instance, location: null, version: '0.1.0', protocol: runnerProtocol },
    capabilities: { engines: ['puppeteer'], browsers: ['chrome', 'headless-shell'], backends: ['direct', 'veth', 'guest'] },
    machine: { hostname: `${name}.example`, kernel, arch, cpu, cores, memoryBytes, node: '24.4.1' },
    ...different,
  });
  await service.send('POST', `runners/${runner.id}/heartbeat`, { instance, doing, trouble, cpuShare });
  return runner;
}

export const environment: Environment = {
  id: 'ab'.repeat(32),
  runner: { version: '0.1.0', node: '24.4.1' },
  machine: { kernel: 'Linux 6.12.8', arch: 'x64', cpu: 'a made CPU at 3 GHz', cores: 4, memoryBytes: 8_000_000_000 },
  browser: {
    product: 'Chrome/156.0.8078.79',
    executable: '/usr/bin/chromium',
    flags: ['--headless', '--disable-quic'],
    sandbox: true,
    preferences: {},
  },
  link: {
    ...{ backend: 'guest', kernel: '7.2.1', congestionControl: 'cubic', priority: 'cgroup', offloads: 'off' },
    receiveBuffers: { tcp: '4096 131072 6291456', udpMaxBytes: 212_992 },
  },
  origin: null,
};
