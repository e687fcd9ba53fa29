// A separate machine for each file of the policy's tests: a namespace, so that the real machine's network is never touched.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Egress, openEgress } from '../src/link/egress/egress.ts';
import { outsideV6 } from '../src/link/egress/machine-network.ts';
import type { HostAddresses } from '../src/link/egress/resolver.ts';
import { Namespace } from '../src/link/net/namespace.ts';
import { openPath, type Path } from '../src/link/shapers/path.ts';
import { openVeth } from '../src/link/shapers/shaper.ts';
import { run } from '../src/machine/run.ts';
import type { Answer, Questions } from './egress-client.ts';
import { openWorld, publicHosts, type Visitor, type World } from './egress-world.ts';

export interface Bench {
  readonly world: World;
  readonly path: Path;
  readonly egress: Egress | undefined;
  /** Reopens the way to the outside, with empty records. @param urls of the first round; by default it proves IPv6 */
  open(allowNet?: string[], hosts?: HostAddresses, urls?: string[]): Promise<Egress>;
  close(): Promise<void>;
  /** Lets a program in the visit's namespace send requests, and collects the visitors. */
  ask(questions: Partial<Questions>, from?: Path): Promise<Answer[]>;
  /** Visitors at other addresses than the public hosts'. */
  forbidden(): Visitor[];
}

/** Tests of what a visit reaches, on a separate machine. */
export const onOwnMachine = (file: string, title: string, tests: (bench: Bench) => void): Promise<void> =>
  onMachine(file, title, () => tests(makeBench()));

/**
 * Tests that need a machine whose network they may change: outside of one this only starts the file again, in a namespace that
 * plays the machine; its tests report to the process that runs the file.
 */
export async function onMachine(file: string, title: string, tests: () => void, args: readonly string[] = []): Promise<void> {
  if (process.env.PRONGHORN_TEST_MACHINE === '1') {
    describe(title, { timeout: 900_000 }, tests);
  } else if (process.getuid?.() !== 0) {
    test(title, { skip: 'needs root, to make namespaces' }, () => {});
  } else {
    const namespace = await Namespace.create('machine');
    const [program = '', ...before] = [...namespace.enter, process.execPath, ...process.execArgv, file];
    const child = spawn(program, [...before, ...args], { stdio: 'inherit', env: { ...process.env, PRONGHORN_TEST_MACHINE: '1' } });
    process.exitCode = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
    await namespace.close();
  }
}

export const openVisitPath = () => openPath({ openShaper: openVeth, originAddresses: undefined, congestionControl: 'cubic' });

export const reached = (answers: Answer[]) => answers.map((answer) => answer.reached);

/** The traces of an uplink in the machine's namespace. */
export async function traces(): Promise<string> {
  const lines = [...(await run(['nft', 'list', 'tables'])).split('\n'), ...(await run(['ip', '-o', 'link'])).split('\n')];
  return lines.filter((line) => line.includes('pronghorn')).join('\n');
}

export async function uplinkAddresses({ router }: Path): Promise<string[]> {
  const devices: { addr_info: { local: string }[] }[] = JSON.parse(await router.run(['ip', '-j', 'address', 'show', 'uplink0']));
  return devices.flatMap(({ addr_info }) => addr_info.map(({ local }) => local)).filter((local) => !local.startsWith('fe80'));
}

function makeBench(): Bench {
  let world: World;
  let path: Path;
  let egress: Egress | undefined;
  /** Addresses of closed uplinks: late answers to them are no visit's doing, the machine sends them where it sends all else. */
  const gone = new Set<string>();
  before(async () => {
    world = await openWorld();
    path = await openVisitPath();
    await world.listenIn('router', path.router);
  });
  after(async () => {
    await close();
    await path?.close();
    await world?.close();
  });
  const close = async () => {
    if (egress !== undefined) for (const address of await uplinkAddresses(path)) gone.add(address);
    await egress?.close();
    egress = undefined;
  };
  return {
    get world() {
      return world;
    },
    get path() {
      return path;
    },
    get egress() {
      return egress;
    },
    open: async (allowNet = [], hosts = undefined, urls = [`http://[${publicHosts.v6[0]}]/`]) => {
      await close();
      egress = await openEgress(path, { allowNet, originPorts: [], outside: true, v6: (await outsideV6()) === true, hosts });
      if (urls.length > 0) await egress.beginRound(urls);
      await world.forget();
      await egress.takeRefusals();
      return egress;
    },
    close,
    ask: async (questions, from = path) => {
      const client = [process.execPath, join(import.meta.dirname, 'egress-client.ts')];
      const output = await from.visit.run([...client, JSON.stringify({ urls: [], tcp: [], udp: [], ...questions })]);
      await world.collect();
      return JSON.parse(output) as Answer[];
    },
    forbidden: () => {
      const known: readonly string[] = [...publicHosts.v4, ...publicHosts.v6, ...gone, '::'];
      return world.visitors.filter(({ where, address }) => where !== 'internet' || !known.includes(address.replace('::ffff:', '')));
    },
  };
}
