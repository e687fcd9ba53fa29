// Pages as people type or paste them: one on a line, with commas, with or without https://.
import type { CampaignRequest } from '@pronghorn/core/schemas';

export type SiteRequest = CampaignRequest['sites'][number];

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i;
const hostStart =
  /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?!(?:html?|php|js|css|png|jpe?g|gif|svg|json|xml|aspx?|pdf|txt)\b)[a-z0-9-]{2,}(?=$|[/:?#,;])/i;

/** No URL contains these characters (RFC 3986), but lists have them around each item. */
const around = /["“”„«»<>]/g;

/**
 * A comma within a URL stays in it: it parts two pages only where a scheme, a host name or nothing follows.
 * @returns each as it was written.
 */
export function urlsOf(text: string): string[] {
  return text
    .replace(around, '')
    .split(/\s+/)
    .flatMap((word) => {
      const urls: string[] = [];
      for (const [place, part] of word.split(/[,;]/).entries()) {
        const before = urls.at(-1);
        if (place === 0 || before === undefined || part === '' || scheme.test(part) || hostStart.test(part)) urls.push(part);
        else urls[urls.length - 1] = `${before},${part}`;
      }
      return urls;
    })
    .filter((url) => /[\p{L}\p{N}]/u.test(url));
}

/** A name without a dot, a port or a scheme is rather a slip than a host. */
export function isBareWord(url: string): boolean {
  const [host = ''] = url.split(/[/?#]/);
  return !/[.:[]/.test(host) && host.toLowerCase() !== 'localhost';
}

/** People write example.org; a page of today is https. A bare word stays as it is. */
export function withScheme(url: string): string {
  if (isBareWord(url)) return url;
  return /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]*:\d+(\/|$)/.test(url) ? url : `https://${url}`;
}

/** Typed URLs as a campaign takes them. @param known sites, whose names and statuses stay */
export function sitesOf(text: string, known: readonly SiteRequest[]): SiteRequest[] {
  const byUrl = new Map(known.map((site) => [site.url, site]));
  return urlsOf(text).map((written) => {
    const url = withScheme(written);
    return byUrl.get(url) ?? { url };
  });
}
