// The flags a Chrome is started with: what makes it quiet and repeatable, and what decides its protocol.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { rttOf } from '@pronghorn/core/network';
import type { Condition, Visitor } from '@pronghorn/core/schemas';
import { userAgentOf } from '@pronghorn/core/visitor';
import { type Discovery, type Protocol, version } from '@pronghorn/core/vocabulary';
import { type ChromeBuild, findChrome } from '../machine/find.ts';
import type { LoadVisitor } from '../visitor/load-visitor.ts';

/** Rules and certificates by which a browser reaches and trusts the demo origin. Never used for a user's site. */
export interface OriginTrust {
  /** Base64 SHA-256 of the key in the origin's certificate: only this key is excused from having no public CA. */
  spki: string;
  /** `MAP host address` rules for its host names. */
  hostRules: string;
  /** PEM of what signed that certificate, for Firefox, which excuses no keys. */
  ca?: string;
  /** PEM of that certificate where it signed itself, for the client of REST calls, which excuses no keys either. */
  selfSigned?: string;
  /** Other names resolve as usual; by default they don't resolve at all. */
  outside?: boolean;
}

interface OnlyHost {
  /** host:port. */
  host: string;
  /** ip:port where it is found; empty: as its name resolves. */
  at: string;
}

export interface FlagChoices {
  protocol: Protocol;
  discovery: Discovery;
  /** host:port of all hosts that must speak HTTP/3 from the first request. */
  forced: readonly string[];
  browser: ChromeBuild;
  /** Network type that pages see, whatever was loaded before; default 4g. */
  effectiveConnection?: EffectiveConnection;
  lab: OriginTrust | undefined;
  /** The one host that may be reached, where no laboratory is: of REST calls, which go to no other host, whatever a server announces (Alt-Svc). */
  only?: OnlyHost | undefined;
  /** Lets pages preconnect and prerender: only in a Chrome for one visit. */
  pageHints?: boolean;
  /** Patterns of hosts that get the visitor's page-only secrets. */
  ownHosts?: readonly string[] | undefined;
  /** Contains no secrets: flags are stored, and every user of the machine can read them. */
  visitor?: Visitor | undefined;
}

/** Disables background work: updates, metrics, first-run pages, throttling of background tabs. */
const quiet = [
  '--no-first-run',
  '--no-default-browser-check',
  '--no-startup-window',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--disable-extensions',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-field-trial-config',
  '--disable-domain-reliability',
  '--disable-search-engine-choice-screen',
  '--disable-infobars',
  '--disable-prompt-on-repost',
  '--disable-hang-monitor',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--metrics-recording-only',
  '--mute-audio',
  // The window's own animations, not those of pages: a moving tab strip is redrawn 60 times a second beside the page.
  '--animation-duration-scale=0',
  '--password-store=basic',
  '--use-mock-keychain',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  '--lang=en-US',
  // HTTP/3 can't go through an HTTP proxy: with one, only h1 and h2 would use it.
  '--no-proxy-server',
];

const unwanted = [
  'Translate',
  // The operator's resolver, over the link, whatever it is.
  'DnsOverHttpsUpgrade',
  'MediaRouter',
  'OptimizationHints',
  'InterestFeedContentSuggestions',
  'CertificateTransparencyComponentUpdater',
  // Parts of the window that are pages themselves: loaded with each new window, in a renderer of their own, they took
  // half a second of CPU time beside the page that is measured (Chromium 156).
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'PreloadTopChromeWebUI',
  'InitialWebUI',
  'WebUIReloadButton',
  'WebUIToolbar',
];

/** Chrome takes compression dictionaries (RFC 9842) only from servers that a public authority vouches for: from others its visits would get what no visitor gets. */
const publicDictionariesOnly = 'CompressionDictionaryTransportRequireKnownRootCert';

const featureFlag = ({ lab, visitor }: Pick<FlagChoices, 'lab' | 'visitor'>): string =>
  `--disable-features=${[...unwanted, ...(lab === undefined && visitor?.ca === undefined ? [] : [publicDictionariesOnly])].join(',')}`;

/**
 * Preferences of the profile. Network prediction is what a page's own preconnect, dns-prefetch and speculation rules work by, in a profile and never in a
 * context of it; with it Chrome also connects to the page's own host when a navigation begins, in contexts too. So only a Chrome that is one visit's has it.
 */
export const preferencesOf = ({ pageHints = false, visitor, ownHosts = [] }: Pick<FlagChoices, 'pageHints' | 'visitor' | 'ownHosts'>) => ({
  net: { network_prediction_options: pageHints ? 0 : 2 },
  ...(visitor?.clientCertificate === undefined ? {} : { profile: { content_settings: { exceptions: showsCertificateTo(ownHosts) } } }),
});

/** Chrome shows the first certificate that the server accepts, instead of asking its user. */
const showsCertificateTo = (hosts: readonly string[]) => ({
  auto_select_certificate: Object.fromEntries(
    hosts.map((host) => [`https://${host.replace(/^\*\./, '[*.]')},*`, { setting: { filters: [{}] } }]),
  ),
});

/** The page's viewport in CSS pixels: the most common one of desktop screens for years, at device scale 1. */
export const viewport = { width: 1366, height: 768 } as const;

/** All flags but the profile's path and the sandbox, which depend on the launch. */
export function chromeFlags(choices: FlagChoices): string[] {
  return [
    ...(choices.browser === 'chrome' ? ['--headless=new'] : ['--headless']),
    ...quiet.filter((flag) => flag !== '--no-proxy-server' || choices.visitor?.proxy === undefined),
    featureFlag(choices),
    `--window-size=${viewport.width},${viewport.height}`,
    ...(smallSharedMemory() ? ['--disable-dev-shm-usage'] : []),
    effectiveConnectionFlag(choices.effectiveConnection ?? '4g'),
    ...protocolFlags(choices),
    ...labFlags(choices),
    ...onlyFlags(choices),
    ...visitorFlags(choices.visitor, choices.browser),
  ];
}

/** The flags that decide the protocol, as measured: see docs/decisions/0002-protocols.md. */
export function protocolFlags(choices: Pick<FlagChoices, 'protocol' | 'discovery' | 'forced'>): string[] {
  switch (choices.protocol) {
    case 'h1':
      return ['--disable-quic', '--disable-http2'];
    case 'h2':
      return ['--disable-quic'];
    case 'h3':
      return choices.discovery === 'forced' && choices.forced.length > 0
        ? [`--origin-to-force-quic-on=${[...choices.forced].sort().join(',')}`]
        : [];
  }
}

function labFlags({ lab, protocol, discovery, forced, visitor }: FlagChoices): string[] {
  if (lab === undefined) return [];
  // In the laboratory no other name resolves unless requested: not even those that Chrome itself would look up. A proxy's name is requested.
  const proxy = visitor?.proxy === undefined ? '' : `,EXCLUDE ${new URL(visitor.proxy).hostname}`;
  const rules = lab.outside === true ? lab.hostRules : `${lab.hostRules},MAP * ~NOTFOUND${proxy}`;
  const flags = [`--host-resolver-rules=${rules}`, `--ignore-certificate-errors-spki-list=${lab.spki}`];
  // Alt-Svc to a host with a certificate of no public CA marks QUIC as broken, unless the host stands in a force list
  // once, with a port that nothing uses.
  if (protocol === 'h3' && discovery === 'alt-svc') {
    const hosts = new Set(forced.map((host) => host.replace(/:\d+$/, ':1')));
    if (hosts.size > 0) flags.push(`--origin-to-force-quic-on=${[...hosts].sort().join(',')}`);
  }
  return flags;
}

function onlyFlags({ lab, only }: Pick<FlagChoices, 'lab' | 'only'>): string[] {
  if (lab !== undefined || only === undefined) return [];
  const { host, at } = only;
  return [
    `--host-resolver-rules=${at === '' ? `MAP * ~NOTFOUND,EXCLUDE ${new URL(`https://${host}`).hostname}` : `MAP ${host} ${at},MAP * ~NOTFOUND`}`,
  ];
}

/** Docker gives 64 MB of /dev/shm, which crashes tabs of big pages. */
function smallSharedMemory(): boolean {
  try {
    const shared = statfsSync('/dev/shm');
    return shared.blocks * shared.bsize < 512 * 1024 * 1024;
  } catch {
    return true;
  }
}

// Network type that a page sees: Chrome's own estimate, replaced by one that follows from the condition.

/** From the slowest to the fastest, as `navigator.connection.effectiveType` has them. */
const effectiveConnections = ['slow-2g', '2g', '3g', '4g'] as const;
export type EffectiveConnection = (typeof effectiveConnections)[number];

/** The least round trip and the most downlink of each type: https://wicg.github.io/netinfo/#effective-connection-types */
const slower: readonly { type: EffectiveConnection; rttMs: number; downKbps: number }[] = [
  { type: 'slow-2g', rttMs: 2_000, downKbps: 50 },
  { type: '2g', rttMs: 1_400, downKbps: 70 },
  { type: '3g', rttMs: 270, downKbps: 700 },
];

/**
 * The type that a page shall see under a condition; native is 4g. The path behind the link is not part of it.
 *
 * Chrome estimates it from all that a process has loaded before, and the estimate outlives browser contexts: after a slow condition a page
 * of a fast one would load other lazy images, and see another network, than before it.
 */
export function effectiveConnectionOf(condition: Condition): EffectiveConnection {
  const rttMs = rttOf(condition);
  const downKbps = condition.down.rateKbps ?? Number.POSITIVE_INFINITY;
  return slower.find((bound) => rttMs >= bound.rttMs || downKbps <= bound.downKbps)?.type ?? '4g';
}

/** Values of Chrome's switch (net/nqe/effective_connection_type.cc). */
const names: Readonly<Record<EffectiveConnection, string>> = { 'slow-2g': 'Slow-2G', '2g': '2G', '3g': '3G', '4g': '4G' };

const effectiveConnectionFlag = (type: EffectiveConnection): string => `--force-effective-connection-type=${names[type]}`;

// Flags of a visitor: they apply to all requests of a Chrome, including its first ones and those of workers.

/** After Chrome's other flags: of two alike, the later one counts. */
function visitorFlags(visitor: Visitor | undefined, browser: ChromeBuild): string[] {
  const { language, proxy } = visitor ?? {};
  return [
    `--user-agent=${userAgentOf(visitor ?? {}, chromeMajor(browser), version)}`,
    ...(language === undefined ? [] : [`--lang=${language}`, `--accept-lang=${acceptedLanguages(language)}`]),
    // By default Chrome uses no proxy for loopback addresses.
    ...(proxy === undefined ? [] : [`--proxy-server=${proxy}`, '--proxy-bypass-list=<-loopback>']),
  ];
}

/** Identifies what a Chrome is made for, without what each visit is given: cookies, pages before it, and what steps left. A digest: some of it is secret. */
export const visitorKey = (given: LoadVisitor | undefined): string => {
  const { steps: _, cookies: __, after: ___, ...started } = given?.visitor ?? {};
  // Its profile names the hosts that may see the certificate; otherwise one Chrome serves all sites of a visitor.
  return digestOf([started, started.clientCertificate === undefined ? null : given?.ownHosts]);
};

/** Identifies what a tab of that Chrome is made ready for: the site's own hosts, which get the visitor's headers. */
export const tabKey = (given: LoadVisitor | undefined): string => digestOf([given?.pageUrl, given?.ownHosts]);

const digestOf = (parts: unknown): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** A regional language in Chrome's settings: itself, then without its region. */
export const acceptedLanguages = (language: string): string => [...new Set([language, language.split('-')[0] as string])].join(',');

const versions = new Map<string, string>();

/** Such as 156.0.8078.79, from the program itself: it is needed before it runs. */
function chromeVersion(browser: ChromeBuild): string {
  const executable = findChrome(browser);
  const known = versions.get(executable);
  if (known !== undefined) return known;
  const number = /\d+(\.\d+){3}/.exec(versionOutput(executable))?.[0];
  if (number === undefined) throw new Error(`Chrome (${executable}) did not start: --version names no version such as 156.0.8078.79.`);
  versions.set(executable, number);
  return number;
}

function versionOutput(executable: string): string {
  try {
    // The headless shell may want a profile for this already; it gets none that stays.
    return execFileSync(executable, ['--version'], { encoding: 'utf8', timeout: 30_000, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (error) {
    throw new Error(`Chrome (${executable}) did not start: ${error instanceof Error ? error.message : error}`);
  }
}

const chromeMajor = (browser: ChromeBuild): number => Number.parseInt(chromeVersion(browser), 10);
