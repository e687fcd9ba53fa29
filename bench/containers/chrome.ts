// What Chrome may do in a runner's container, what it says of its sandbox, and what its pages reach.
// Usage: node bench/containers/chrome.ts [FILE.png for the picture of chrome://sandbox]
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { docker, label, ownName } from '../../docker/e2e/engine.ts';
import type { Campaign } from '../../packages/core/src/schemas/index.ts';
import type { PageReach, Target } from './page-reach.ts';
import type { ProcessRights } from './process-rights.ts';
import { chromeUid, Stack, shop, within } from './stack.ts';

const picture = process.argv[2] ?? join(tmpdir(), 'sandbox.png');
/** Where something listens that a page might reach: in other containers, in the runner's own, on the machine. */
const port = 8088;
/** Addresses as the internet has them, on a network of the engine's that leads nowhere; and private ones of IPv6 (RFC 4193). */
const world = { subnet: '11.139.17.0/24', subnet6: 'fd6f:7072:6f6e::/64' };

await using stack = await Stack.up();
const runner = await stack.container('runner');
printRights(await rightsDuringCampaign());

await using closing = new AsyncDisposableStack();
const reach = await reachOfPage(closing);
writeFileSync(picture, Buffer.from(reach.screenshot, 'base64'));
console.log(`\n${reach.product}, chrome://sandbox (${picture}):`);
console.log(reach.sandbox.trim().replace(/^/gm, '  '));
console.log(`  flags that touch it: ${reach.flags.filter((flag) => /sandbox|security|seccomp|zygote/.test(flag)).join(' ') || 'none'}`);
console.log('\n| target | the runner itself | a program in the visit’s network | a page |\n| --- | --- | --- | --- |');
for (const { what, url, runner, visit, page } of reach.reached) console.log(`| ${what}: ${url} | ${runner} | ${visit} | ${page} |`);
console.log(`\nThe policy refused: ${reach.refused.join(', ')}`);

/** While visits are made: of all processes of the runner's container. */
async function rightsDuringCampaign(): Promise<ProcessRights[]> {
  const wanted = {
    sites: [{ url: shop }],
    protocols: ['h2', 'h3'],
    conditions: ['latency-50'],
    rounds: 50,
    limits: { foreignCpuShare: 1 },
  };
  const { id } = await stack.outside.ask<Campaign>('POST', '/campaigns', wanted);
  let seen: ProcessRights[] = [];
  const renderers = await within(120_000, async () => {
    // The namespaces of other users' processes are shown to those alone who may trace them, and the container may not.
    const all: ProcessRights[] = JSON.parse(await stack.run(runner, source('process-rights.ts'), ['--privileged']));
    seen = all.filter(({ what }) => !what.includes('--input-type=')).sort((a, b) => a.uid.localeCompare(b.uid));
    return seen.some(({ what }) => what.includes('--type=renderer'));
  });
  await stack.outside.ask('POST', `/campaigns/${id}/cancel`);
  if (!renderers) throw new Error('No Chrome with a page was found in the runner’s container within 120 s.');
  return seen;
}

async function reachOfPage(closing: AsyncDisposableStack): Promise<PageReach> {
  const network = `${stack.project.name}-world`;
  const other = `${network}-server`;
  // Removed with the project, also when this is killed.
  const mark = ['--label', `${label}=${ownName}`];
  await docker(['network', 'create', ...mark, '--internal', '--ipv6', '--subnet', world.subnet, '--subnet', world.subnet6, network]);
  closing.defer(async () => void (await docker(['network', 'rm', network])));
  await docker([
    'run',
    '--detach',
    '--rm',
    ...mark,
    '--name',
    other,
    '--network',
    network,
    '--entrypoint',
    'sleep',
    await imageOf('api'),
    'infinity',
  ]);
  closing.defer(async () => void (await docker(['rm', '--force', '--volumes', other])));
  await docker(['network', 'connect', network, runner]);
  closing.defer(async () => void (await docker(['network', 'disconnect', network, runner])));
  const machine = (
    await docker(['run', '--detach', '--rm', ...mark, '--network', 'host', '--entrypoint', 'sleep', await imageOf('api'), 'infinity'])
  ).stdout.trim();
  closing.defer(async () => void (await docker(['rm', '--force', '--volumes', machine])));

  const [api, origin] = [await stack.container('api'), await stack.container('origin')];
  const own = await addressesOf(runner);
  const ofMachine = [own.service?.gateway || '127.0.0.1', `${stack.project.labPrefix}.1`];
  for (const container of [origin, runner, other]) await listen(container);
  // Where the bridges are, and not for the world.
  for (const address of ofMachine) await listen(machine, address);
  const [ofApi, ofOrigin, ofOther] = [await addressesOf(api), await addressesOf(origin), await addressesOf(other)];
  const at = (address: string | undefined, where = port) => `http://${address?.includes(':') ? `[${address}]` : address}:${where}/`;
  const targets: Target[] = [
    { what: 'the demo’s shop', url: shop },
    { what: 'a public address', url: at(ofOther.world?.v4) },
    { what: 'the service', url: at(ofApi.service?.v4, 8080) },
    { what: 'the service, by its other network', url: at(ofApi.front?.v4, 8080) },
    { what: 'the service, by its name', url: at('api', 8080) },
    { what: 'the origin’s container, another port', url: at(`${stack.project.labPrefix}.111`) },
    { what: 'the origin’s container, its own address', url: at(ofOrigin.lab?.v4) },
    { what: 'the origin’s container, by its name', url: at('origin') },
    { what: 'another container, private IPv6', url: at(ofOther.world?.v6) },
    { what: 'the runner’s container, on the service’s network', url: at(own.service?.v4) },
    { what: 'the runner’s container, on the origin’s network', url: at(own.lab?.v4) },
    { what: 'the runner’s container, on a public network', url: at(own.world?.v4) },
    { what: 'the runner’s container, by its name', url: at('runner') },
    { what: 'the runner’s container, its loopback', url: at('127.0.0.1') },
    { what: 'the same, IPv6', url: at('::1') },
    { what: 'Docker’s name server (for port 53 of any address the link’s own answers)', url: at('127.0.0.11', 53) },
    { what: 'the machine, as the service’s gateway', url: at(ofMachine[0]) },
    { what: 'the machine, on the origin’s network', url: at(ofMachine[1]) },
    { what: 'a cloud’s metadata', url: at('169.254.169.254', 80) },
    { what: 'a cloud’s metadata, IPv6', url: at('fd00:ec2::254', 80) },
  ];
  return JSON.parse(await stack.run(runner, source('page-reach.ts'), ['--env', `TARGETS=${JSON.stringify(targets)}`]));
}

type Addresses = Record<string, { v4: string; v6: string; gateway: string } | undefined>;

/** By the network's name in the compose file. */
async function addressesOf(container: string): Promise<Addresses> {
  const { stdout } = await docker(['inspect', '--format', '{{json .NetworkSettings.Networks}}', container]);
  const networks: Record<string, { IPAddress: string; GlobalIPv6Address: string; Gateway: string }> = JSON.parse(stdout);
  return Object.fromEntries(
    Object.entries(networks).map(([name, { IPAddress, GlobalIPv6Address, Gateway }]) => [
      name.slice(stack.project.name.length + 1),
      { v4: IPAddress, v6: GlobalIPv6Address, gateway: Gateway },
    ]),
  );
}

async function imageOf(service: string): Promise<string> {
  return (await docker(['inspect', '--format', '{{.Config.Image}}', await stack.container(service)])).stdout.trim();
}

/** Answers with HTTP on all addresses or on one, for as long as the container runs. */
async function listen(container: string, address?: string): Promise<void> {
  const script = `require('http').createServer((_, response) => response.end('reached')).listen(${port}, '${address ?? '::'}')`;
  await docker(['exec', '--detach', container, 'node', '-e', script]);
  await within(10_000, async () => {
    const ask = `fetch('http://${address ?? '127.0.0.1'}:${port}').then(() => process.exit(0), () => process.exit(1))`;
    return await docker(['exec', container, 'node', '-e', ask]).then(
      () => true,
      () => false,
    );
  });
}

function printRights(all: readonly ProcessRights[]): void {
  console.log(
    '| process | uid | CapInh | CapPrm | CapEff | CapBnd | CapAmb | no new privileges | seccomp (filters) | namespaces of its own |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const { what, uid, capabilities, noNewPrivileges, seccomp, filters, ownNamespaces } of all) {
    const rights = Object.values(capabilities).map((hexadecimal) => BigInt(`0x${hexadecimal}`).toString(16));
    console.log(
      `| ${titleOf(what)} | ${uid} | ${rights.join(' | ')} | ${noNewPrivileges} | ${seccomp} (${filters}) | ${ownNamespaces.join(' ') || '–'} |`,
    );
  }
  const effective = all.filter(({ uid, capabilities }) => uid === String(chromeUid) && BigInt(`0x${capabilities.CapEff}`) !== 0n);
  console.log(
    `\nProcesses of Chrome's user (${chromeUid}) with an effective capability in the container's own user namespace: ${effective.filter(({ ownNamespaces }) => !ownNamespaces.includes('user')).length}; in one of Chrome's sandbox: ${effective.filter(({ ownNamespaces }) => ownNamespaces.includes('user')).length}`,
  );
}

function titleOf(what: string): string {
  const [, type] = /--type=(\S+)/.exec(what) ?? [];
  const [, part] = /--utility-sub-type=(\w+)/.exec(what) ?? [];
  if (what.startsWith('/usr/lib/chromium/')) return `Chrome: ${part ?? type ?? 'browser'}`;
  return what.length > 60 ? `${what.slice(0, 60)}…` : what;
}

function source(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}
