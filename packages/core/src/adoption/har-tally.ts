// Counts the hosts of a HAR entry by entry, so that the whole file is never in memory.

import { providerOf } from '../campaign/across/providers.ts';
import type { HostAnswer } from '../schemas/adoption.ts';
import type { LeftOut } from '../vocabulary/left-out.ts';
import { quicVersions } from './alt-svc.ts';

/** Longer Server headers are not names. */
const maxServer = 200;

/** Characters of all Alt-Svc headers of a response; real ones have some hundred. */
const maxAltSvc = 4_000;
/** A DNS name has at most 253 characters; the port is included. */
const maxHost = 260;
/** Distinct answers, and pages: far more than any real HAR has. All are kept in memory until the end. */
const maxAnswers = 200_000;
const maxPages = 200_000;
/** Characters of all answers together. */
const maxStored = 50_000_000;
const maxPageId = 1_000;
/** Alt-Svc headers whose versions are remembered. */
const maxHeaders = 1_000;

/** A HAR that can't be counted; the message names the wrong entry. */
export class HarFault extends Error {}

/** @property key null: nobody knows what it advertised, so its page counts for no site. */
type Document = { key: string | null; startedMs: number; isFinal: boolean };

/**
 * Counts how hosts answered. Missing or mistyped fields are unknown if that does no harm; a time and a URL are required.
 */
export class HarTally {
  pages = 0;
  requests = 0;
  creator: string | null = null;
  /** Requests that tell nothing about who advertises HTTP/3. */
  readonly leftOut: LeftOut = {};
  #stored = 0;
  readonly #answers = new Map<string, HostAnswer>();
  readonly #documents = new Map<string, Document>();
  readonly #pageTimes = new Map<string, string>();
  /** By Alt-Svc headers: a CDN's is the same in thousands of answers. */
  readonly #versions = new Map<string, string[]>();

  /** log.creator. */
  setCreator(creator: unknown): void {
    const name = textAt(creator, 'name');
    const version = textAt(creator, 'version');
    if (name !== null) this.creator = `${name} ${version ?? ''}`.trim().slice(0, maxServer);
  }

  /** One of log.pages. */
  addPage(page: unknown): void {
    this.pages++;
    const id = textAt(page, 'id')?.slice(0, maxPageId);
    const started = textAt(page, 'startedDateTime')?.slice(0, 50);
    if (id === undefined || started === undefined) return;
    this.#pageTimes.set(id, started);
    assertPages(this.#pageTimes.size);
  }

  /**
   * One of log.entries.
   * @throws HarFault when it has no URL or no time.
   */
  addEntry(entry: unknown): void {
    const place = `entry ${this.requests}`;
    this.requests++;
    const request = at(entry, 'request');
    const address = textAt(request, 'url');
    if (address === null) throw new HarFault(`${place} has no request.url; expected the URL that was asked`);
    const url = URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol)) return; // data:, blob:, about:, chrome-extension:
    if (url.host.length > maxHost) {
      throw new HarFault(`${place} (${address.slice(0, 200)}) has a host of ${url.host.length} characters; expected at most ${maxHost}`);
    }
    const response = at(entry, 'response');
    const status = Number(at(response, 'status') ?? 0);
    if (!(status >= 100)) {
      this.#leaveOut('no-answer');
      return;
    }

    const pageId = textAt(entry, 'pageref')?.slice(0, maxPageId) ?? '';
    const started = (textAt(entry, 'startedDateTime') || this.#pageTimes.get(pageId)) ?? '';
    const startedMs = Date.parse(started);
    if (Number.isNaN(startedMs)) {
      throw new HarFault(
        `${place} (${address.slice(0, 200)}) has startedDateTime "${started.slice(0, 50)}"; expected a time such as 2020-12-01T09:30:00.000Z`,
      );
    }
    const month = monthOf(startedMs);
    if (month === null) throw new HarFault(`${place} has startedDateTime "${started.slice(0, 50)}"; expected a time between 1990 and 2100`);

    const document = { startedMs, isFinal: at(entry, '_final_base_page') === true };
    const headers = at(response, 'headers');
    const why = unknown(entry, status, headers);
    if (why !== null) {
      this.#leaveOut(why);
      this.#considerDocument(pageId, { key: null, ...document }, status);
      return;
    }
    const server = (headerOf(headers, 'server') ?? '').slice(0, maxServer);
    const altSvc = headerOf(headers, 'alt-svc')?.slice(0, maxAltSvc) ?? null;
    const versions = this.#versionsIn(altSvc);
    const key = JSON.stringify([month, url.host, server, versions]);
    let answer = this.#answers.get(key);
    if (!answer) {
      const remoteAddress = textAt(entry, 'serverIPAddress');
      const provider = providerOf({ host: url.host, server: server === '' ? null : server, altSvc, remoteAddress });
      answer = { month, host: url.host, server, versions, provider, documents: 0, responses: 0 };
      this.#answers.set(key, answer);
      this.#stored += key.length;
      if (this.#answers.size > maxAnswers || this.#stored > maxStored) {
        throw new HarFault(
          `it has more than ${this.#answers.size - 1} different answers of hosts; expected at most ${maxAnswers}. Send it in parts`,
        );
      }
    }
    answer.responses++;
    if (pageId === '') this.#leaveOut('no-page');
    this.#considerDocument(pageId, { key, ...document }, status);
  }

  #leaveOut(why: keyof LeftOut): void {
    this.leftOut[why] = (this.leftOut[why] ?? 0) + 1;
  }

  #versionsIn(altSvc: string | null): string[] {
    if (altSvc === null) return quicVersions(null);
    const known = this.#versions.get(altSvc);
    if (known) return known;
    if (this.#versions.size >= maxHeaders) this.#versions.clear();
    const versions = quicVersions(altSvc);
    this.#versions.set(altSvc, versions);
    return versions;
  }

  /** In order of arrival, distinct by month, host, server and versions. */
  answers(): Iterable<HostAnswer> {
    // Without pages, such as by a proxy, one file may be of many sites. With one page, all is its.
    if (this.pages === 1) delete this.leftOut['no-page'];
    else this.#documents.delete('');
    for (const { key } of this.#documents.values()) {
      const answer = key === null ? undefined : this.#answers.get(key);
      if (answer) answer.documents++;
    }
    this.#documents.clear();
    return this.#answers.values();
  }

  /** The main document is the one that WebPageTest marks, otherwise the page's first response that is not a redirect. */
  #considerDocument(pageId: string, candidate: Document, status: number): void {
    const before = this.#documents.get(pageId);
    const isRedirect = status >= 300 && status < 400 && status !== 304;
    if (candidate.isFinal || (!before?.isFinal && !isRedirect && (!before || candidate.startedMs < before.startedMs)))
      this.#documents.set(pageId, candidate);
    assertPages(this.#documents.size);
  }
}

/** Why an answer does not say what its host advertises; null: it does. */
function unknown(entry: unknown, status: number, headers: unknown): keyof LeftOut | null {
  if (!Array.isArray(headers) || headers.length === 0) return 'no-headers';
  return (status === 304 || isCached(entry)) && headerOf(headers, 'alt-svc') === null ? 'cached' : null;
}

/** Marks of Chrome’s developer tools and of WebPageTest. */
const isCached = (entry: unknown): boolean =>
  [entry, at(entry, 'response')].some((its) => ['_fromCache', '_fromDiskCache', '_cached'].some((mark) => Boolean(at(its, mark))));

function assertPages(pages: number): void {
  if (pages > maxPages) throw new HarFault(`it has more than ${maxPages} pages. Send it in parts`);
}

const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;

function textAt(value: unknown, key: string): string | null {
  const text = at(value, key);
  return typeof text === 'string' ? text : null;
}

/** A repeated header has several entries in a HAR. */
function headerOf(headers: unknown, name: string): string | null {
  if (!Array.isArray(headers)) return null;
  const values = headers.filter((header) => textAt(header, 'name')?.toLowerCase() === name).map((header) => textAt(header, 'value') ?? '');
  return values.length === 0 ? null : values.join(', ');
}

function monthOf(time: number): string | null {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  return year < 1990 || year > 2100 ? null : `${year}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
}
