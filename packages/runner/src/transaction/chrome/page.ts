// Runs in the page: sends each user's requests one after the other by fetch(), with the times of Resource Timing.

/** Work of one page of a run. Times are milliseconds. */
export interface PagePlan {
  urls: readonly string[];
  firstUrl: number;
  method: string;
  body: number;
  alpn: string;
  mode: 'count' | 'duration' | 'rate';
  users: readonly number[];
  requests: number;
  seconds: number;
  requestsPerSecond: number;
  poisson: boolean;
  seed: number;
  timeoutMs: number;
  /** Requests at a time by which connections are opened before the run. */
  warming: number;
  /** Sends one request at a time, as a single HTTP/1.1 connection can. */
  oneAtATime: boolean;
}

/** One request as the page reports it. Times are milliseconds since the run's begin. */
export interface PageRequest {
  number: number;
  user: number;
  due: number;
  /** By Resource Timing: requestStart, responseStart and responseEnd. Of one that failed: when the page asked, 0, and when it knew. */
  sent: number;
  firstByte: number;
  end: number;
  /** When the page had read all of it. */
  handed: number;
  bytesSent: number;
  bytesReceived: number;
  /** When its connection was opened for it; equal: it was there. */
  connectStart: number;
  connectEnd: number;
  status: number;
  error?: string;
  detail?: string;
}

/** The fields of Resource Timing that are used; moments are those of `performance.now()`. */
interface Timing {
  name: string;
  nextHopProtocol: string;
  connectStart: number;
  connectEnd: number;
  requestStart: number;
  responseStart: number;
  responseEnd: number;
  encodedBodySize: number;
}

/** The object that the page has in `globalThis.pronghorn`. */
export interface Worker {
  /** Reports if the page is isolated, which makes its clock finest, and the clock's step. */
  clock(): { isolated: boolean; stepMs: number };
  /** Sends requests that do not count, and returns their outcomes. */
  warm(): Promise<PageRequest[]>;
  /** Sends all of them; `tellRequests` gets them as JSON. @param beginAt milliseconds since the epoch */
  work(beginAt: number): Promise<void>;
  /** Asks the built-in server for its usage, at the path that it has for that. */
  ask(path: string): Promise<unknown>;
}

/** Evaluated in the page as it stands: it uses nothing of this file. */
export function startWorker(plan: PagePlan): void {
  const page = globalThis as unknown as { crossOriginIsolated: boolean; tellRequests(batch: string): void; pronghorn: Worker };
  const { urls, method, body, alpn, mode, requests, timeoutMs } = plan;
  const limit = plan.seconds * 1_000;
  /** Requests that are reported at a time: little work, and few that wait. */
  const batchSize = 500;
  /** How long an answer's times may lag behind its end. */
  const timesMs = 2_000;

  let begun = performance.now();
  const now = () => performance.now() - begun;

  const cell = new Int32Array(new SharedArrayBuffer(4));
  /** Timers of pages wait for whole milliseconds, and nested ones for four; this one is late by 0.15 ms. */
  const until = async (moment: number) => {
    const left = moment - now();
    if (left > 0) await Atomics.waitAsync(cell, 0, 0, left).value;
  };

  /** Incompressible. Small ones are bytes, as of most calls; large ones repeat one block, which Chrome holds once. */
  const bodyOf = (size: number): Uint8Array<ArrayBuffer> | Blob | undefined => {
    if (size === 0) return undefined;
    const block = new Uint8Array(Math.min(size, 65_536));
    crypto.getRandomValues(block);
    if (size === block.length) return block;
    const part = new Blob([block]);
    const parts: Blob[] = Array.from({ length: Math.floor(size / block.length) }, () => part);
    return new Blob([...parts, part.slice(0, size % block.length)]);
  };
  const sentBody = method === 'POST' ? bodyOf(body) : undefined;

  let batch: PageRequest[] = [];
  const flush = () => {
    if (batch.length > 0) page.tellRequests(JSON.stringify(batch));
    batch = [];
  };
  const tell = (request: PageRequest) => {
    batch.push(request);
    if (batch.length >= batchSize) flush();
  };

  // A request's number is its URL's fragment, which goes to no server and stands in the name of its entry.
  let last = 0;
  const timings = new Map<number, Timing>();
  /** Answers that are read and whose times are not there yet. */
  const waiting = new Map<number, { request: PageRequest; got(timing: Timing): void }>();
  const underWay = new Set<number>();
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as Timing[]) {
      const number = Number(entry.name.slice(entry.name.lastIndexOf('#') + 1));
      const wanted = waiting.get(number);
      if (wanted !== undefined) wanted.got(entry);
      else if (underWay.has(number)) timings.set(number, entry);
    }
    performance.clearResourceTimings();
  }).observe({ type: 'resource' });

  const timed = (request: PageRequest, timing: Timing): PageRequest => {
    // A redirect that is not followed keeps everything to itself.
    if (request.status === 0) return request;
    const at = (moment: number) => (moment === 0 ? 0 : moment - begun);
    const whole = {
      ...request,
      sent: at(timing.requestStart),
      firstByte: at(timing.responseStart),
      end: at(timing.responseEnd),
      bytesReceived: timing.encodedBodySize,
      connectStart: at(timing.connectStart),
      connectEnd: at(timing.connectEnd),
    };
    const { nextHopProtocol } = timing;
    if (nextHopProtocol === alpn) return whole;
    return { ...whole, error: 'wrong-protocol', detail: `expected ${alpn}, got ${nextHopProtocol || 'none'}` };
  };

  /** Resolves when the answer is read; `done` gets the request when its times are there too. */
  const send = async (user: number, due: number, url: string, done: (request: PageRequest) => void): Promise<void> => {
    last += 1;
    const number = last;
    underWay.add(number);
    const startedAt = now();
    const request: PageRequest = {
      ...{ number, user, due, sent: startedAt, firstByte: 0, end: 0, handed: 0, bytesSent: 0, bytesReceived: 0 },
      ...{ connectStart: 0, connectEnd: 0, status: 0 },
    };
    const end = (failed?: { error: string; detail: string }) => {
      const ended = now();
      Object.assign(request, { end: ended, handed: ended }, failed);
    };
    try {
      const response = await fetch(`${url}#${number}`, {
        method,
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        ...(sentBody === undefined ? {} : { body: sentBody }),
      });
      request.status = response.status;
      request.bytesSent = method === 'POST' ? body : 0;
      const reader = response.body?.getReader();
      while (reader !== undefined && !(await reader.read()).done);
      const words = response.type === 'opaqueredirect' ? 'a redirect' : `${response.status} ${response.statusText}`.trim();
      end(response.ok ? undefined : { error: 'http-status', detail: words });
    } catch (error) {
      const { name, message } = error as Error;
      // A page's error names no reason: DevTools does.
      end(name === 'TimeoutError' ? { error: 'timeout', detail: message } : { error: 'other', detail: message });
      underWay.delete(number);
      timings.delete(number);
      done(request);
      return;
    }
    const got = (timing: Timing) => {
      waiting.delete(number);
      timings.delete(number);
      underWay.delete(number);
      done(timed(request, timing));
    };
    const there = timings.get(number);
    if (there !== undefined) got(there);
    else waiting.set(number, { request, got });
  };

  let turn = plan.firstUrl;
  const nextUrl = (): string => {
    turn += 1;
    return urls[(turn - 1) % urls.length] as string;
  };

  let before: Promise<void> = Promise.resolve();
  const one = (user: number, due: number): Promise<void> => {
    const url = nextUrl();
    if (!plan.oneAtATime) return send(user, due, url, tell);
    before = before.then(() => send(user, due, url, tell));
    return before;
  };

  /** The moments at which requests are due, in order, for idle users. */
  const random = (() => {
    // mulberry32
    let state = plan.seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  })();
  const meanMs = 1_000 / plan.requestsPerSecond;
  let [handedOut, lastDue] = [0, 0];
  const nextDue = (): number => {
    if (handedOut > 0) lastDue = plan.poisson ? lastDue - Math.log(1 - random()) * meanMs : handedOut * meanMs;
    handedOut += 1;
    return lastDue;
  };

  const notSent = (user: number, due: number) => {
    const ended = now();
    tell({
      ...{ number: 0, user, due, sent: due, firstByte: 0, end: ended, handed: ended, bytesSent: 0, bytesReceived: 0 },
      ...{ connectStart: 0, connectEnd: 0, status: 0, error: 'not-sent', detail: 'the run had ended' },
    });
  };

  const userAtWork = async (user: number): Promise<void> => {
    switch (mode) {
      case 'count':
        for (let n = 0; n < requests; n++) {
          const due = now();
          if (due < limit) await one(user, due);
          else notSent(user, due);
        }
        return;
      case 'duration':
        while (now() < limit) await one(user, now());
        return;
      case 'rate':
        for (;;) {
          const due = nextDue();
          if (due >= limit) return;
          await until(due);
          if (now() < limit + timeoutMs) await one(user, due);
          // A request that could not begin within one request's time after the end stays unsent.
          else notSent(user, due);
        }
    }
  };

  page.pronghorn = {
    clock: () => {
      const steps: number[] = [];
      for (let n = 0; n < 10_000; n++) {
        const step = -performance.now() + performance.now();
        if (step > 0) steps.push(step);
      }
      return { isolated: page.crossOriginIsolated, stepMs: Math.round(Math.min(...steps) * 1_000) / 1_000 };
    },
    warm: () => {
      const sent = () => new Promise<PageRequest>((resolve) => void send(0, now(), urls[0] as string, resolve));
      return Promise.all(Array.from({ length: plan.warming }, sent));
    },
    work: async (beginAt) => {
      begun = beginAt - performance.timeOrigin;
      await until(0);
      await Promise.all(plan.users.map(userAtWork));
      const deadline = now() + timesMs;
      while (waiting.size > 0 && now() < deadline) await until(now() + 5);
      for (const { request } of waiting.values()) tell({ ...request, error: 'other', detail: 'Chrome reported no times for it' });
      flush();
    },
    ask: async (path) => {
      const response = await fetch(path, { cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(timeoutMs) });
      return response.ok ? await response.json() : null;
    },
  };
}
