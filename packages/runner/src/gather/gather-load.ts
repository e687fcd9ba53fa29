// Loads a page in a blank tab and gathers the evidence: network events, frames, page timings, how it ended.
import type { Limits } from '@pronghorn/core';
import type { CDPSession } from 'puppeteer-core';
import type { Chrome } from '../chrome/launch.ts';
import { startCpuGauge } from '../machine/cpu-gauge.ts';
import { throttledMs } from '../machine/cpu-limit.ts';
import type { Evidence, Frame, LoadEnd } from './evidence.ts';
import { NetworkLog } from './network-log.ts';
import { openPage } from './page-session.ts';
import { readPageTimings } from './page-timings.ts';
import { windowAtRest } from './window-rest.ts';

/** Small frames are enough: SpeedIndex compares histograms, and encoding larger ones would slow the page. */
const screencast = { format: 'jpeg', quality: 80, maxWidth: 500, maxHeight: 500, everyNthFrame: 1 } as const;
/** What was painted reaches us within so many milliseconds (measured: 10 to 25). */
const frameLagMs = 50;

/** A blank tab that listens and waits for its page. */
export interface ReadyTab {
  /**
   * Loads `url`. Once for each tab. Ends in at most `limits.loadTimeoutMs + limits.settleMaxMs` and a few seconds, whatever
   * the page does.
   */
  load(url: string, limits: Limits): Promise<Evidence>;
  /** Closes the tab alone; its context keeps cache and connections. */
  close(): Promise<void>;
}

/**
 * Opens a tab in a browser context and makes it ready to load a page with evidence: listened to, and its window at rest.
 *
 * @param contextId browser context; undefined for the default one of a Chrome that is used once
 * @throws Error when the DevTools connection itself fails, as when Chrome is gone
 */
export async function readyTab(chrome: Chrome, contextId: string | undefined): Promise<ReadyTab> {
  const watch = new LoadWatch();
  // A Chrome loads hundreds of pages: what was seen of one goes when that has ended.
  const forget = chrome.onDisconnected(() => watch.end({ kind: 'browser-crashed' }));
  void watch.ended.then(forget);
  const page = await openPage(chrome, contextId, (session) => watch.network.attend(session));
  watch.network.mainFrameId = page.frameId;
  await watch.attend(page.session);
  await windowAtRest(chrome);
  return {
    load: async (url, limits) => {
      const [readCpu, throttledBefore] = [startCpuGauge(), throttledMs()];
      const startedAt = new Date().toISOString();
      watch.start(page.session, url, limits, () => chrome.connected());
      const end = await watch.ended;
      const [cpu, throttled] = [readCpu(), throttledMs() - throttledBefore];
      const finished = end.kind === 'quiet' || end.kind === 'settle-cut';
      const timings = finished ? await readPageTimings(page.session, page.frameId, 5_000) : null;
      if (finished) await watch.lastFrame(limits.settleMaxMs);
      return {
        version: 1,
        startedAt,
        end: finished && watch.crashed ? { kind: 'tab-crashed' } : end,
        network: watch.network.events,
        bodyBytes: watch.network.bodyBytes,
        page: timings,
        frames: watch.frames,
        cpu,
        throttledMs: throttled,
      };
    },
    close: () => page.close(),
  };
}

/** Watches one load until the first thing that ends it. */
class LoadWatch {
  readonly frames: Frame[] = [];
  readonly network = new NetworkLog(() => this.#onActivity());
  readonly ended: Promise<LoadEnd>;
  end!: (end: LoadEnd) => void;
  crashed = false;
  #limits: Limits | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();
  #loadFired = false;
  #lastActivity = 0;
  #lastFrame = 0;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.end = (end) => {
        for (const timer of this.#timers) clearTimeout(timer);
        this.#timers.clear();
        resolve(end);
      };
    });
  }

  async attend(session: CDPSession): Promise<void> {
    session.on('Inspector.targetCrashed', () => {
      this.crashed = true;
      this.end({ kind: 'tab-crashed' });
    });
    // A dialog would hold the page forever.
    session.on('Page.javascriptDialogOpening', () => void session.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => {}));
    session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
      // Unacknowledged frames hold back the next ones.
      void session.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
      if (metadata.timestamp === undefined) return;
      this.frames.push({ timestamp: metadata.timestamp * 1_000, jpegBase64: data });
      this.#lastFrame = performance.now();
    });
    session.on('Page.lifecycleEvent', ({ name, loaderId }) => {
      if (name === 'load' && loaderId === this.network.mainLoaders[0]?.loaderId) this.#onLoad();
    });
    await Promise.all([
      session.send('Inspector.enable'),
      session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
      session.send('Page.startScreencast', screencast),
    ]);
  }

  start(session: CDPSession, url: string, limits: Limits, connected: () => boolean): void {
    const { loadTimeoutMs } = limits;
    this.#limits = limits;
    this.#after(loadTimeoutMs, () => this.end({ kind: 'load-timeout', afterMs: loadTimeoutMs, openRequests: this.network.open.size }));
    session.send('Page.navigate', { url }, { timeout: loadTimeoutMs + 10_000 }).then(
      ({ errorText, isDownload }) => {
        if (isDownload === true) this.end({ kind: 'download' });
        else if (errorText !== undefined) this.end({ kind: 'navigation-failed', error: errorText });
      },
      // Crash and time-out have their own ends; a Chrome that went before anyone listened has not.
      () => {
        if (!connected()) this.end({ kind: 'browser-crashed' });
      },
    );
  }

  /** Waits until no frame has come for as long as a frame takes to come, so that the last one is among `frames`. */
  async lastFrame(atMostMs: number): Promise<void> {
    const deadline = performance.now() + atMostMs;
    for (;;) {
      const now = performance.now();
      const waitMs = Math.min(this.#lastFrame + frameLagMs, deadline) - now;
      if (waitMs <= 0) return;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  #onActivity(): void {
    this.#lastActivity = performance.now();
    if (this.#limits === undefined) return;
    const { requests, transferBytes, mainLoaders, documentFailure } = this.network;
    const [first, second] = mainLoaders;
    if (documentFailure !== undefined) this.end({ kind: 'navigation-failed', error: documentFailure });
    else if (first !== undefined && second !== undefined) this.end({ kind: 'left-page', to: second.url });
    else if (requests > this.#limits.maxRequests || transferBytes > this.#limits.maxTransferBytes) {
      this.end({ kind: 'too-big', requests, transferBytes });
    }
  }

  #onLoad(): void {
    if (this.#loadFired || this.#limits === undefined) return;
    this.#loadFired = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#lastActivity = performance.now();
    this.#after(this.#limits.settleMaxMs, () => this.end({ kind: 'settle-cut' }));
    this.#awaitQuiet(this.#limits.quietMs);
  }

  #awaitQuiet(quietMs: number): void {
    const now = performance.now();
    const waitMs = Math.max(this.#lastActivity + quietMs, this.#lastFrame + frameLagMs) - now;
    if (waitMs > 0) this.#after(waitMs, () => this.#awaitQuiet(quietMs));
    else if (this.network.open.size > 0) this.#after(Math.max(quietMs, 10), () => this.#awaitQuiet(quietMs));
    else this.end({ kind: 'quiet' });
  }

  #after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }
}
