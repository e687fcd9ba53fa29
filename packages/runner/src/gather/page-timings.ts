// Reads the page's performance timeline after load, in an isolated world: a page can't fake what it can't reach.
import type { CDPSession } from 'puppeteer-core';
import type { PageTimings } from './evidence.ts';

/**
 * @returns null when the page does not answer in time, as one with a script that never ends
 */
export async function readPageTimings(session: CDPSession, frameId: string, timeoutMs: number): Promise<PageTimings | null> {
  const timeout = { timeout: timeoutMs };
  try {
    const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName: 'pronghorn' }, timeout);
    const { result, exceptionDetails } = await session.send(
      'Runtime.evaluate',
      { expression: script, contextId: executionContextId, awaitPromise: true, returnByValue: true },
      timeout,
    );
    return exceptionDetails === undefined && result.value !== undefined ? (result.value as PageTimings) : null;
  } catch {
    return null;
  }
}

// Chrome keeps entries of these types for observers that come later (`buffered`), so nothing of ours runs while the page
// loads. It keeps 150 to 200 of each; what is beyond is lost.
const script = `(async () => {
  const buffered = (type) => new Promise((resolve) => {
    const entries = [];
    const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
    try { observer.observe({ type, buffered: true }); } catch { return resolve([]); }
    setTimeout(() => { entries.push(...observer.takeRecords()); observer.disconnect(); resolve(entries); }, 0);
  });
  const navigation = performance.getEntriesByType('navigation')[0];
  // The load event's handlers may still be running.
  for (let i = 0; i < 100 && navigation.loadEventEnd === 0; i++) await new Promise((resolve) => setTimeout(resolve, 5));
  // What is loaded may still wait to be painted: two frames later it is. A page that isn't visible has no frames.
  await Promise.race([
    new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    new Promise((resolve) => setTimeout(resolve, 250)),
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
      domContentLoadedEventStart: navigation.domContentLoadedEventStart,
      loadEventStart: navigation.loadEventStart,
      loadEventEnd: navigation.loadEventEnd,
      nextHopProtocol: navigation.nextHopProtocol,
    },
    firstPaint: paint('first-paint'),
    firstContentfulPaint: paint('first-contentful-paint'),
    largestContentfulPaint: largest.at(-1)?.startTime ?? null,
    layoutShifts: shifts.filter((shift) => !shift.hadRecentInput).map(({ startTime, value }) => ({ startTime, value })),
    longTasks: longTasks.map(({ startTime, duration }) => ({ startTime, duration })),
    readAt: performance.now(),
  };
})()`;
