// What a page asks Chrome to prepare, in its document or in the headers of it.
import type { Evidence } from '../gather/evidence.ts';

/** `<https://cdn.example>; rel=preconnect`. In time that grows with the header's length alone: a server may send 250 KB of anything. */
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
    .slice(0, mostHints)
    .map((hint) => (hint.length > longestHint ? `${hint.slice(0, longestHint)}…` : hint));
}

/** Each is an address, and a page may write megabytes there. */
const [mostHints, longestHint] = [100, 2_000];
