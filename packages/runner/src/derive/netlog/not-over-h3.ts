// Finds out why requests that may use HTTP/3 did not: compares Chrome's report in DevTools with its log.
import { offersH3 } from '@pronghorn/core/adoption';
import type { NotOverH3, Resource, WhyNotH3 } from '@pronghorn/core/schemas';
import { hostWithPort } from '../document.ts';
import { countOf, finding, type Logged, textOf, UnknownShape } from './events.ts';

/** How Chrome chose a connection for a URL, as it logged it. */
interface Choice {
  /** Chrome knew that the host offers HTTP/3. */
  known: boolean;
  /** Chrome had marked that HTTP/3 as broken. */
  broken: boolean;
}

/** @param resources of a visit that may use HTTP/3; what never got an answer is left out */
export function notOverH3(events: readonly Logged[], resources: readonly Resource[]): NotOverH3[] {
  const choices = readChoices(events);
  const attempts = readAttempts(events);
  const offers = readOffers(resources);
  return resources.flatMap((resource) => {
    const { url, protocol, cache, status } = resource;
    const isOver = cache === 'none' && protocol === 'h3';
    if (!url.startsWith('https:') || status === null || isOver) return [];
    return [{ url, protocol, why: finding(() => whyNot(resource, offers, choices.get(url) ?? [], attempts.get(hostWithPort(url)) ?? [])) }];
  });
}

/** @throws UnknownShape where Chrome says nothing that is known, or its two words differ */
function whyNot(
  resource: Resource,
  offers: ReadonlyMap<string, number>,
  choices: readonly Choice[],
  attempts: readonly boolean[],
): WhyNotH3 {
  if (resource.cache !== 'none') return 'cached';
  const usage = resource.alternateProtocolUsage;
  const isKnown = choices.some(({ known }) => known);
  switch (usage) {
    case 'mappingMissing':
      if (isKnown) throw new UnknownShape('DevTools says that no HTTP/3 was known, the log that it was.');
      return whyMissing(resource, offers);
    case 'broken':
      if (choices.length > 0 && !choices.some(({ broken }) => broken))
        throw new UnknownShape('DevTools says that HTTP/3 was abandoned, the log does not.');
      return 'broken';
    case 'mainJobWonRace':
      if (choices.length > 0 && !isKnown) throw new UnknownShape('DevTools says that HTTP/3 was tried, the log that it was not known.');
      return attempts.length > 0 && attempts.every((isConnected) => !isConnected) ? 'quic-failed' : 'race-lost';
    case null:
    case 'unspecifiedReason':
      // By the log, Chrome did not consider HTTP/3.
      if (choices.length > 0 && !isKnown) return whyMissing(resource, offers);
      break;
    default:
      break;
  }
  throw new UnknownShape(`Chrome says ${usage} of how it chose.`);
}

function whyMissing({ url, startMs }: Resource, offers: ReadonlyMap<string, number>): WhyNotH3 {
  const offeredMs = offers.get(new URL(url).host);
  if (offeredMs === undefined) return 'not-offered';
  // The headers of what ended before it began were read by then.
  if (offeredMs < startMs) throw new UnknownShape('Its host had offered HTTP/3 before, and Chrome did not know of it.');
  return 'not-known-yet';
}

/** By host, when the first response that offers HTTP/3 there had ended; infinite where none has. */
function readOffers(resources: readonly Resource[]): Map<string, number> {
  const offers = new Map<string, number>();
  for (const { url, cache, altSvc, endMs } of resources) {
    const place = URL.parse(url);
    if (cache !== 'none' || place === null || !offersH3(altSvc, place.hostname, Number(place.port || 443))) continue;
    offers.set(place.host, Math.min(offers.get(place.host) ?? Number.POSITIVE_INFINITY, endMs ?? Number.POSITIVE_INFINITY));
  }
  return offers;
}

/** By URL, once per request. */
function readChoices(events: readonly Logged[]): Map<string, Choice[]> {
  const bySource = new Map<number, Choice>();
  const byUrl = new Map<string, Choice[]>();
  for (const event of events) {
    const { source, type, phase, params } = event;
    if (type === 'HTTP_STREAM_JOB_CONTROLLER' && phase === 'begin' && params.is_preconnect !== true) {
      const choice = { known: false, broken: false };
      const url = textOf(event, 'url');
      bySource.set(source, choice);
      byUrl.set(url, [...(byUrl.get(url) ?? []), choice]);
    } else if (type === 'HTTP_STREAM_JOB_CONTROLLER_ALT_SVC_FOUND') {
      const choice = bySource.get(source);
      if (choice === undefined) continue;
      choice.known = true;
      if (params.is_broken === true || params.broken === true) choice.broken = true;
    }
  }
  return byUrl;
}

/** By host:port, whether each QUIC connection that was tried came about. */
function readAttempts(events: readonly Logged[]): Map<string, boolean[]> {
  const hosts = new Map<number, string>();
  const byHost = new Map<string, boolean[]>();
  for (const event of events) {
    const { source, type, phase, params } = event;
    if (type !== 'QUIC_SESSION_POOL_JOB') continue;
    if (phase === 'begin') hosts.set(source, `${textOf(event, 'host')}:${countOf(event, 'port')}`);
    const host = hosts.get(source);
    if (phase === 'end' && host !== undefined) byHost.set(host, [...(byHost.get(host) ?? []), params.net_error === undefined]);
  }
  return byHost;
}
