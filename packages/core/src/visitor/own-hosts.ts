// A page's own hosts: they get its headers and passwords, are loaded with first party only, and a load that lost one of their objects is
// incomplete.
import { type CallsPolicy, ownershipPath } from '../schemas/calls.ts';
import type { Visitor } from '../schemas/visitor.ts';

/**
 * Patterns of a page's own hosts: its host and subdomains, without a leading `www.`, and the hosts that the visitor names. A pattern is a
 * host name or an address, or `*.` before a host for its subdomains. No list of public suffixes is used: shop.example.co.uk is not
 * example.co.uk.
 */
export function ownHosts(url: string, { ownHosts: named = [] }: Pick<Visitor, 'ownHosts'>): string[] {
  const { hostname } = new URL(url);
  const bare = hostname.replace(/^www\./, '');
  const host = isManyOwners(bare) ? hostname : bare;
  const below = /^\[|^[\d.]+$/.test(host) ? [] : [`*.${host}`];
  return [...new Set([host, ...below, ...patternsOf(named)])];
}

/** Whether a URL's host is one of these; `*.host` is the host and its subdomains. */
export function isAmongHosts(url: string, names: readonly string[]): boolean {
  const host = URL.parse(url)?.hostname.replace(/\.$/, '');
  return host !== undefined && isOwn(`https://${host}/`, patternsOf(names.map((name) => name.replace(/\.$/, ''))));
}

const patternsOf = (names: readonly string[]): string[] =>
  names.flatMap((name) => (name.startsWith('*.') ? [hostOf(name.slice(2)), `*.${hostOf(name.slice(2))}`] : [hostOf(name)]));

/** True if the name after `www.` has many owners: www.com is not all of com, nor www.gov.uk each council's site. */
const isManyOwners = (host: string): boolean => !host.includes('.') || /^(ac|co|com|edu|gov|gouv|mil|ne|net|or|org)\.[a-z]{2}$/.test(host);

/** As in URLs: lower case, other letters as punycode. */
const hostOf = (name: string): string => URL.parse(`https://${name}/`)?.hostname ?? name;

/** @returns the problem with a visitor's pattern; undefined: none */
export function ownHostProblem(pattern: string): string | undefined {
  const name = pattern.replace(/^\*\./, '');
  const url = URL.parse(`https://${name}/`);
  // A text that only looks like a host, such as one with a port, becomes another one in a URL.
  if (/[*/:?#@\s]/.test(name.replace(/^\[[\da-f:.]+\]$/i, '')) || url === null || !/^[\w.-]+$|^\[/.test(url.hostname))
    return `"${pattern}" is no host; expected one such as cdn.example.com or *.example.com, without scheme, port and path.`;
  if (pattern !== name && !name.includes('.') && name !== 'localhost')
    return `"${pattern}" covers a whole top-level domain; expected one such as *.example.com.`;
  return undefined;
}

/** Whether a URL's host matches one of the patterns. */
export function isOwn(url: string, patterns: readonly string[]): boolean {
  const host = URL.parse(url)?.hostname;
  if (host === undefined) return false;
  return patterns.some((pattern) => (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern));
}

/** The domain of all demo origins, and of folders and servers that the command line serves; no public name ends with it. */
const demoDomain = '.pronghorn.test';

const isDemoHost = (hostname: string): boolean => hostname.endsWith(demoDomain);

/** Whether a host is a loopback by its name or address alone, whatever DNS says. */
export const isLoopbackHost = (hostname: string): boolean =>
  /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/i.test(hostname);

/** Why a URL may not be loaded at all; undefined: it may, once its server has shown the token if required. */
export function callsHostProblem(url: string, { hosts, loopback }: Omit<CallsPolicy, 'limits'>): string | undefined {
  const { hostname } = new URL(url);
  const host = hostname.replace(/\.$/, '');
  if (isDemoHost(host) || hosts === null) return undefined;
  if (loopback && isLoopbackHost(host)) return undefined;
  if (isAmongHosts(url, hosts)) return undefined;
  return `${host} may not be loaded with REST calls: it is not among the hosts that this service allows (calls.hosts). Ask its operator to add it, and serve the service's token at ${ownershipPath}; GET /api/v1/calls returns the token.`;
}
