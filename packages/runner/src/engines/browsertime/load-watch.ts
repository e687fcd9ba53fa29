// Watches a load that browsertime makes, over the DevTools connection that browsertime has: all that the page says of its network, and what ends it.
import { EventEmitter } from 'node:events';
import type { Limits } from '@pronghorn/core/schemas';
import type { CDPSession } from 'puppeteer-core';
import type { Evidence, LoadEnd } from '../../gather/evidence.ts';
import { NetworkLog, slimUrl } from '../../gather/network-log.ts';
import { maxMoves, watchPage } from '../../gather/page-session.ts';
import { inTime } from '../../machine/in-time.ts';

/** The client of chrome-remote-interface, as browsertime hands it out. */
export interface CdpClient {
  send(method: string, params?: object, sessionId?: string): Promise<unknown>;
  on(event: 'event', listener: (message: { method: string; params: object; sessionId?: string }) => void): void;
  on(event: 'disconnect', listener: () => void): void;
}

export class BrowsertimeWatch {
  readonly network = new NetworkLog(() => this.#onActivity());
  readonly documents: NonNullable<Evidence['documents']> = [];
  readonly ended: Promise<LoadEnd>;
  /** When the load event fired; of `performance.now()`. */
  loadedAt: number | undefined;
  session!: CDPSession;
  frameId = '';
  #end!: (end: LoadEnd) => void;
  readonly #client: CdpClient;
  readonly #limits: Limits;
  readonly #hungMs: number;
  readonly #sessions = new Map<string, EventEmitter>();
  readonly #onBegin: () => void;
  #loadTimer: NodeJS.Timeout | undefined;
  #hungTimer: NodeJS.Timeout | undefined;

  /**
   * @param hungMs after load, after which a page that browsertime still waits for is abandoned
   * @param onBegin called when the page's first request is sent
   */
  constructor(client: CdpClient, limits: Limits, hungMs: number, onBegin: () => void) {
    this.#client = client;
    this.#limits = limits;
    this.#hungMs = hungMs;
    this.#onBegin = onBegin;
    this.ended = new Promise((resolve) => {
      this.#end = (end) => {
        clearTimeout(this.#loadTimer);
        clearTimeout(this.#hungTimer);
        resolve(end);
      };
    });
  }

  /** Begins to listen, in a tab that shows browsertime's start page. */
  async start(): Promise<void> {
    const client = this.#client;
    const page = new EventEmitter();
    this.#sessions.set('', page);
    client.on('event', ({ method, params, sessionId = '' }) => this.#sessions.get(sessionId)?.emit(method, params));
    client.on('disconnect', () => this.#end({ kind: 'browser-crashed' }));
    this.session = sessionOver(client, page);
    const { frameTree } = await this.session.send('Page.getFrameTree');
    this.frameId = frameTree.frame.id;
    this.network.mainFrameId = this.frameId;
    this.session.on('Page.downloadWillBegin', () => {
      if (this.documents.length === 0) this.#end({ kind: 'download' });
    });
    await Promise.all([
      watchPage(this.session, {
        crash: () => this.#end({ kind: 'tab-crashed' }),
        document: (loaderId, url) => {
          if (!url.startsWith('chrome-error:')) this.#onDocument(loaderId, slimUrl(url));
        },
        load: (loaderId) => {
          if (loaderId === this.documents.at(-1)?.loaderId) this.#onLoad();
        },
      }),
      this.#follow(this.session, page),
    ]);
  }

  async #follow(session: CDPSession, events: EventEmitter): Promise<void> {
    events.on('Target.attachedToTarget', ({ sessionId }: { sessionId: string }) => {
      const its = new EventEmitter();
      this.#sessions.set(sessionId, its);
      const child = sessionOver(this.#client, its, sessionId);
      // A target may go away while we attach to it.
      void this.#follow(child, its).catch(() => {});
      void child.send('Runtime.runIfWaitingForDebugger').catch(() => {});
    });
    await Promise.all([
      this.network.attend(session),
      session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
    ]);
  }

  #onActivity(): void {
    if (this.network.mainLoaders.length > 0 && this.#loadTimer === undefined) {
      this.#onBegin();
      this.#awaitLoad();
    }
    const end = this.network.endWithin(this.#limits);
    if (end !== undefined) this.#end(end);
  }

  /** The time that a load may take is that of all documents together. */
  #awaitLoad(): void {
    const { loadTimeoutMs } = this.#limits;
    this.#loadTimer = setTimeout(() => {
      if (this.loadedAt === undefined) this.#end({ kind: 'load-timeout', afterMs: loadTimeoutMs, openRequests: this.network.open.size });
    }, loadTimeoutMs);
  }

  #onDocument(loaderId: string, url: string): void {
    if (this.documents.at(-1)?.loaderId === loaderId) return;
    this.documents.push({ loaderId, url });
    if (this.documents.length === 1) return;
    this.loadedAt = undefined;
    clearTimeout(this.#hungTimer);
    if (this.documents.length > 1 + maxMoves) this.#end({ kind: 'left-page', to: url });
  }

  #onLoad(): void {
    if (this.loadedAt !== undefined) return;
    this.loadedAt = performance.now();
    this.#hungTimer = setTimeout(() => this.#end({ kind: 'settle-cut' }), this.#hungMs);
  }
}

/** A session with the `on` and `send` of puppeteer's, which is all that gathering evidence needs. */
function sessionOver(client: CdpClient, events: EventEmitter, sessionId?: string): CDPSession {
  const send = (method: string, params: object = {}, { timeout = 30_000 }: { timeout?: number } = {}) =>
    inTime(
      timeout,
      client.send(method, params, ...(sessionId === undefined ? [] : [sessionId])),
      () => new Error(`${method} was not answered within ${timeout} ms.`),
    );
  return { on: (event: string, listener: (params: object) => void) => events.on(event, listener), send } as unknown as CDPSession;
}
