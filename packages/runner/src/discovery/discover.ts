// The discovery visit: which hosts a page uses, and which of them speak HTTP/3.
import { randomUUID } from 'node:crypto';
import { h3Offers, httpsRecordName, httpsRecordWords, type ServiceBinding, withdrawsH3 } from '@pronghorn/core/adoption';
import { minAutoTimeoutMs } from '@pronghorn/core/network';
import type { DiscoveredHost, Limits, Resource, Site, SiteDiscovery } from '@pronghorn/core/schemas';
import { isLasting, kindOf } from '@pronghorn/core/vocabulary';
import { answersToKeep, differentUrls, pollsFromMs } from '../derive/answers.ts';
import { documentResponse, hostWithPort, passedUrls } from '../derive/document.ts';
import { finalPicture } from '../derive/likeness.ts';
import { shownIn } from '../derive/outcome.ts';
import { deriveResources } from '../derive/resources.ts';
import { type Fault, judge } from '../derive/verdict.ts';
import { lastNewsMs } from '../derive/visual-progress.ts';
import { type DiscoveryRequest, discoveryTries, type Engine, type HostVerdicts, type Load } from '../engines/engine.ts';
import type { Evidence } from '../gather/evidence.ts';

/** Hosts probed at once. A host whose UDP is silent takes 4 s to fail. */
const probesAtOnce = 4;
const probeLimits = (limits: Limits): Limits => ({ ...limits, loadTimeoutMs: 10_000, quietMs: 0, settleMaxMs: 0 });
/** Extra time to come to rest, beyond that of a visit: what is cut off here is missing in the force list of every visit. */
const settleLongerMs = 10_000;
/** It also waits for longer, so that visits know after what pause the page goes on by itself. */
const quietLonger = 4;

/**
 * Loads the site once over HTTP/2 (or what it speaks), lists the hosts, and asks each host that offers HTTP/3, by Alt-Svc or by its HTTPS
 * record, whether it truly answers there. The load, and each host, get three tries.
 *
 * A site that can't be loaded has `failure`; this function throws only when the engine does.
 */
export async function discoverSite(engine: Engine, site: Site, campaign: DiscoveryRequest, runner: string): Promise<SiteDiscovery> {
  const { spec, verdicts, replaces } = campaign;
  const load: Load = {
    url: site.url,
    protocol: 'h2',
    discovery: 'forced',
    forced: [],
    view: 'cold',
    isolation: spec.isolation,
    // A page may depend on the browser that asks for it, but not on what drives that browser.
    ...(spec.engine === 'firefox' ? { engine: 'firefox', browser: 'firefox' } : { engine: 'puppeteer', browser: spec.browser }),
    limits: {
      ...spec.limits,
      // Loads without a condition, before the size of the page is known.
      loadTimeoutMs: spec.limits.loadTimeoutMs === 'auto' ? minAutoTimeoutMs : spec.limits.loadTimeoutMs,
      quietMs: quietLonger * spec.limits.quietMs,
      pauseFromMs: spec.limits.quietMs,
      settleMaxMs: Math.max(spec.limits.settleMaxMs, settleLongerMs),
    },
  };
  const overH2 = await loaded(engine, load, site);
  if (overH2.fault?.reason === 'load-timeout')
    campaign.warned?.(`${site.name}: ${overH2.fault.detail} It is loaded once more, over HTTP/1.1.`);
  // A host that answers only over HTTP/1.1 is a site all the same: its visits report what fails over HTTP/2.
  const isOverH2 = overH2.fault === null || kindOf(overH2.fault.reason) !== 'failure';
  const overH1 = isOverH2 ? null : await loaded(engine, { ...load, protocol: 'h1' }, site, 1);
  const { evidence, resources, finalUrl, fault } = overH1?.fault === null ? overH1 : overH2;
  const pollsMs = (evidence.page?.navigation.loadEventEnd ?? 0) + pollsFromMs;
  const wentOnMs = await lateMs(evidence, resources, spec.limits.quietMs);
  const discovery = {
    id: randomUUID(),
    campaignId: campaign.id,
    siteId: site.id,
    runner,
    discoveredAt: evidence.startedAt,
    replaces,
    finalUrl,
    redirects: passedUrls(evidence).slice(0, maxRedirects).map(cut(maxUrl)),
    settled: evidence.end.kind === 'quiet',
    ...(evidence.settled?.pauseMs && { pauseMs: evidence.settled.pauseMs }),
    ...(wentOnMs > 0 && { wentOnMs }),
    bytes: resources.reduce((sum, { transferBytes }) => sum + transferBytes, 0),
    answers: answersToKeep(resources, pollsMs),
    urls: differentUrls(resources, pollsMs),
    picture: await finalPicture(evidence),
    hints: pageHints(evidence),
  };
  if (fault !== null) {
    const failure = { ...fault, detail: cut(maxUrl)(fault.detail) };
    return { ...discovery, hosts: [], forced: [], objectCoverage: 0, byteCoverage: 0, failure };
  }

  const isOfHttp3 = spec.protocols.includes('h3');
  const names = isOfHttp3 ? httpsNames(resources) : [];
  const hosts = hostsOf(resources, (await engine.httpsRecords?.(names)) ?? new Map());
  // It would have answered over HTTP/1.1 by itself, if it did not offer HTTP/2.
  const document = overH1?.fault === null && finalUrl !== null ? hosts.find(({ host }) => host === hostWithPort(finalUrl)) : undefined;
  if (document !== undefined) document.protocol = 'h2';
  if (isOfHttp3) await probe(engine, load, hosts, verdicts);
  const forced = hosts.filter(({ h3 }) => h3 === 'proven').map(({ host }) => host);
  return { ...discovery, hosts, forced, ...coverage(hosts), failure: null };
}

/**
 * When the page last went on after a pause, or showed something new beside an animation.
 *
 * @param quietMs a shorter pause is none
 * @returns milliseconds since its navigation; 0: it did not
 */
export async function lateMs(evidence: Evidence, resources: readonly Resource[], quietMs: number): Promise<number> {
  const { frames, dropped = [], page, settled } = evidence;
  const { workMs = Number.POSITIVE_INFINITY, wentOnMs = 0 } = settled ?? {};
  if (page === null) return wentOnMs;
  // What shows the news is work itself, and on a busy machine so is an animation: what the page loads says more.
  const requests = resources.flatMap(({ startMs, endMs }) => [startMs, endMs ?? startMs]);
  const loadsUntil = (ms: number) => requests.reduce((last, at) => (at <= ms ? Math.max(last, at) : last), page.navigation.loadEventEnd);
  const isLate = (ms: number) => ms - Math.min(workMs, loadsUntil(ms)) >= quietMs;
  // Most pages show nothing so late: their pictures need not be decoded.
  if (![...frames, ...dropped].some(({ timestamp }) => isLate(timestamp - page.timeOrigin))) return wentOnMs;
  const { visual } = await shownIn(evidence, page);
  const newsMs = (visual && lastNewsMs(visual)) ?? 0;
  return isLate(newsMs) ? Math.max(newsMs, wentOnMs) : wentOnMs;
}

/** Whatever a page does, what is found of it fits into what the api takes (8 MB). */
const [maxHosts, maxRedirects, maxUrl, maxText] = [1_000, 100, 2_000, 500];
const cut = (max: number) => (text: string) => (text.length > max ? `${text.slice(0, max)}…` : text);
const textOf = (text: string | null): string | null => (text === null ? null : cut(maxText)(text));

/** Tries again while the fault may be temporary. A page that hangs takes its whole time limit, and hangs again. */
async function loaded(engine: Engine, load: Load, site: Site, tries = discoveryTries) {
  for (let attempt = 1; ; attempt++) {
    const { evidence } = await engine.load(load);
    const resources = deriveResources(evidence);
    const finalUrl = evidence.page === null ? null : (documentResponse(evidence)?.url ?? evidence.page.url);
    const request = { ...load, expectStatus: site.expectStatus, finalUrl: finalUrl ?? site.url, usual: null };
    const judged = judge(request, evidence, resources, 1);
    // A document over h1 is no fault here: it is what discovery finds.
    const fault: Fault | null = judged?.reason === 'wrong-protocol' ? null : judged;
    if (fault === null || attempt === tries || isLasting(fault.reason) || fault.reason === 'load-timeout')
      return { evidence, resources, finalUrl, fault };
  }
}

/** Answers of hosts that can speak HTTP/3 at all. */
const answered = (resources: readonly Resource[]) =>
  resources.filter(
    ({ url, protocol, cache, status }) => url.startsWith('https:') && cache === 'none' && status !== null && protocol !== null,
  );

const nameOf = (url: string): string => {
  const { hostname, port } = new URL(url);
  return httpsRecordName(hostname, Number(port || 443));
};

/** Addresses have no records. */
const httpsNames = (resources: readonly Resource[]): string[] => [
  ...new Set(answered(resources).flatMap(({ url }) => (/^[\d.]+$|^\[/.test(new URL(url).hostname) ? [] : [nameOf(url)]))),
];

/**
 * The first thousand of a page.
 *
 * @param records by name; of those that are missing nothing is known
 */
function hostsOf(resources: readonly Resource[], records: ReadonlyMap<string, readonly ServiceBinding[]>): DiscoveredHost[] {
  const byHost = Map.groupBy(answered(resources), ({ url }) => hostWithPort(url));
  return [...byHost].slice(0, maxHosts).map(([host, answers]) => {
    const [{ url, protocol, server, remoteAddress }] = answers as [Resource];
    const { hostname, port } = new URL(url);
    const altSvc = answers.flatMap((answer) => (answer.altSvc === null ? [] : [answer.altSvc]));
    const bindings = records.get(nameOf(url));
    const offers = h3Offers(altSvc, bindings ?? [], hostname, Number(port || 443));
    return {
      host,
      requests: answers.length,
      transferBytes: answers.reduce((sum, { transferBytes }) => sum + transferBytes, 0),
      protocol: protocol as string,
      server: textOf(server),
      altSvc: textOf(altSvc.find(withdrawsH3) ?? altSvc[0] ?? null),
      ...(bindings === undefined ? {} : { httpsRecord: textOf(httpsRecordWords(bindings)) }),
      remoteAddress,
      h3Elsewhere: textOf(offers.elsewhere),
      offersH3: offers.here,
      h3: 'not-offered',
      probeError: null,
    };
  });
}

/**
 * Asks each candidate for /robots.txt over forced HTTP/3. That path is made for programs to ask: it changes nothing on a production server, as
 * a tracking pixel or an API call that the page makes may; and any answer proves the connection, a 404 too.
 */
async function probe(engine: Engine, load: Load, hosts: readonly DiscoveredHost[], verdicts: HostVerdicts): Promise<void> {
  const candidates = hosts.filter((host) => {
    const known = verdicts[host.host];
    // A host may offer HTTP/3 on only some of its responses; a failure there says nothing of a response that never offers it.
    if (known !== undefined && (known.h3 === 'proven' || host.offersH3)) Object.assign(host, known);
    return known === undefined && host.offersH3;
  });
  const forced = candidates.map(({ host }) => host);
  // If a host answers over HTTP/3 doesn't depend on the browser, and Chrome finds out sooner.
  const prober = load.browser === 'firefox' ? ({ engine: 'puppeteer', browser: 'chrome' } as const) : {};
  const probing: Load = { ...load, ...prober, protocol: 'h3', forced, limits: probeLimits(load.limits) };
  let failed = candidates;
  // All once, then again those that failed: so there is some time between two tries.
  for (let attempt = 1; attempt <= discoveryTries && failed.length > 0; attempt++) {
    const waiting = [...failed];
    const worker = async () => {
      for (let host = waiting.shift(); host !== undefined; host = waiting.shift()) {
        host.probeError = await probeOne(engine, { ...probing, url: `https://${host.host.replace(/:443$/, '')}/robots.txt` });
        host.h3 = host.probeError === null ? 'proven' : 'failed';
      }
    };
    // Only the first: it starts the Chrome that the others share.
    const others = waiting.splice(1);
    await worker();
    waiting.push(...others);
    await Promise.all(Array.from({ length: probesAtOnce }, worker));
    failed = failed.filter(({ h3 }) => h3 === 'failed');
  }
}

async function probeOne(engine: Engine, load: Load): Promise<string | null> {
  const { evidence } = await engine.load(load);
  const answer = deriveResources(evidence).find(({ status }) => status !== null);
  if (answer?.protocol === 'h3') return null;
  if (answer !== undefined) return `answered over ${answer.protocol}`;
  return evidence.end.kind === 'navigation-failed' ? evidence.end.error : `no answer (${evidence.end.kind})`;
}

function coverage(hosts: readonly DiscoveredHost[]): { objectCoverage: number; byteCoverage: number } {
  const proven = hosts.filter(({ h3 }) => h3 === 'proven');
  const share = (of: (host: DiscoveredHost) => number) => {
    const all = hosts.reduce((sum, host) => sum + of(host), 0);
    return all === 0 ? 0 : proven.reduce((sum, host) => sum + of(host), 0) / all;
  };
  return { objectCoverage: share(({ requests }) => requests), byteCoverage: share(({ transferBytes }) => transferBytes) };
}

/** `<https://cdn.example>; rel=preconnect`. Its time grows linearly with the header: a server may send 250 KB of anything. */
const ofLink = /<([^<>]*)>([^<>,]*)/g;
const ofRelation = /^\s*rel\s*=/i;

function linksIn(header: string): { href: string; rel: string }[] {
  return [...header.matchAll(ofLink)].flatMap(([, href = '', parameters = '']) => {
    const relations = parameters.split(';').filter((parameter) => ofRelation.test(parameter));
    const words = relations.flatMap((relation) =>
      relation
        .toLowerCase()
        .slice(relation.indexOf('=') + 1)
        .split(/[\s"]/),
    );
    return ['preconnect', 'dns-prefetch'].filter((rel) => words.includes(rel)).map((rel) => ({ href, rel }));
  });
}

/**
 * Preconnect, dns-prefetch and speculation rules: they have no effect in a browser context, which is off the record. Preload and prefetch
 * work everywhere and are not among them.
 */
export function pageHints({ page, network }: Pick<Evidence, 'page' | 'network'>): string[] {
  const headers = network.flatMap((event) => {
    if (event.method !== 'Network.responseReceived' || event.params.type !== 'Document') return [];
    const named = Object.entries(event.params.response.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    const links = named.filter(([name]) => name === 'link').flatMap(([, value]) => linksIn(value));
    return [
      ...links.map(({ href, rel }) => `${rel} ${URL.parse(href, event.params.response.url)?.href ?? href}`),
      ...(named.some(([name]) => name === 'speculation-rules') ? ['speculation rules'] : []),
    ];
  });
  return [...new Set([...headers, ...(page?.hints ?? [])])]
    .slice(0, maxHints)
    .map((hint) => (hint.length > maxHint ? `${hint.slice(0, maxHint)}…` : hint));
}

/** Each is an address, and a page may write megabytes there. */
const [maxHints, maxHint] = [100, 2_000];
