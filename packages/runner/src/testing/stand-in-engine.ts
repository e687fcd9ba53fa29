// An engine for tests of everything but Chrome: its loads take milliseconds and their evidence is made up, valid for any request.
// No command of the product can reach it.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '@pronghorn/core/schemas';
import { alpnOf } from '@pronghorn/core/vocabulary';
import type { Engine, Load } from '../engines/engine.ts';
import type { Evidence, NetworkEvent } from '../gather/evidence.ts';
import type { Executor } from '../lease/executor.ts';
import type { AgentLink } from '../link/agent-link.ts';

export interface StandInOptions {
  loadMs: number;
  resources: number;
  /** Each load waits for it. */
  mayLoad?: (() => Promise<unknown>) | undefined;
}

const environment: Environment = {
  id: 'a'.repeat(64),
  runner: { version: '1.0.0-rc.1', node: process.version },
  machine: { kernel: 'none', arch: 'none', cpu: 'none', cores: 1, memoryBytes: 1 },
  browser: { product: 'StandIn/1.0', executable: '/nowhere', flags: [], sandbox: true, preferences: {} },
  link: {
    backend: 'direct',
    kernel: null,
    congestionControl: null,
    priority: 'none',
    offloads: 'machine',
    receiveBuffers: { tcp: null, udpMaxBytes: null },
  },
  origin: null,
};

export function standInEngine({ loadMs, resources, mayLoad }: StandInOptions): Engine {
  return {
    async load(load) {
      await mayLoad?.();
      await delay(loadMs);
      return { evidence: evidenceOf(load, resources), environment };
    },
    async close() {},
  };
}

/** One whose load `place` has so much more in its evidence; load 1 of a site is its discovery's. */
export function bulkyEngine(options: StandInOptions, place: number, bulk: unknown): Engine {
  const engine = standInEngine(options);
  let loads = 0;
  return {
    ...engine,
    load: async (load) => {
      const loaded = await engine.load(load);
      return ++loads === place ? { ...loaded, evidence: { ...loaded.evidence, bulk } } : loaded;
    },
  };
}

const link: AgentLink = { prepare: async () => null, clear: async () => {}, watch: () => async () => null };

export function standInExecutor(options: StandInOptions): Executor {
  const engine = standInEngine(options);
  return { open: async () => ({ engine, link }), abandon: async () => {}, close: () => engine.close() };
}

function evidenceOf({ url, protocol }: Load, resources: number): Evidence {
  const timeOrigin = Date.now();
  const ids = Array.from({ length: resources }, () => randomUUID());
  return {
    version: 1,
    startedAt: new Date(timeOrigin).toISOString(),
    end: { kind: 'quiet' },
    network: ids.flatMap((id, place) => exchange(id, place, { url, protocol: alpnOf[protocol], timeOrigin })),
    bodyBytes: Object.fromEntries(ids.map((id) => [id, 20_000])),
    receivedBytes: {},
    sockets: [],
    page: {
      timeOrigin,
      url,
      navigation: {
        responseStart: 20,
        finalResponseHeadersStart: 0,
        domContentLoadedEventStart: 60,
        loadEventStart: 100 + Math.random() * 50,
        loadEventEnd: 160,
        nextHopProtocol: alpnOf[protocol],
      },
      firstPaint: null,
      firstContentfulPaint: null,
      largestContentfulPaint: null,
      layoutShifts: [],
      longTasks: [],
      hints: [],
      readAt: 200,
    },
    frames: [],
    cpu: { ownShare: 0.1, foreignShare: 0 },
    throttledMs: 0,
  };
}

function exchange(requestId: string, place: number, page: { url: string; protocol: string; timeOrigin: number }): NetworkEvent[] {
  const document = place === 0;
  const { host, origin, port } = new URL(page.url);
  const url = document ? page.url : `${origin}/asset-${place}.webp`;
  const type = document ? 'Document' : 'Image';
  const sentAt = 1000 + place / 1000;
  const loaderId = requestId;
  return [
    {
      method: 'Network.requestWillBeSent',
      params: {
        requestId,
        loaderId,
        documentURL: page.url,
        request: { url, method: 'GET', initialPriority: 'Low', referrerPolicy: 'origin', headers: {} },
        timestamp: sentAt,
        wallTime: (page.timeOrigin + place) / 1000,
        initiator: document ? { type: 'other' } : { type: 'parser', url: page.url },
        redirectHasExtraInfo: false,
        type,
      },
    },
    {
      method: 'Network.responseReceived',
      params: {
        requestId,
        loaderId,
        timestamp: sentAt + 0.01,
        type,
        hasExtraInfo: false,
        response: {
          url,
          status: 200,
          statusText: '',
          headers: { server: 'stand-in', 'alt-svc': `h3=":${port || 443}"; ma=86400`, host },
          mimeType: document ? 'text/html' : 'image/webp',
          charset: '',
          connectionReused: !document,
          connectionId: 7,
          fromDiskCache: false,
          fromServiceWorker: false,
          encodedDataLength: 100,
          protocol: page.protocol,
          securityState: 'secure',
        },
      },
    },
    {
      method: 'Network.loadingFinished',
      params: { requestId, timestamp: sentAt + 0.02, encodedDataLength: 19_000 + place },
    },
  ];
}
