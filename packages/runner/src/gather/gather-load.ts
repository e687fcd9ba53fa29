// Loads a page in a blank tab and gathers the evidence: network events, frames, page timings, how it ended.
import type { Limits, Settled } from '@pronghorn/core/schemas';
import type { CDPSession } from 'puppeteer-core';
import type { Chrome } from '../chrome/launch.ts';
import { throttledMs } from '../machine/cgroups.ts';
import { startCpuGauge } from '../machine/cpu-gauge.ts';
import { ends } from '../machine/phases.ts';
import type { LoadVisitor } from '../visitor/load-visitor.ts';
import type { Evidence, Frame, LoadEnd } from './evidence.ts';
import { boundFrames } from './frames.ts';
import { NetworkLog, slimUrl } from './network-log.ts';
import { OpenRequests } from './open-requests.ts';
import { maxMoves, openPage, type PageSession, watchPage, windowAtRest } from './page-session.ts';
import { gatherPage, isFinished } from './page-timings.ts';
import { frameLagMs, lookEveryMs, type Pause, Settling, type WatchLimits } from './settling.ts';
import { applyVisitor } from './visitor.ts';

/** Small frames are enough: SpeedIndex compares histograms, and encoding larger ones would slow the page. */
const screencast = { format: 'jpeg', quality: 80, maxWidth: 500, maxHeight: 500 } as const;
/** Characters of frames at each rate; then every second one is left out. */
const maxBytesAtRate = 48_000_000;

/** A refresh that a page announces is followed if it comes within this time: later ones renew a page that is there. */
const maxAnnouncedMs = 5_000;

/** How long the first frame of a page that has painted may take to come. */
const firstFrameMs = 2_000;

/** A blank tab that listens and waits for its page. */
export interface ReadyTab {
  /**
   * Loads `url`. Once for each tab. Ends in at most `limits.loadTimeoutMs + limits.settleMaxMs` and a few seconds, whatever
   * the page does.
   */
  load(url: string, limits: Limits & WatchLimits): Promise<Evidence>;
  /** Closes only the tab; its context keeps cache and connections. */
  close(): Promise<void>;
}

/**
 * Opens a tab in a browser context and makes it ready to load a page with evidence: listened to, and its window at rest.
 *
 * @param contextId browser context; undefined for the default one of a Chrome that is used once
 * @param visitor owner of the tab; undefined: a desktop without settings
 * @throws Error when the DevTools connection itself fails, as when Chrome is gone
 */
export async function readyTab(chrome: Chrome, contextId: string | undefined, visitor?: LoadVisitor): Promise<ReadyTab> {
  const tab = await openTab(chrome, contextId, visitor);
  await windowAtRest(chrome);
  ends('window at rest');
  return tab;
}

/** The same with a window that may still draw: for pages that are not measured. */
export async function openTab(chrome: Chrome, contextId: string | undefined, visitor?: LoadVisitor): Promise<ReadyTab> {
  const watch = new LoadWatch();
  // A Chrome loads hundreds of pages: what was seen of one goes when that has ended.
  const forget = chrome.onDisconnected(() => watch.end({ kind: 'browser-crashed' }));
  void watch.ended.then(forget);
  let isPage = true;
  const page = await openPage(chrome, contextId, async (session) => {
    const ready = [watch.listen(session), applyVisitor(session, chrome.product, visitor, isPage)];
    // A service worker answers once it runs, which it does only afterwards; what was sent counts from its beginning.
    if (isPage) await Promise.all(ready);
    else for (const one of ready) one.catch(() => {});
    isPage = false;
  });
  await watch.attend(page);
  ends('tab ready');
  return tabOf(watch, page, () => chrome.connected());
}

/** @param watch listens to and attends the page already */
export function tabOf(watch: LoadWatch, page: Pick<PageSession, 'session' | 'frameId' | 'close'>, connected: () => boolean): ReadyTab {
  return {
    load: async (url, limits) => {
      const [readCpu, throttledBefore] = [startCpuGauge(), throttledMs()];
      const startedAt = new Date().toISOString();
      const start = performance.now();
      ends('load begun');
      watch.start(url, limits, connected);
      const end = await watch.ended;
      ends('quiet');
      const [cpu, throttled] = [readCpu(), throttledMs() - throttledBefore];
      ends('CPU read');
      // A script that holds the page is waited for as long as a load may take.
      const answerMs = Math.max(5_000, limits.loadTimeoutMs - (performance.now() - start));
      const gathered = await gatherPage(watch, page, end, answerMs);
      ends('page read');
      if (isFinished(end)) await watch.lastFrame(gathered.page?.firstContentfulPaint != null);
      ends('frames in');
      return {
        ...{ version: 1, startedAt, ...gathered },
        end: isFinished(end) && watch.crashed ? { kind: 'tab-crashed' } : end,
        ...(await boundFrames(watch.frames)),
        ...(watch.settled === undefined ? {} : { settled: watch.settled }),
        cpu,
        throttledMs: throttled,
      };
    },
    close: () => page.close(),
  };
}

export class LoadWatch {
  readonly frames: Frame[] = [];
  readonly network = new NetworkLog(() => this.#onActivity());
  readonly ended: Promise<LoadEnd>;
  /** Documents that the main frame had, the page itself last. */
  readonly documents: { loaderId: string; url: string }[] = [];
  settled: Settled | undefined;
  end!: (end: LoadEnd) => void;
  crashed = false;
  readonly #requests = new OpenRequests();
  #page!: Pick<PageSession, 'session' | 'frameId'>;
  #limits: (Limits & WatchLimits) | undefined;
  #startedAt = 0;
  readonly #timers = new Set<NodeJS.Timeout>();
  #settling: Settling | undefined;
  #lastFrame = 0;
  /** When the page has announced that it moves on; of `performance.now()`. */
  #movesAt: number | undefined;
  /** The pauses of documents that moved on. */
  #paused: Pause | undefined;
  #frameBytes = 0;
  #everyNthFrame = 1;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.end = (end) => {
        for (const timer of this.#timers) clearTimeout(timer);
        this.#timers.clear();
        this.#settling?.stop();
        resolve(end);
      };
    });
  }

  /** Listens to one session: the page's own, or that of a frame or worker in another process. */
  async listen(session: CDPSession): Promise<void> {
    this.#requests.attend(session);
    await this.network.attend(session);
  }

  async attend(page: Pick<PageSession, 'session' | 'frameId'>): Promise<void> {
    this.#page = page;
    this.network.mainFrameId = page.frameId;
    const { session } = page;
    session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
      // Unacknowledged frames hold back the next ones.
      void session.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
      if (metadata.timestamp === undefined) return;
      this.frames.push({ timestamp: metadata.timestamp * 1_000, jpegBase64: data });
      this.#lastFrame = performance.now();
      this.#frameBytes += data.length;
      if (this.#frameBytes > maxBytesAtRate * (1 + Math.log2(this.#everyNthFrame))) void this.#halveFrameRate();
    });
    await Promise.all([
      watchPage(session, {
        crash: () => {
          this.crashed = true;
          this.end({ kind: 'tab-crashed' });
        },
        document: (loaderId, url) => {
          if (this.#limits !== undefined) this.#onDocument(loaderId, slimUrl(url));
        },
        load: (loaderId) => {
          if (loaderId === this.documents.at(-1)?.loaderId) this.#onLoad();
        },
        announced: (delayMs) => {
          // A page that renews itself does so for ever.
          const hasRenewed = this.documents.slice(0, -1).some(({ url }) => url === this.documents.at(-1)?.url);
          const isAwaited = delayMs !== null && delayMs <= maxAnnouncedMs && !hasRenewed;
          this.#movesAt = isAwaited ? performance.now() + delayMs : undefined;
        },
      }),
      session.send('Page.startScreencast', { ...screencast, everyNthFrame: 1 }),
    ]);
  }

  start(url: string, limits: Limits & WatchLimits, connected: () => boolean): void {
    const { loadTimeoutMs } = limits;
    this.#limits = limits;
    this.#startedAt = performance.now();
    this.#awaitLoad();
    this.#page.session.send('Page.navigate', { url }, { timeout: loadTimeoutMs + 10_000 }).then(
      ({ errorText, isDownload }) => {
        // A page that moves on before its first document is there aborts that one's navigation.
        if (isDownload === true) this.end({ kind: 'download' });
        else if (errorText !== undefined && this.documents.length === 0) this.end({ kind: 'navigation-failed', error: errorText });
      },
      // Crash and time-out have their own ends; a Chrome that went before anyone listened has not.
      () => {
        if (!connected()) this.end({ kind: 'browser-crashed' });
      },
    );
  }

  /**
   * Waits until no frame has come for as long as a frame takes to come, so that the last one is among `frames`.
   * @param hasPainted the page has content: its first frame is waited for
   */
  async lastFrame(hasPainted: boolean): Promise<void> {
    const began = performance.now();
    for (;;) {
      const now = performance.now();
      const isOnItsWay = hasPainted && this.#lastFrame < this.#startedAt;
      // A page that moves without end has no last one. On a busy machine the first may take as long as its encoder waits.
      const until = isOnItsWay ? began + firstFrameMs : Math.min(this.#lastFrame + frameLagMs, began + 5 * frameLagMs);
      const waitMs = Math.min(until - now, lookEveryMs);
      if (waitMs <= 0) return;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  /** The time that a load may take is that of all documents together. */
  #awaitLoad(): void {
    const loadTimeoutMs = this.#limits?.loadTimeoutMs ?? 0;
    this.#after(this.#startedAt + loadTimeoutMs - performance.now(), () =>
      this.end({ kind: 'load-timeout', afterMs: loadTimeoutMs, openRequests: this.network.open.size }),
    );
  }

  #onActivity(): void {
    if (this.#limits === undefined) return;
    const end = this.network.endWithin(this.#limits);
    if (end !== undefined) this.end(end);
  }

  /** The main frame has another document: a reload after a cookie, the canonical address, a refresh. A visitor follows, and so does the visit. */
  #onDocument(loaderId: string, url: string): void {
    this.documents.push({ loaderId, url });
    if (this.documents.length === 1) return;
    this.#requests.keepOnly(loaderId);
    this.#movesAt = undefined;
    this.#paused = this.#settling?.paused(performance.now()) ?? this.#paused;
    if (this.documents.length > 1 + maxMoves) this.end({ kind: 'left-page', to: url });
    else if (this.#settling !== undefined) {
      this.#settling.stop();
      this.#settling = undefined;
      this.#awaitLoad();
    }
  }

  #onLoad(): void {
    if (this.#settling !== undefined || this.#limits === undefined) return;
    ends('load event heard');
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    const page = { ...this.#page, startedAt: this.#startedAt, ...(this.#paused && { paused: this.#paused }), movesAt: () => this.#movesAt };
    this.#settling = new Settling(page, this.#requests, () => this.#lastFrame, this.#limits);
    this.#settling.start((settled) => {
      this.settled = settled;
      this.end({ kind: settled.cut ? 'settle-cut' : 'quiet' });
    });
  }

  /** A page that paints for minutes is recorded less often: this process has to keep all frames until the end. */
  async #halveFrameRate(): Promise<void> {
    this.#everyNthFrame *= 2;
    const { session } = this.#page;
    await session.send('Page.stopScreencast').catch(() => {});
    await session.send('Page.startScreencast', { ...screencast, everyNthFrame: this.#everyNthFrame }).catch(() => {});
  }

  #after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }
}
