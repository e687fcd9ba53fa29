// browsertime's options for one visit, and the messages between the engine and the visit's program. Of browsertime's hundreds of options only these reach it.
import type { EngineOptions, Limits } from '@pronghorn/core/schemas';
import { viewport } from '../../chrome/flags.ts';
import type { Evidence } from '../../gather/evidence.ts';
import type { WatchLimits } from '../../gather/settling.ts';

/** Where a visit's programs are, and what Chrome is started with. */
interface BrowsertimeChoices {
  flags: readonly string[];
  chrome: string;
  chromedriver: string;
  /** Used only by this visit. */
  folder: string;
  limits: Limits & WatchLimits;
  options: EngineOptions | undefined;
}

/** Covers the load event, what follows, and one more look: the watch of the load ends it sooner. */
const spareMs = 30_000;
/** Time for chromedriver's own answers. */
const answerMs = 10_000;
/** How often browsertime looks whether the page has ended, milliseconds: a look is a script in the page. */
const lookMs = 100;

export const hasVideo = (options: EngineOptions | undefined): boolean => options?.video !== false;

/**
 * Size of the window that gives pages the viewport of the other engines. Chromium 156 has its tabs and its address bar above the page, and headless Chrome
 * keeps that place; on a display without a window manager the page gets a pixel less each way.
 */
export function windowSize(video: boolean): { width: number; height: number } {
  const edge = video ? 1 : 0;
  return { width: viewport.width + edge, height: viewport.height + 87 + edge };
}

/** browsertime's options, as of 26.3 (its `bin/browsertime.js --help`). A wait of 0 would mean its default. */
export function browsertimeOptions({ flags, chrome, chromedriver, folder, limits, options }: BrowsertimeChoices): Record<string, unknown> {
  const video = hasVideo(options);
  const { width, height } = windowSize(video);
  const maxMs = limits.loadTimeoutMs + limits.settleMaxMs + spareMs;
  return {
    browser: 'chrome',
    iterations: 1,
    browserRestartTries: 1,
    headless: !video,
    video,
    // They are computed from the video by a program of their own, once Chrome is gone from the CPU.
    visualMetrics: false,
    // Its own rate; the film is kept as recorded, since nobody watches it.
    videoParams: { framerate: 30, convert: false },
    viewPort: `${width}x${height}`,
    resultDir: folder,
    useSameDir: true,
    // Network events are recorded live instead.
    skipHar: true,
    connectivity: {},
    pageLoadStrategy: 'none',
    // Another try would wait for 10 s first.
    retries: 0,
    timeouts: { browserStart: 20_000, pageLoad: maxMs, script: maxMs, pageCompleteCheck: maxMs, logs: answerMs },
    ...(options?.waits === 'browsertime' ? defaultWaits : waitsForThePage(limits)),
    chrome: { binaryPath: chrome, chromedriverPath: chromedriver, args: chromeArguments(flags, video) },
  };
}

/**
 * A URL as browsertime may have it: it pastes it between the quotation marks of a script, where a backslash, which queries may have as it is, would make
 * another page of it, and a quotation mark another script.
 */
export const urlInScript = (url: string): string => JSON.stringify(new URL(url).href).slice(1, -1);

/** Defaults of its command line: 13 s and more of each visit. */
const defaultWaits = { pageCompleteCheckStartWait: 5_000, pageCompleteWaitTime: 8_000, pageCompleteCheckPollTimeout: 1_500 } as const;

const waitsForThePage = ({ quietMs, settleMaxMs, untilMs = 0 }: WatchLimits) => ({
  pageCompleteCheck: pageCompleteCheck(settleMaxMs, untilMs),
  pageCompleteWaitTime: Math.max(1, quietMs),
  pageCompleteCheckStartWait: 1,
  pageCompleteCheckPollTimeout: lookMs,
  timeToSettle: 1,
});

/**
 * True once load has fired and nothing has come for the wait that browsertime passes, or the time to settle is over, and the page was watched for
 * `untilMs`. Of requests that are still open the page's own timeline says nothing. The start page, a data URL, has loaded too.
 */
const pageCompleteCheck = (settleMaxMs: number, untilMs: number): string => `return (function (quietMs) {
  var navigation = performance.getEntriesByType('navigation')[0];
  if (location.protocol === 'data:' || navigation === undefined || navigation.loadEventEnd === 0) return false;
  var now = performance.now();
  var last = navigation.loadEventEnd;
  performance.getEntriesByType('resource').forEach(function (entry) { last = Math.max(last, entry.responseEnd); });
  return now - navigation.loadEventEnd >= ${settleMaxMs} || (now >= ${untilMs} && now - last >= quietMs);
})(arguments[arguments.length - 1]);`;

/** chromedriver opens the first window itself, and whether it is on a display is browsertime's option. */
function chromeArguments(flags: readonly string[], video: boolean): string[] {
  const own = flags.filter((flag) => !/^--(headless|no-startup-window$|window-size=)/.test(flag));
  return video ? [...own, '--disable-gpu'] : own;
}

// The engine writes the order to the program's standard input; the program answers with lines of JSON on a separate pipe.
export interface VisitOrder {
  url: string;
  limits: Limits & WatchLimits;
  options: Record<string, unknown>;
  browsertime: string;
  /** Used only by this visit; browsertime finds programs in its `bin`. */
  folder: string;
  /** uid and gid to become; null: stay. */
  owner: number | null;
  /** Size of the display; null: no video. */
  display: { width: number; height: number } | null;
}

export type ProgramMessage =
  /** An X server runs, whose lock lies in /tmp. */
  | { kind: 'display'; number: number }
  | { kind: 'begun' }
  /** The load ended; results may still be read and computed. */
  | { kind: 'ended' }
  | { kind: 'gathered'; evidence: Gathered; product: string; commandLine: string[]; viewport: string }
  | { kind: 'failed'; why: string };

export type Gathered = Omit<Evidence, 'cpu' | 'throttledMs' | 'earlierConnections'>;
