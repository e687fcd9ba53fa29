// Answers the visit's DNS: dnsmasq in the machine's namespace, where the machine's own resolvers can be reached (127.0.0.53 too).
// A query of the visit crosses the shaped link like any other packet, whatever nameserver /etc/resolv.conf names.
import { spawn } from 'node:child_process';
import { endsWithUs, rightless } from '../../machine/ends-with-us.ts';
import { routerEnd, visitEnd } from '../addresses.ts';
import type { Namespace } from '../namespace.ts';
import { toolPath } from '../run.ts';
import { linkDevice } from '../shaper.ts';
import { resolverPort } from './machine-rules.ts';
import type { ResolverAddress } from './policy.ts';
import type { Uplink } from './uplink.ts';

export interface Resolver {
  address: ResolverAddress;
  close(): Promise<void>;
}

interface ResolverOptions {
  /**
   * Answers are kept at least so long, up to 3,600 s: all protocols of a round should get the same addresses of a site, from
   * memory, where a CDN changes its mind every 20 s.
   */
  keepSeconds?: number;
  /** Names with the address that they have here, so long as above; of the others (null) the resolver asks before any visit does. */
  hosts?: HostAddresses | undefined;
}

/** By name. */
export type HostAddresses = Readonly<Record<string, string | null>>;

/** Nobody: the resolver needs no privileges at all. */
const uid = '65534';
/** A name that only our resolver knows. */
const ownName = 'resolver.pronghorn.invalid';

/**
 * Starts the resolver of an uplink and waits until the router gets an answer from it.
 *
 * @throws Error with dnsmasq's last words, or that says what to do when the machine's firewall stands between
 */
export async function startResolver(
  router: Namespace,
  { subnet }: Uplink,
  { keepSeconds = 300, hosts = {} }: ResolverOptions = {},
): Promise<Resolver> {
  const { v4, v6 } = subnet;
  const hasV6 = (await router.run(['ip', '-6', 'address', 'show', 'to', v6.router])).trim() !== '';
  const asOther = process.getuid?.() === 0 ? ['--reuid', uid, '--regid', uid, '--clear-groups', ...rightless] : [];
  const [setpriv = '', ...tie] = endsWithUs(toolPath('setpriv'), asOther);
  const child = spawn(
    setpriv,
    [
      ...tie,
      toolPath('dnsmasq'),
      ...['--keep-in-foreground', '--conf-file=/dev/null', '--pid-file=', '--log-facility=-', '--no-hosts'],
      ...['--bind-interfaces', `--listen-address=${v4.machine}`, `--port=${resolverPort}`],
      ...(hasV6 ? [`--listen-address=${v6.machine}`] : []),
      ...['--cache-size=10000', '--dns-forward-max=1000', `--min-cache-ttl=${keepSeconds}`, `--host-record=${ownName},${v4.machine}`],
      ...Object.entries(hosts).flatMap(([name, address]) => (address === null ? [] : [`--host-record=${name},${address},${keepSeconds}`])),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr?.on('data', (chunk) => (said = `${said}${chunk}`.slice(-2_000)));
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => (said = error.message));
    child.once('close', () => {
      ended = true;
      resolve();
    });
  });
  const close = async () => {
    if (!ended) child.kill('SIGKILL');
    await exited;
  };
  const answers = await Promise.race([answer(router, v4.machine, Object.keys(hosts)), exited.then(() => false)]);
  if (!answers) {
    const died = ended;
    await close();
    throw new Error(
      died
        ? `The resolver (dnsmasq) ended at once: ${said.trim()}`
        : `The resolver (dnsmasq on ${v4.machine} port ${resolverPort}) gets no query of the visit's network: the machine's firewall drops it on its way in. ` +
            `Allow it: with ufw “ufw allow in on ${subnet.device} to any port ${resolverPort}”, else in its input chain “iifname "pronghorn*" th dport ${resolverPort} accept”.`,
    );
  }
  return { address: { v4: v4.machine, v6: hasV6 ? v6.machine : null, port: resolverPort }, close };
}

/**
 * Sends all DNS of the visit's namespace over the link to the router, which passes it on. Its routes are
 * chosen by the port, before the table of local addresses is asked: so even a nameserver on loopback is reached over the link, from
 * the link's own address, and neither route_localnet nor another parameter under /proc/sys is needed.
 */
export async function redirectDns(visit: Namespace): Promise<void> {
  if ((await visit.run(['ip', 'rule'])).includes('dport 53')) return;
  for (const family of ['-4', '-6']) {
    const lines = [
      // UDP and TCP by number: small systems have no /etc/protocols with their names.
      ...[17, 6].map((transport) => `rule add pref 5 ipproto ${transport} dport 53 lookup ${dnsTable}`),
      'rule add pref 10 lookup local',
      'rule delete pref 0',
    ];
    await visit.run(['ip', family, '-batch', '-'], `${lines.join('\n')}\n`);
  }
  await visit.run(
    ['nft', '-f', '-'],
    `table inet pronghorn_dns {
  chain output {
    type nat hook output priority -100; policy accept;
    meta l4proto { tcp, udp } th dport 53 dnat ip to ${routerEnd.v4}
    meta l4proto { tcp, udp } th dport 53 dnat ip6 to ${routerEnd.v6}
  }
}
`,
  );
}

/** The routes of DNS go with the visit's device: needed again whenever the shaper was renewed. */
export async function routeDns(visit: Namespace): Promise<void> {
  for (const [family, version] of [
    ['-4', 'v4'],
    ['-6', 'v6'],
  ] as const) {
    const route = ['default', 'via', routerEnd[version], 'dev', linkDevice, 'src', visitEnd[version], 'table', `${dnsTable}`];
    await visit.run(['ip', family, 'route', 'replace', ...route]);
  }
}

const dnsTable = 53;

/**
 * Whether the router gets an answer. dnsmasq needs some milliseconds until it listens.
 *
 * @param names to be in its memory when this returns, in both families; those that nobody answers within 2 s are left to the visit
 */
async function answer(router: Namespace, address: string, names: readonly string[]): Promise<boolean> {
  const ask = `
    const resolver = new (require('dns').promises.Resolver)({ timeout: 100, tries: 1 });
    resolver.setServers(['${address}:${resolverPort}']);
    const end = Date.now() + 3000;
    const remember = async () => {
      const patient = new (require('dns').promises.Resolver)({ timeout: 2000, tries: 1 });
      patient.setServers(['${address}:${resolverPort}']);
      await Promise.allSettled(process.argv.slice(1).flatMap((name) => [patient.resolve4(name), patient.resolve6(name)]));
      process.exit(0);
    };
    const ask = () => resolver.resolve4('${ownName}').then(remember, () => Date.now() > end ? process.exit(1) : setTimeout(ask, 10));
    ask();`;
  return await router.run([process.execPath, '-e', ask, '--', ...names]).then(
    () => true,
    () => false,
  );
}
