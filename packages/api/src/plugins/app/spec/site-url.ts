import { domainToUnicode } from 'node:url';

/**
 * The URL of a page under test, as Chrome writes it (WHATWG URL; a name with other letters as punycode), without fragment.
 * @throws Error that says in one sentence what was found and what was expected.
 */
export function parseSiteUrl(given: string): URL {
  const url = URL.parse(given);
  if (!url) throw new Error(`"${given}" is not a URL; expected one such as ${suggestion(given)}.`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    const scheme = `"${given}" has the scheme ${url.protocol.slice(0, -1)}; expected https or http`;
    throw new Error(given.includes('://') ? `${scheme}.` : `${scheme}, such as ${suggestion(given)}.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error(`The URL of ${url.host} has credentials in it; they would be stored and shown. Give a URL without them.`);
  }
  if (url.port === '0') throw new Error(`"${given}" has port 0; expected one between 1 and 65535.`);
  const labels = url.hostname.replace(/\.$/, '').split('.');
  if (url.hostname.length > 254 || labels.some((label) => !url.hostname.startsWith('[') && (label === '' || label.length > 63))) {
    throw new Error(`"${url.hostname}" is no host name; expected labels of 1 to 63 characters, 253 in all.`);
  }
  url.hash = '';
  return url;
}

/** What to call a site that was given no name: host, path and query, with the letters that people write. */
export function defaultSiteName(url: URL): string {
  const host = domainToUnicode(url.hostname) || url.hostname;
  return `${host}${url.port && `:${url.port}`}${url.pathname === '/' ? '' : url.pathname}${url.search}`.slice(0, 200);
}

const suggestion = (given: string) => {
  const guess = URL.parse(`https://${given.trim().replace(/^\/+/, '')}`);
  return guess?.hostname.includes('.') || guess?.port ? guess.href : 'https://example.com/';
};
