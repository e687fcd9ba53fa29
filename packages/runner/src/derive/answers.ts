// What the servers answered for the objects of a page, in the form in which discovery keeps it and visits are compared with it.
import { type DiscoveredAnswer, maxAnswers, type Resource } from '@pronghorn/core/schemas';
import { headerOf } from '../gather/network-log.ts';
import { scripted } from '../gather/open-requests.ts';
import { withoutQuery } from './document.ts';

type Answer = DiscoveredAnswer['answer'];

/** Types that neither delay nor show anything. */
export const unseen: ReadonlySet<string> = new Set(['Ping', 'Prefetch', 'CSPViolationReport']);

/** Null: none is due, because a cache answered, the page took the request back, or it is still open. */
export function answerOf({ type, cache, status, failure, blocked }: Resource): Answer | null {
  if (cache !== 'none' || unseen.has(type)) return null;
  if (failure !== null) return 'failed';
  // Chrome itself takes back a style sheet or script that is answered with an error.
  if (status !== null && status >= 400) return 'error';
  if (blocked !== null) return blocked === 'aborted' ? null : 'blocked';
  return status === null ? null : 'ok';
}

/**
 * By URL without query, because queries hold times and sessions: the worst answer of its requests. Of several requests of one URL the last one
 * counts: browsers repeat what a server answers with 421 or 425.
 */
export function answersOf(resources: readonly Resource[]): Map<string, DiscoveredAnswer> {
  const last = new Map<string, Resource>();
  for (const resource of resources) if (answerOf(resource) !== null) last.set(resource.url, resource);
  const answers = new Map<string, DiscoveredAnswer>();
  for (const resource of last.values()) {
    const url = nameOf(resource.url);
    const [its, body] = [answerOf(resource) as Answer, bodyOf(resource)];
    const before = answers.get(url);
    answers.set(url, {
      url,
      answer: before === undefined || severity.indexOf(its) > severity.indexOf(before.answer) ? its : before.answer,
      bodyBytes: before?.bodyBytes === null || body === null ? null : togetherOf(resource, before?.bodyBytes ?? 0, body),
      encoding: headerOf(resource.headers ?? {}, 'content-encoding')?.slice(0, maxEncoding) ?? null,
    });
  }
  return answers;
}

/** Of what a script asks for again and again, once. */
const togetherOf = ({ type }: Resource, before: number, body: number): number =>
  scripted.has(type) ? Math.max(before, body) : before + body;

/** Null: unknown. Of a video or sound as much comes as the visit lasts, and an icon (`Other`) comes when Chrome has time for it. */
const bodyOf = ({ type, encodedBodyBytes = null }: Resource): number | null =>
  type === 'Media' || type === 'Other' ? null : encodedBodyBytes;

const severity: readonly Answer[] = ['ok', 'blocked', 'error', 'failed'];

/**
 * As discovery keeps them: as many as the service takes. Of what scripts request later than `untilMs` no size is kept: discovery watches a page for
 * longer than visits, and sees more polls.
 */
export function answersToKeep(resources: readonly Resource[], untilMs = Number.POSITIVE_INFINITY): DiscoveredAnswer[] {
  const late = new Set(resources.flatMap(({ url, type, startMs }) => (scripted.has(type) && startMs > untilMs ? [nameOf(url)] : [])));
  let characters = 0;
  return [...answersOf(resources).values()]
    .slice(0, maxAnswers)
    .filter(({ url }) => {
      characters += url.length;
      return characters <= maxCharacters;
    })
    .map((answer) => (late.has(answer.url) ? { ...answer, bodyBytes: null } : answer));
}
const maxCharacters = 3_000_000;
/** What a page requests from so long after its load event on may be polls, milliseconds. */
export const pollsFromMs = 2_000;

/** The name under which an object is known. */
export const nameOf = (url: string): string => withoutQuery(url).slice(0, maxName);

/** How many URLs were answered over the network. */
export const differentUrls = (resources: readonly Resource[], untilMs = Number.POSITIVE_INFINITY): number =>
  new Set(resources.flatMap(({ url, status, cache, startMs }) => (status === null || cache !== 'none' || startMs > untilMs ? [] : [url])))
    .size;

const maxName = 2_000;
const maxEncoding = 40;

/** What an edge cache says of an answer: `X-Cache`, `CF-Cache-Status`, or `Age`; null: nothing that tells. */
export function edgeCacheOf(headers: Readonly<Record<string, string>>): 'hit' | 'miss' | null {
  // Of several caches on the way the last one is nearest to the visitor. Its first word tells: `HIT from node`, `TCP_MISS`, `miss (1 hit)`.
  const [word = ''] = (headerOf(headers, 'cf-cache-status') ?? headerOf(headers, 'x-cache')?.split(/[,\n]/).at(-1) ?? '')
    .trim()
    .split(/[^\w]/);
  if (/^(\w*_)?(hit|stale|revalidated|updating)/i.test(word)) return 'hit';
  if (/^(\w*_)?(miss|expired)/i.test(word)) return 'miss';
  return Number(headerOf(headers, 'age') ?? 0) > 0 ? 'hit' : null;
}
