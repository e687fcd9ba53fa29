// Which hosts are a page's own: they get its headers and passwords, stay with first party only, and a load that lost one of their objects is
// incomplete.
import { type CallsPolicy, ownershipPath } from '../schemas/calls.ts';
import type { Visitor } from '../schemas/visitor.ts';

/**
 * Patterns of the hosts that are a page's own: its host and all below it, without `www.` before it, and what the visitor names. A pattern is a
 * host name or an address, or `*.` before one for all below it. No list of public suffixes decides: shop.example.co.uk is not example.co.uk.
 */
export function ownHosts(url: string, { ownHosts: named = [] }: Pick<Visitor, 'ownHosts'>): string[] {
  const { hostname } = new URL(url);
  const bare = hostname.replace(/^www\./, '');
  const host = isManyOwners(bare) ? hostname : bare;
  const below = /^\[|^[\d.]+$/.test(host) ? [] : [`*.${host}`];
  return [...new Set([host, ...below, ...patternsOf(named)])];
}

/** Whether a URL's host is one of these; `*.host` is the host and all below it. */
export function isAmongHosts(url: string, names: readonly string[]): boolean {
  const host = URL.parse(url)?.hostname.replace(/\.$/, '');
  return host !== undefined && isOwn(`https://${host}/`, patternsOf(names.map((name) => name.replace(/\.$/, ''))));
}

const patternsOf = (names: readonly string[]): string[] =>
  names.flatMap((name) => (name.startsWith('*.') ? [hostOf(name.slice(2)), `*.${hostOf(name.slice(2))}`] : [hostOf(name)]));

/** Where `www.` is a name that somebody registered: www.com is not all of com, nor www.gov.uk each council's site. */
const isManyOwners = (host: string): boolean => !host.includes('.') || /^(ac|co|com|edu|gov|gouv|mil|ne|net|or|org)\.[a-z]{2}$/.test(host);

/** As URLs have it: lower case, other letters as punycode. */
const hostOf = (name: string): string => URL.parse(`https://${name}/`)?.hostname ?? name;

/** @returns what is wrong with a pattern that a visitor names; undefined: nothing */
export function ownHostProblem(pattern: string): string | undefined {
  const name = pattern.replace(/^\*\./, '');
  const url = URL.parse(`https://${name}/`);
  // What only looks like a host, such as one with a port, becomes another one in a URL.
  if (/[*/:?#@\s]/.test(name.replace(/^\[[\da-f:.]+\]$/i, '')) || url === null || !/^[\w.-]+$|^\[/.test(url.hostname))
    return `"${pattern}" is no host; expected one such as cdn.example.com or *.example.com, without scheme, port and path.`;
  if (pattern !== name && !name.includes('.') && name !== 'localhost')
    return `"${pattern}" covers a whole top-level domain; expected one such as *.example.com.`;
  return undefined;
}

/** Whether a URL is of such a host. */
export function isOwn(url: string, patterns: readonly string[]): boolean {
  const host = URL.parse(url)?.hostname;
  if (host === undefined) return false;
  return patterns.some((pattern) => (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern));
}

/** All hosts of demo origins, and of folders and servers that the command line serves, are below it: no name of the world is. */
const demoDomain = '.pronghorn.test';

const isDemoHost = (hostname: string): boolean => hostname.endsWith(demoDomain);

/** Whether a URL's host is a loopback by its name or address alone, whatever DNS says. */
export const isLoopbackHost = (hostname: string): boolean =>
  /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/i.test(hostname);

/** Why a URL may not be loaded at all; undefined: it may, once its server has shown the token, if it has to. */
export function callsHostProblem(url: string, { hosts, loopback }: Omit<CallsPolicy, 'limits'>): string | undefined {
  const { hostname } = new URL(url);
  const host = hostname.replace(/\.$/, '');
  if (isDemoHost(host) || hosts === null) return undefined;
  if (loopback && isLoopbackHost(host)) return undefined;
  if (isAmongHosts(url, hosts)) return undefined;
  return `${host} may not be loaded with REST calls: it is not among the hosts that this service allows (calls.hosts). Ask its operator to add it, and serve the service's token at ${ownershipPath}; GET /api/v1/calls returns the token.`;
}
