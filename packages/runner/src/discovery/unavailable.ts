// Protocols that a discovery rules out before they are measured.
import type { DiscoveredHost, SiteDiscovery } from '@pronghorn/core/schemas';
import type { Discovery, Protocol } from '@pronghorn/core/vocabulary';
import { hostWithPort } from '../derive/document.ts';
import type { Fault } from '../derive/verdict.ts';
import { discoveryTries } from '../engines/engine.ts';

/**
 * Why discovery rules a protocol out for this site; null: it doesn't.
 *
 * @param how Chrome comes to HTTP/3 in the campaign
 */
export function unavailable(protocol: Protocol, { finalUrl, hosts }: SiteDiscovery, how: Discovery): Fault | null {
  if (protocol === 'h1' || finalUrl === null) return null;
  const because = (detail: string): Fault => ({ reason: 'protocol-unavailable', detail });
  if (finalUrl.startsWith('http:')) {
    return because(
      `The page ended on ${finalUrl}, which is plain http: browsers speak only HTTP/1.1 there. Give its https URL, if it has one.`,
    );
  }
  const key = hostWithPort(finalUrl);
  const host = hosts.find((one) => one.host === key);
  if (host === undefined) return null;
  if (protocol === 'h2') return host.protocol === 'h2' ? null : because(`${key} speaks ${host.protocol}, not HTTP/2.`);
  switch (host.h3) {
    case 'proven':
      return null;
    case 'unreliable':
    case 'failed':
      return because(
        `${key} advertises HTTP/3 (${offerOf(host)}), but it failed in each of ${discoveryTries} tries: ${host.probeError}.${elsewhereWords(host)}`,
      );
    case 'not-offered':
      // Chrome itself goes there.
      if (host.h3Elsewhere && how === 'alt-svc') return null;
      if (host.h3Elsewhere) {
        return because(
          `${key} offers HTTP/3 on ${host.h3Elsewhere} alone, which is not forced: Chrome can be told to force it on the URL’s own host and port only. ` +
            'Discovery alt-svc measures what Chrome makes of it by itself.',
        );
      }
      return because(`${key} does not offer HTTP/3: ${offerOf(host)}.`);
  }
}

/** Over QUIC Chrome asks the first address of a name alone; over TCP it goes on to the next one. For it `localhost` is [::1] first. */
function elsewhereWords({ host, remoteAddress }: DiscoveredHost): string {
  const { hostname, port } = new URL(`https://${host}`);
  const isLocal = /^(?:.+\.)?localhost$/.test(hostname);
  if (!remoteAddress || !isLocal || remoteAddress.startsWith('[')) return '';
  const at = `[::1]:${port || 443}`;
  return ` Chrome tried ${at}, the first address of ${hostname}, and over QUIC no other; HTTP/2 came from ${remoteAddress}. Let the server listen at ${at} too.`;
}

function offerOf({ altSvc, httpsRecord }: DiscoveredHost): string {
  const header = altSvc === null ? 'no Alt-Svc header' : `Alt-Svc ${altSvc}`;
  if (httpsRecord === undefined) return `${header}, HTTPS record unknown`;
  return `${header}, ${httpsRecord === null ? 'no HTTPS record' : `HTTPS record ${httpsRecord}`}`;
}
