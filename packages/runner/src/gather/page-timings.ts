// Gathers a page's evidence once its load has ended: its requests, and its performance timeline, read in an isolated world: a page can't
// fake what it can't reach.
import type { CDPSession } from 'puppeteer-core';
import type { Evidence, LoadEnd, NetworkEvent, PageTimings } from './evidence.ts';
import { type NetworkLog, slimUrl } from './network-log.ts';
import { evaluateApart, type PageSession } from './page-session.ts';

/** For how long a task blocks its page: the part beyond 50 ms (https://web.dev/articles/tbt). */
export const blockingMs = (durationMs: number): number => Math.max(0, durationMs - 50);

/** True if the load event fired. */
export const isFinished = ({ kind }: LoadEnd): boolean => kind === 'quiet' || kind === 'settle-cut';

/** Gathers the requests of a load that has ended, and the page's own timings if it came. */
export async function gatherPage(
  { network, documents }: { network: NetworkLog; documents: NonNullable<Evidence['documents']> },
  { session, frameId }: Pick<PageSession, 'session' | 'frameId'>,
  end: LoadEnd,
  answerMs: number,
): Promise<Pick<Evidence, 'end' | 'network' | 'bodyBytes' | 'receivedBytes' | 'sockets' | 'page' | 'documents'>> {
  const read = isFinished(end) ? await readPageTimings(session, frameId, answerMs) : null;
  const hasMoved = documents.length > 1;
  return {
    ...{ end, network: network.events, bodyBytes: network.bodyBytes, receivedBytes: network.receivedBytes, sockets: network.sockets },
    page: read !== null && hasMoved ? sinceFirstDocument(read, network.events) : read,
    ...(hasMoved ? { documents } : {}),
  };
}

/**
 * @returns null when the page does not answer in time, as one with a script that never ends
 */
async function readPageTimings(session: CDPSession, frameId: string, timeoutMs: number): Promise<PageTimings | null> {
  try {
    const { result, exceptionDetails } = await evaluateApart(session, frameId, script, { timeoutMs, awaitPromise: true });
    if (exceptionDetails !== undefined || result.value === undefined) return null;
    const page = result.value as PageTimings;
    return { ...page, url: slimUrl(page.url) };
  } catch {
    return null;
  }
}

/** The timings of a page that another document led to, counted from the start of the first one, as its visitor counts. */
export function sinceFirstDocument(page: PageTimings, network: readonly NetworkEvent[]): PageTimings {
  const first = network.find((event) => event.method === 'Network.requestWillBeSent');
  if (first === undefined) return page;
  const timeOrigin = first.params.wallTime * 1_000;
  const later = page.timeOrigin - timeOrigin;
  const moved = (ms: number | null) => (ms === null ? null : ms + later);
  const { navigation } = page;
  return {
    ...page,
    timeOrigin,
    documentAt: later,
    navigation: {
      ...navigation,
      responseStart: navigation.responseStart + later,
      finalResponseHeadersStart: navigation.finalResponseHeadersStart && navigation.finalResponseHeadersStart + later,
      domContentLoadedEventStart: navigation.domContentLoadedEventStart + later,
      loadEventStart: navigation.loadEventStart + later,
      loadEventEnd: navigation.loadEventEnd + later,
    },
    firstPaint: moved(page.firstPaint),
    firstContentfulPaint: moved(page.firstContentfulPaint),
    largestContentfulPaint: moved(page.largestContentfulPaint),
    layoutShifts: page.layoutShifts?.map((shift) => ({ ...shift, startTime: shift.startTime + later })) ?? null,
    longTasks: page.longTasks?.map((task) => ({ ...task, startTime: task.startTime + later })) ?? null,
    readAt: page.readAt + later,
  };
}

// Browsers keep entries of these types for observers that come later (`buffered`), so nothing of ours runs while the page
// loads. Chrome keeps 150 to 200 of each; what is beyond is lost. A browser without a type has null: its number is unknown, not 0.
const script = `(async () => {
  const buffered = (type) => new Promise((resolve) => {
    if (!PerformanceObserver.supportedEntryTypes.includes(type)) return resolve(null);
    const entries = [];
    const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
    observer.observe({ type, buffered: true });
    setTimeout(() => { entries.push(...observer.takeRecords()); observer.disconnect(); resolve(entries); }, 0);
  });
  const navigation = performance.getEntriesByType('navigation')[0];
  // The load event's handlers may still be running, in a dialog or a nested loop: the caller gives up in time, and gets no time of 0.
  while (navigation.loadEventEnd === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  // Loaded content may still wait to be painted: two frames later it is, or later on a busy machine. A page that isn't visible has no frames.
  await Promise.race([
    new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    new Promise((resolve) => setTimeout(resolve, document.visibilityState === 'visible' ? 2_000 : 250)),
  ]);
  const [largest, shifts, longTasks] = await Promise.all([
    buffered('largest-contentful-paint'), buffered('layout-shift'), buffered('longtask'),
  ]);
  const paint = (name) => performance.getEntriesByType('paint').find((entry) => entry.name === name)?.startTime ?? null;
  return {
    timeOrigin: performance.timeOrigin,
    url: location.href,
    navigation: {
      responseStart: navigation.responseStart,
      finalResponseHeadersStart: navigation.finalResponseHeadersStart ?? 0,
      domContentLoadedEventStart: navigation.domContentLoadedEventStart,
      loadEventStart: navigation.loadEventStart,
      loadEventEnd: navigation.loadEventEnd,
      nextHopProtocol: navigation.nextHopProtocol,
    },
    firstPaint: paint('first-paint'),
    firstContentfulPaint: paint('first-contentful-paint'),
    largestContentfulPaint: largest?.at(-1)?.startTime ?? null,
    largestContentfulSize: largest?.at(-1)?.size,
    layoutShifts: shifts?.filter((shift) => !shift.hadRecentInput).map(({ startTime, value }) => ({ startTime, value })) ?? null,
    longTasks: longTasks?.map(({ startTime, duration }) => ({ startTime, duration })) ?? null,
    hints: [
      ...[...document.querySelectorAll('link[rel~=preconnect i], link[rel~=dns-prefetch i]')].map(({ rel, href }) => rel + ' ' + href)
        .map((hint) => hint.length > 2_000 ? hint.slice(0, 2_000) + '…' : hint),
      ...(document.querySelector('script[type=speculationrules i]') === null ? [] : ['speculation rules']),
    ].slice(0, 100),
    readAt: performance.now(),
  };
})()`;
