// Loads a page in a blank tab and gathers the evidence: network events, frames, page timings, how it ended.
import type { Limits } from '@pronghorn/core';
import type { CDPSession } from 'puppeteer-core';
import type { Chrome } from '../chrome/launch.ts';
import { startCpuGauge } from '../machine/cpu-gauge.ts';
import type { Evidence, Frame, LoadEnd } from './evidence.ts';
import { NetworkLog } from './network-log.ts';
import { openPage } from './page-session.ts';
import { readPageTimings } from './page-timings.ts';

/** Small frames are enough: SpeedIndex compares histograms, and encoding larger ones would slow the page. */
const screencast = { format: 'jpeg', quality: 40, maxWidth: 500, maxHeight: 500, everyNthFrame: 1 } as const;

/**
 * Loads `url` once in a new tab of a browser context. The tab stays open until its context is disposed of, or `close` is called.
 *
 * Ends in at most `limits.loadTimeoutMs + limits.settleMaxMs` and a few seconds, whatever the page does.
 *
 * @param contextId browser context; undefined for the default one of a Chrome that is used once
 * @throws Error when the DevTools connection itself fails, as when Chrome is gone
 */
export async function gatherLoad(
  chrome: Chrome,
  contextId: string | undefined,
  url: string,
  limits: Limits,
): Promise<{ evidence: Evidence; close(): Promise<void> }> {
  const load = new Load(limits);
  chrome.onDisconnected(() => load.end({ kind: 'browser-crashed' }));
  const page = await openPage(chrome, contextId, (session) => load.network.attend(session));
  load.network.mainFrameId = page.frameId;
  await load.attend(page.session);

  const readCpu = startCpuGauge();
  const startedAt = new Date().toISOString();
  load.start(page.session, url);
  const end = await load.ended;
  const cpu = readCpu();

  const finished = end.kind === 'quiet' || end.kind === 'settle-cut';
  const timings = finished ? await readPageTimings(page.session, page.frameId, 5_000) : null;
  const evidence: Evidence = {
    version: 1,
    startedAt,
    end: finished && load.crashed ? { kind: 'tab-crashed' } : end,
    network: load.network.events,
    bodyBytes: load.network.bodyBytes,
    page: timings,
    frames: load.frames,
    cpu,
  };
  return { evidence, close: () => page.close() };
}

/** Watches one load until the first thing that ends it. */
class Load {
  readonly frames: Frame[] = [];
  readonly network = new NetworkLog(() => this.#onActivity());
  readonly ended: Promise<LoadEnd>;
  end!: (end: LoadEnd) => void;
  crashed = false;
  readonly #limits: Limits;
  readonly #timers = new Set<NodeJS.Timeout>();
  #loadFired = false;
  #lastActivity = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
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
      this.#onActivity();
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

  start(session: CDPSession, url: string): void {
    const { loadTimeoutMs } = this.#limits;
    this.#after(loadTimeoutMs, () => this.end({ kind: 'load-timeout', afterMs: loadTimeoutMs, openRequests: this.network.open.size }));
    session.send('Page.navigate', { url }, { timeout: loadTimeoutMs + 10_000 }).then(
      ({ errorText, isDownload }) => {
        if (isDownload === true) this.end({ kind: 'download' });
        else if (errorText !== undefined) this.end({ kind: 'navigation-failed', error: errorText });
      },
      // Crash, disconnect or time-out: each has its own end.
      () => {},
    );
  }

  #onActivity(): void {
    this.#lastActivity = performance.now();
    const { requests, transferBytes, mainLoaders } = this.network;
    const [first, second] = mainLoaders;
    if (first !== undefined && second !== undefined) this.end({ kind: 'left-page', to: second.url });
    else if (requests > this.#limits.maxRequests || transferBytes > this.#limits.maxTransferBytes) {
      this.end({ kind: 'too-big', requests, transferBytes });
    }
  }

  #onLoad(): void {
    if (this.#loadFired) return;
    this.#loadFired = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#lastActivity = performance.now();
    this.#after(this.#limits.settleMaxMs, () => this.end({ kind: 'settle-cut' }));
    this.#awaitQuiet();
  }

  #awaitQuiet(): void {
    const still = this.#lastActivity + this.#limits.quietMs - performance.now();
    if (still > 0) this.#after(still, () => this.#awaitQuiet());
    else if (this.network.open.size > 0) this.#after(this.#limits.quietMs, () => this.#awaitQuiet());
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
