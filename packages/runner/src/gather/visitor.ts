// Makes a tab that of the visitor: client hints, device, headers for own hosts, blocked requests.
import { isOwn, type Screen, screenOf, systemOf, urlPatternsOf, userAgentOf } from '@pronghorn/core/visitor';
import { version } from '@pronghorn/core/vocabulary';
import type { Protocol as Cdp } from 'devtools-protocol';
import type { CDPSession } from 'puppeteer-core';
import { acceptedLanguages } from '../chrome/flags.ts';
import type { LoadVisitor } from '../visitor/load-visitor.ts';

/**
 * Makes a session that of the visitor, before its target runs. What a kind of frame or worker lacks, such as a worker's screen, is left out.
 * To be called once `Network.enable` was sent: nothing is blocked before.
 *
 * @param isPage of the tab itself, rather than of a frame or worker of it
 * @throws Error if the tab itself can't be set up: it would be measured as another visitor's
 */
export async function applyVisitor(session: CDPSession, product: string, given: LoadVisitor | undefined, isPage: boolean): Promise<void> {
  const { visitor = {}, cpuSlowdown: { factor: rate } = { factor: 1 } } = given ?? {};
  const optional = (sent: Promise<unknown>) => (isPage ? sent : sent.catch(() => {}));
  const wanted = [
    // The flag changes only the user agent, and leaves the client hints that a server may request empty.
    optional(session.send('Emulation.setUserAgentOverride', userAgentOverride(product, given))),
    ...(isPage && hasScreen(given) ? [setScreen(session, screenOf(visitor))] : []),
    ...(rate > 1 ? [optional(session.send('Emulation.setCPUThrottlingRate', { rate }))] : []),
  ];
  const blocked = blockedPatterns(given);
  if (blocked.length > 0) wanted.push(optional(session.send('Network.setBlockedURLs', { urlPatterns: blocked })));
  const headers = headersOf(given);
  if (given !== undefined && headers.length + blocked.length > 0) wanted.push(optional(holdRequests(session, given, headers, blocked)));
  // A service worker answers once it runs, which it does not before we say so; what was sent before that counts from its beginning.
  if (isPage) await Promise.all(wanted);
}

const hasScreen = (given: LoadVisitor | undefined): boolean =>
  given?.visitor.viewport !== undefined || (given?.visitor.device ?? 'desktop') !== 'desktop';

async function setScreen(session: CDPSession, { width, height, scale, mobile }: Screen): Promise<void> {
  await Promise.all([
    session.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile }),
    session.send('Emulation.setTouchEmulationEnabled', { enabled: mobile, ...(mobile ? { maxTouchPoints: 5 } : {}) }),
  ]);
}

/** The user agent of a Chrome with a window. Its brands are those that Chrome sends anyway: headless or not, they are the same. */
function userAgentOverride(product: string, given: LoadVisitor | undefined): Cdp.Emulation.SetUserAgentOverrideRequest {
  const { visitor = {} } = given ?? {};
  const { platform, mobile } = systemOf(visitor);
  const full = product.slice(product.indexOf('/') + 1);
  const isAndroid = platform === 'Android';
  return {
    userAgent: userAgentOf(visitor, Number.parseInt(full, 10), version),
    ...(visitor.language === undefined ? {} : { acceptLanguage: acceptedLanguages(visitor.language) }),
    // Sets navigator.platform, which the reduction of user agents froze.
    platform: isAndroid ? 'Linux armv81' : 'Linux x86_64',
    userAgentMetadata: {
      brands: brands(full, (whole) => whole.split('.')[0] as string),
      fullVersionList: brands(full, (whole) => whole),
      platform,
      platformVersion: isAndroid ? '14.0.0' : '',
      architecture: isAndroid ? '' : process.arch === 'arm64' ? 'arm' : 'x86',
      bitness: isAndroid ? '' : '64',
      model: isAndroid ? (mobile ? 'Pixel 7' : 'Pixel Tablet') : '',
      mobile,
      wow64: false,
      formFactors: [isAndroid ? (mobile ? 'Mobile' : 'Tablet') : 'Desktop'],
    },
  };
}

/**
 * Chromium's brands with the one that changes from version to version so that no site relies on a list: its characters, its version and the
 * order follow from the major version (https://wicg.github.io/ua-client-hints/#grease, as Chromium does it).
 */
function brands(full: string, short: (version: string) => string): Cdp.Emulation.UserAgentBrandVersion[] {
  const seed = Number.parseInt(full, 10);
  const characters = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'];
  const at = (place: number) => characters[place % characters.length];
  const grease = { brand: `Not${at(seed)}A${at(seed + 1)}Brand`, version: short(`${['8', '99', '24'][seed % 3]}.0.0.0`) };
  const chromium = { brand: 'Chromium', version: short(full) };
  return seed % 2 === 0 ? [grease, chromium] : [chromium, grease];
}

/** First what is to be blocked, then what is to stay, then all else: the first that fits counts. */
function blockedPatterns(given: LoadVisitor | undefined): Cdp.Network.BlockPattern[] {
  if (given === undefined) return [];
  const { block = [], firstPartyOnly = false } = given.visitor;
  const patterns = (hosts: readonly string[], isBlocked: boolean) =>
    hosts.flatMap(urlPatternsOf).map((urlPattern) => ({ urlPattern, block: isBlocked }));
  return [
    ...patterns(block, true),
    ...(firstPartyOnly ? [...patterns(given.ownHosts, false), { urlPattern: '*://*:*/*', block: true }] : []),
  ];
}

function headersOf(given: LoadVisitor | undefined): Cdp.Fetch.HeaderEntry[] {
  const { headers = [], basicAuth } = given?.visitor ?? {};
  const basic =
    basicAuth === undefined
      ? []
      : [{ name: 'Authorization', value: `Basic ${Buffer.from(`${basicAuth.user}:${basicAuth.password}`).toString('base64')}` }];
  return [...basic, ...headers];
}

/**
 * Holds requests until this process has answered for them: those of own hosts where headers are to be added, since
 * `Network.setExtraHTTPHeaders` would send them to every host of a page; and documents where something is blocked, since
 * `Network.setBlockedURLs` lets the documents of frames pass. Chrome holds no others.
 */
async function holdRequests(
  session: CDPSession,
  { ownHosts, pageUrl }: LoadVisitor,
  added: readonly Cdp.Fetch.HeaderEntry[],
  blocked: readonly Cdp.Network.BlockPattern[],
): Promise<void> {
  const schemes = pageUrl.startsWith('http:') ? ['http', 'https'] : ['https'];
  const names = new Set(added.map(({ name }) => name.toLowerCase()));
  const rules = blocked.map(({ urlPattern, block }) => ({ pattern: new URLPattern(urlPattern), block }));
  session.on('Fetch.requestPaused', ({ requestId, request: { url, headers } }) => {
    if (rules.find(({ pattern }) => pattern.test(url))?.block === true) {
      void session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => {});
      return;
    }
    // The patterns below are simpler than URLs are.
    const isOurs = added.length > 0 && isOwn(url, ownHosts) && schemes.includes(url.slice(0, url.indexOf(':')));
    const unchanged = Object.entries(headers).flatMap(([name, value]) => (names.has(name.toLowerCase()) ? [] : [{ name, value }]));
    void session.send('Fetch.continueRequest', { requestId, ...(isOurs ? { headers: [...unchanged, ...added] } : {}) }).catch(() => {});
  });
  const own = schemes.flatMap((scheme) =>
    ownHosts.flatMap((host) => [{ urlPattern: `${scheme}://${host}/*` }, { urlPattern: `${scheme}://${host}:*/*` }]),
  );
  const documents = [{ urlPattern: '*', resourceType: 'Document' as const }];
  await session.send('Fetch.enable', { patterns: [...(added.length > 0 ? own : []), ...(blocked.length > 0 ? documents : [])] });
}
