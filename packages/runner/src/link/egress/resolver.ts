// Answers the visit's DNS: dnsmasq in the machine's namespace, where the machine's own resolvers can be reached (127.0.0.53 too).
// A query of the visit crosses the shaped link like any other packet, whatever nameserver /etc/resolv.conf names.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endsWithUs, rightless, run, toolPath } from '../../machine/run.ts';
import { linkDevice, routerEnd, visitEnd } from '../net/addresses.ts';
import type { Namespace } from '../net/namespace.ts';
import type { HostAnswer, Question } from './ask-process.ts';
import type { ResolverAddress } from './policy.ts';
import type { Uplink } from './uplink.ts';
import { resolverPort } from './uplink-rules.ts';

export interface Resolver {
  address: ResolverAddress;
  /**
   * Forgets every answer, then queries these hosts again. What it hears now or later, negative answers too, every visit gets until the next
   * call, in the same order, for an hour at least: so the visits of a round reach the same servers, and none of them waits for the upstream's
   * resolver where another had its answer from memory.
   *
   * @returns the addresses that visits will get
   */
  renew(hosts: Question['hosts']): Promise<HostAnswer[]>;
  close(): Promise<void>;
}

interface ResolverOptions {
  /** Names with the address that they have here, in whichever round; of the others (null) nothing is known. */
  hosts?: HostAddresses | undefined;
}

export type HostAddresses = Readonly<Record<string, string | null>>;

/** The most that dnsmasq keeps an answer for which its owner wants to change earlier: CDNs change their mind every 20 s. */
const keepSeconds = 3_600;
/** TTL of a pinned name, as Chrome sees it. */
const pinnedSeconds = 300;

/** Options that give all visits of a round the same answers. Older versions of dnsmasq lack them; `loss` says what that means. */
const wishes = [
  { option: '--no-round-robin', since: '2.86', loss: 'each visit of a round reaches another address of a name first' },
  { option: '--cache-rr', argument: '=HTTPS', since: '2.90', loss: 'each visit queries HTTPS records again' },
] as const;

/**
 * Says what a fair round needs and this machine's dnsmasq can't do.
 *
 * @returns in words; none where nothing is missing
 * @throws Error when there is no dnsmasq
 */
export async function resolverLacks(): Promise<string[]> {
  const help = await run(['dnsmasq', '--help']);
  const missing = wishes.filter(({ option }) => !help.includes(option));
  if (missing.length === 0) return [];
  const version = /version (\S+)/i.exec(await run(['dnsmasq', '--version']))?.[1] ?? 'unknown';
  return missing.map(
    ({ option, since, loss }) => `dnsmasq ${version} has no ${option} (${since} has): ${loss}. Install a newer dnsmasq-base.`,
  );
}

/** The user nobody: the resolver needs no privileges. */
const uid = '65534';
/** A name that only our resolver knows. */
const ownName = 'resolver.pronghorn.invalid';

/**
 * Starts the resolver of an uplink and waits until the router gets an answer from it.
 *
 * @throws Error with dnsmasq's last words, or that says what to do when the machine's firewall stands between
 */
export async function startResolver(router: Namespace, { subnet }: Uplink, { hosts = {} }: ResolverOptions = {}): Promise<Resolver> {
  const { v4, v6 } = subnet;
  const hasV6 = (await router.run(['ip', '-6', 'address', 'show', 'to', v6.router])).trim() !== '';
  const asOther = process.getuid?.() === 0 ? ['--reuid', uid, '--regid', uid, '--clear-groups', ...rightless] : [];
  const help = await run(['dnsmasq', '--help']);
  const fixed = wishes
    .filter(({ option }) => help.includes(option))
    .map((wish) => `${wish.option}${'argument' in wish ? wish.argument : ''}`);
  const [setpriv = '', ...tie] = endsWithUs(toolPath('setpriv'), asOther);
  const child = spawn(
    setpriv,
    [
      ...tie,
      toolPath('dnsmasq'),
      ...['--keep-in-foreground', '--conf-file=/dev/null', '--pid-file=', '--log-facility=-', '--no-hosts'],
      ...['--bind-interfaces', `--listen-address=${v4.machine}`, `--port=${resolverPort}`],
      ...(hasV6 ? [`--listen-address=${v6.machine}`] : []),
      ...['--cache-size=10000', '--dns-forward-max=1000', `--host-record=${ownName},${v4.machine}`],
      ...[`--min-cache-ttl=${keepSeconds}`, `--neg-ttl=${keepSeconds}`, ...fixed],
      ...Object.entries(hosts).flatMap(([name, address]) =>
        address === null ? [] : [`--host-record=${name},${address},${pinnedSeconds}`],
      ),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let lastWords = '';
  child.stderr?.on('data', (chunk) => (lastWords = `${lastWords}${chunk}`.slice(-2_000)));
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => (lastWords = error.message));
    child.once('close', () => {
      ended = true;
      resolve();
    });
  });
  const close = async () => {
    if (!ended) child.kill('SIGKILL');
    await exited;
  };
  const answers = await Promise.race([answer(router, v4.machine), exited.then(() => false)]);
  if (!answers) {
    const died = ended;
    await close();
    throw new Error(
      died
        ? `The resolver (dnsmasq) ended at once: ${lastWords.trim()}`
        : `The resolver (dnsmasq on ${v4.machine} port ${resolverPort}) gets no query from the visit's network: the machine's firewall drops its input. ` +
            `Allow it: with ufw “ufw allow in on ${subnet.device} to any port ${resolverPort}”, else in its input chain “iifname "pronghorn*" th dport ${resolverPort} accept”.`,
    );
  }
  return {
    address: { v4: v4.machine, v6: hasV6 ? v6.machine : null, port: resolverPort },
    renew: async (names) => {
      // dnsmasq(8): clears its cache.
      child.kill('SIGHUP');
      return await runInRouter<HostAnswer[]>(router, 'resolve', {
        server: `${v4.machine}:${resolverPort}`,
        hosts: names,
      } satisfies Question);
    },
    close,
  };
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

/** True if the router gets an answer. dnsmasq needs some milliseconds until it listens. */
async function answer(router: Namespace, address: string): Promise<boolean> {
  const ask = `
    const resolver = new (require('dns').promises.Resolver)({ timeout: 100, tries: 1 });
    resolver.setServers(['${address}:${resolverPort}']);
    const end = Date.now() + 3000;
    const ask = () => resolver.resolve4('${ownName}').then(() => process.exit(0), () => Date.now() > end ? process.exit(1) : setTimeout(ask, 10));
    ask();`;
  return await router.run([process.execPath, '-e', ask]).then(
    () => true,
    () => false,
  );
}

/** Runs ask-process.ts in the router's namespace, from where the link's resolver and the world are reached without a condition. */
export async function runInRouter<Answer>(router: Pick<Namespace, 'run'>, what: 'resolve' | 'reach', question: object): Promise<Answer> {
  const program = fileURLToPath(new URL('./ask-process.ts', import.meta.url));
  const argv = [process.execPath, '--disable-warning=ExperimentalWarning', program, what];
  // By file, since Linux limits an argument to 128 KiB: a page may have a thousand hosts with long names.
  return JSON.parse(await router.run(argv, JSON.stringify(question)));
}
