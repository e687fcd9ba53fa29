// From the load event to rest: when a page has ended that goes on by scripts, requests and pictures.

import { setImmediate } from 'node:timers/promises';
import { type BusyPart, type Limits, type Motion, maxNotAwaited, type Settled } from '@pronghorn/core/schemas';
import type { CDPSession } from 'puppeteer-core';
import type { OpenRequests } from './open-requests.ts';
import { evaluateApart } from './page-session.ts';

/** Pictures alone (a video, a canvas, a moving GIF) keep a visit open for this time after the last request and script. */
const picturesAloneMs = 2_000;
/** Milliseconds within which a painted frame reaches us (measured: 10 to 25). */
export const frameLagMs = 50;
export const lookEveryMs = 50;

/** Where this process was kept waiting, events lie unread: one turn of the event loop reads them, the next hands them over. */
async function afterWhatCame(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** A page that went on after a pause has to be idle for this many times as long: it may do so again, or a little later. */
export const pauseFactor = 1.25;
/** A page that goes on after so many pauses does so for ever. */
const maxPauses = 3;
/** One whose picture changed after so many may change again after another one. */
const fewPauses = 2;
/** Motion that covers less of the viewport is not watched: SpeedIndex hardly depends on it. */
export const minMotionShare = 0.01;
/** Whether so much of the viewport moves that neither SpeedIndex nor the final picture can do without knowing it. */
export const movesMuch = (motion: Settled['motion']): motion is Motion => motion !== undefined && motion.share >= minMotionShare;
/** How long a motion that is watched takes until it repeats, milliseconds; null: none is, or it does not. */
export const cycleOf = (motion: Settled['motion']): number | null => (movesMuch(motion) ? motion.cycleMs : null);
/** A frame that covers so much of the viewport is the page's content. */
const mainShare = 0.5;
/** Animations that repeat within this time are watched twice: they are known if both times show the same. */
const maxCycleMs = 2_000;

/** How long a page may take, and is watched. */
export type WatchLimits = Pick<Limits, 'quietMs' | 'settleMaxMs'> & {
  /** The page is watched at least until then, milliseconds since its navigation; default 0. */
  untilMs?: number;
  /** What goes on after a page was idle for so long, milliseconds, goes on after a pause; default `quietMs`. */
  pauseFromMs?: number;
};

/** What was active within this time before the end still was, however long the page was asked to be quiet. */
const latelyMs = 500;
/** After the announced moment, in which the next document's request is sent. */
const movingMs = 200;
const paintAskedEveryMs = 100;
/** A page without content is waited for this long: snippets that hide it while they choose what to show give up after four seconds. */
const firstPaintMaxMs = 5_000;

/** The longest pause of a page, and when it last went on after one. */
export type Pause = Required<Pick<Settled, 'pauseMs'>> & Pick<Settled, 'wentOnMs'>;

export class Settling {
  readonly #session: CDPSession;
  readonly #frameId: string;
  readonly #requests: OpenRequests;
  readonly #lastFrame: () => number;
  readonly #limits: WatchLimits;
  readonly #startedAt: number;
  readonly #movesAt: () => number | undefined;
  readonly #thread = new MainThread();
  readonly #loadedAt = performance.now();
  #until: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** What the page says of its picture; null: not yet known. */
  #picture: Picture | null = null;
  #pictureAskedAt: number | undefined;
  #isPictureAsked = false;
  /** True until its motion is watched. */
  #isPictureNew = true;
  #rest: { restMs: number; workMs: number } | undefined;
  /** Last request and frame when the page came to rest, or to a pause; undefined: it has not. */
  #idleSince: { work: number; frame: number } | undefined;
  #pauseMs = 0;
  /** When it last went on; milliseconds since its navigation. */
  #wentOnMs = 0;
  #pauses = 0;
  /** Those that a request or a script ended, and those that a picture did. */
  #pausesOfWork = 0;
  #pausesOfPictures = 0;

  /**
   * @param page `startedAt`: its navigation, of `performance.now()`; `movesAt`: when it moves on, as it has announced; `paused`: an earlier document of
   *   the visit, until it moved on
   * @param lastFrame when the last frame came, likewise
   */
  constructor(
    page: { session: CDPSession; frameId: string; startedAt: number; movesAt?: () => number | undefined; paused?: Pause },
    requests: OpenRequests,
    lastFrame: () => number,
    limits: WatchLimits,
  ) {
    this.#session = page.session;
    this.#frameId = page.frameId;
    this.#startedAt = page.startedAt;
    this.#movesAt = page.movesAt ?? (() => undefined);
    this.#pauseMs = page.paused?.pauseMs ?? 0;
    this.#wentOnMs = page.paused?.wentOnMs ?? 0;
    this.#requests = requests;
    this.#lastFrame = lastFrame;
    this.#limits = limits;
    this.#until = this.#limited(page.startedAt + (limits.untilMs ?? 0));
  }

  #limited = (until: number) => Math.min(until, this.#loadedAt + this.#limits.settleMaxMs);

  /** @param onEnd called once, unless `stop` is called before */
  start(onEnd: (settled: Settled) => void): void {
    void this.#thread.watch(this.#session);
    const look = () => {
      const now = performance.now();
      this.#notePauses(now);
      const rest = this.#atRest(now);
      if (rest) this.#rests(now);
      const isOver = now >= this.#loadedAt + this.#limits.settleMaxMs && !this.#thread.mayBeIdle(now);
      if ((!rest || now < this.#until) && !isOver) {
        this.#timer = setTimeout(() => void afterWhatCame().then(() => !this.#isStopped && look()), this.#nextLookMs(now));
        return;
      }
      this.stop();
      onEnd(this.#settled(now, rest));
    };
    look();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#thread.end();
  }

  #settled(now: number, rest: boolean): Settled {
    const notAwaited = this.#requests.notAwaited(now).slice(0, maxNotAwaited);
    const motion = this.#picture?.motion;
    return {
      ms: now - this.#loadedAt,
      ...this.#rest,
      // To wait for the next poll is in vain.
      ...(this.#pauseMs > 0 && this.#pausesOfWork < (this.#requests.hasPolls ? 1 : maxPauses) && this.#paused()),
      ...(motion && { motion }),
      busy: this.#busy(now),
      cut: !rest,
      ...(notAwaited.length > 0 && { notAwaited }),
      ...(this.#requests.hasPolls && { polls: true }),
    };
  }

  #atRest(now: number): boolean {
    const quietMs = this.#quietMs();
    if (now < (this.#movesAt() ?? 0) + movingMs) return false;
    if (this.#requests.loading(now) || !this.#thread.answered(now)) return false;
    const worked = this.#lastWork();
    if (now - worked >= Math.min(quietMs, this.#limits.pauseFromMs ?? quietMs) / 2 && quietMs > 0) this.#askForPicture(now, worked);
    if (now - worked < quietMs || (quietMs > 0 && !this.#isShown(now - worked - quietMs))) return false;
    const painted = this.#lastFrame();
    // One that is on its way is awaited even where nothing else is.
    if (now - painted >= Math.max(quietMs, frameLagMs) || now - worked >= quietMs + picturesAloneMs) return true;
    return this.#picture?.onlyEndless === true;
  }

  /** @returns how long all must be quiet */
  #quietMs(): number {
    const { quietMs } = this.#limits;
    return this.#pauses < maxPauses ? Math.max(quietMs, pauseFactor * this.#pauseMs) : quietMs;
  }

  #rests(now: number): void {
    this.#idleSince ??= this.#lastOfEach();
    this.#rest ??= { restMs: now - this.#startedAt, workMs: this.#lastWork() - this.#startedAt };
    if (this.#picture === null || !this.#isPictureNew) return;
    this.#isPictureNew = false;
    const cycleMs = cycleOf(this.#picture.motion);
    if (cycleMs === null) return;
    // What comes until then is followed by two cycles, too. Discovery, which tells visits what comes, sees more of it than they do.
    const cycles = this.#limits.pauseFromMs === undefined ? 2 : 4;
    this.#until = this.#limited(Math.max(now, this.#startedAt + (this.#limits.untilMs ?? 0)) + cycles * cycleMs);
  }

  /** Whether an idle page went on: by a timer, say. What moves without end is no news. */
  #notePauses(now: number): void {
    const since = this.#idleSince;
    if (since === undefined) {
      const isIdle = !this.#requests.loading(now) && this.#thread.answered(now);
      const { quietMs, pauseFromMs = quietMs } = this.#limits;
      const lastNews = this.#picture?.onlyEndless === true ? this.#lastWork() : Math.max(this.#lastWork(), this.#lastFrame());
      if (isIdle && now - lastNews >= pauseFromMs) this.#idleSince = this.#lastOfEach();
      return;
    }
    const { work, frame } = this.#lastOfEach();
    const pauseTo = (at: number, from: number) => (at > from ? at - Math.max(from, this.#loadedAt) : 0);
    const pictures = this.#picture?.onlyEndless === true ? 0 : pauseTo(frame, since.frame);
    const pause = Math.max(pauseTo(work, since.work), pictures);
    if (pause <= 0) return;
    this.#pauseMs = Math.max(this.#pauseMs, pause);
    this.#pauses += 1;
    this.#wentOnMs = Math.max(work > since.work ? work : 0, pictures > 0 ? frame : 0) - this.#startedAt;
    if (work > since.work) this.#pausesOfWork += 1;
    if (pictures > 0) this.#pausesOfPictures += 1;
    this.#idleSince = undefined;
  }

  #lastOfEach = () => ({ work: this.#requests.lastActivity, frame: this.#lastFrame() });

  /** The pauses so far, that of a page that moves on now among them. */
  paused(now: number): Pause {
    this.#notePauses(now);
    return this.#paused();
  }

  /** When a page goes on that does so for ever says nothing. */
  #paused = (): Pause => ({ pauseMs: this.#pauseMs, ...(this.#pauses < maxPauses && this.#wentOnMs > 0 && { wentOnMs: this.#wentOnMs }) });

  /** No longer than until all would have been quiet for long enough. */
  #nextLookMs(now: number): number {
    const quietMs = this.#quietMs();
    const quietAt = Math.max(this.#lastWork() + quietMs, this.#lastFrame() + Math.max(quietMs, frameLagMs), this.#until);
    return quietAt > now ? Math.min(lookEveryMs, Math.ceil(quietAt - now)) : lookEveryMs;
  }

  /** Last activity of requests or the main thread. */
  #lastWork(): number {
    return Math.max(this.#loadedAt, this.#requests.lastActivity, this.#thread.lastBusy);
  }

  #busy(now: number): BusyPart[] {
    const lately = (at: number) => at > this.#loadedAt && now - at < Math.min(this.#limits.quietMs, latelyMs);
    return [
      ...(this.#requests.loading(now) || lately(this.#requests.lastActivity) ? (['network'] as const) : []),
      ...(!this.#thread.answered(now) || lately(this.#thread.lastBusy) ? (['script'] as const) : []),
      ...(lately(this.#lastFrame()) || this.#mayShowMore(now) ? (['paint'] as const) : []),
    ];
  }

  /** A carousel stands between two slides. */
  #mayShowMore = (now: number) => this.#pausesOfPictures >= fewPauses && now - this.#lastFrame() < pauseFactor * this.#pauseMs;

  /** While the page is idle: once, and again after it went on, or while it shows nothing. */
  #askForPicture(now: number, worked: number): void {
    const asked = this.#pictureAskedAt;
    const isDue = asked === undefined || asked < worked || (this.#picture?.hasPainted === false && now - asked >= paintAskedEveryMs);
    if (this.#isPictureAsked || !isDue) return;
    this.#isPictureAsked = true;
    this.#pictureAskedAt = now;
    if (asked !== undefined && asked < worked) [this.#picture, this.#isPictureNew] = [null, true];
    void pictureOf(this.#session, this.#frameId).then((picture) => {
      this.#isPictureAsked = false;
      this.#picture = picture;
    });
  }

  #isShown(quietForMs: number): boolean {
    return this.#picture !== null && (this.#picture.hasPainted || quietForMs >= firstPaintMaxMs);
  }
}

interface Picture {
  /** True after its first contentful paint. */
  hasPainted: boolean;
  /** True if only animations move, and each of them repeats without end. What scripts paint is not among them. */
  onlyEndless: boolean;
  motion?: Motion;
}

/** A page that does not answer is taken for painted, and without motion. */
async function pictureOf(session: CDPSession, frameId: string): Promise<Picture> {
  try {
    const { result } = await evaluateApart(session, frameId, script);
    const { share, cyclesMs, videos, ...picture } = result.value as Picture & { share: number; cyclesMs: number[]; videos: number };
    if (share === 0) return picture;
    const cycleMs = Math.max(...cyclesMs);
    const repeats = videos === 0 && cycleMs <= maxCycleMs && cyclesMs.every((ms) => cycleMs % ms === 0);
    return { ...picture, motion: { share: Math.min(1, share), cycleMs: repeats ? cycleMs : null, isVideo: videos > 0 } };
  } catch {
    return { hasPainted: true, onlyEndless: false };
  }
}

const script = `(() => {
  // A box that turns covers as much at each angle.
  const shareOf = (element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return 0;
    const box = element.getBoundingClientRect();
    const { offsetWidth: width = box.width, offsetHeight: height = box.height } = element;
    const inside = (middle, size, end) => Math.max(0, Math.min(middle + size / 2, end) - Math.max(middle - size / 2, 0)) / end;
    return inside(box.x + box.width / 2, width, innerWidth) * inside(box.y + box.height / 2, height, innerHeight);
  };
  const paintsIn = (frame) => {
    try {
      return frame.contentWindow.performance.getEntriesByName('first-contentful-paint').length > 0;
    } catch {
      return true; // Of another site: it has loaded.
    }
  };
  const running = document.getAnimations().filter(({ playState }) => playState === 'running');
  const timingOf = ({ effect }) => effect?.getComputedTiming();
  const endless = running.filter((one) => timingOf(one)?.iterations === Infinity);
  const videos = [...document.querySelectorAll('video')].filter((video) => !video.paused && !video.ended && shareOf(video) > 0);
  const elements = new Set([...endless.flatMap(({ effect }) => effect.target ?? []), ...videos]);
  return {
    hasPainted:
      performance.getEntriesByName('first-contentful-paint').length > 0 ||
      [...document.querySelectorAll('iframe')].some((frame) => shareOf(frame) >= ${mainShare} && paintsIn(frame)),
    onlyEndless: running.length > 0 && endless.length === running.length,
    share: [...elements].reduce((sum, element) => sum + shareOf(element), 0),
    cyclesMs: [...new Set(endless.map((one) => timingOf(one).duration * (timingOf(one).direction.startsWith('alternate') ? 2 : 1)))],
    videos: videos.length,
  };
})()`;

// Checks if the page's main thread works. Only after load: until then nothing of ours runs in the page.

/** Interval of its questions. */
const everyMs = 100;
/** An idle thread answers sooner. */
const idleAnswerMs = 50;
/** A thread that works for more of the time is busy: an animation on it takes 5 to 30 % (Chromium 156, 60 frames a second). */
const busyShare = 0.5;
/** A thread that works takes more processor time between two answers, however busy the machine is; an idle one takes 1 to 4 ms. */
const minProcessorMs = 10;

class MainThread {
  /** Time of its last activity; of `performance.now()`. */
  lastBusy = 0;
  #ended = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** True where it can't be asked. */
  #gone = false;

  /**
   * True if it answered lately, or never will. Where this process was kept waiting, nobody asked: a task that began meanwhile shows only once it is
   * asked again.
   */
  answered(now: number): boolean {
    return this.#gone || now - this.#answeredAt <= everyMs + idleAnswerMs;
  }

  /** True while it has been asked, and an idle thread would not have answered yet. */
  mayBeIdle(now: number): boolean {
    return !this.answered(now) && now - this.#askedAt <= idleAnswerMs;
  }

  /** Asks until `end`. Never throws: a page may be gone. */
  async watch(session: CDPSession): Promise<void> {
    const ask = <Answer>(send: () => Promise<Answer>) => {
      this.#askedAt = performance.now();
      return send().catch(() => undefined);
    };
    const startedAt = performance.now();
    await ask(() => session.send('Performance.enable'));
    let before: { at: number; workedMs: number; processorMs: number } | undefined;
    while (!this.#ended) {
      const answer = await ask(() => session.send('Performance.getMetrics'));
      this.#gone = answer === undefined;
      if (answer === undefined || this.#ended) return;
      const at = performance.now();
      this.#answeredAt = at;
      const sumOf = (metric: string) => answer.metrics.find(({ name }) => name === metric)?.value;
      const workedMs = 1_000 * (sumOf('TaskDuration') ?? 0);
      // Firefox does not tell it.
      const processorMs = 1_000 * (sumOf('ThreadTime') ?? workedMs);
      const hasWorked =
        before === undefined
          ? at - startedAt > idleAnswerMs
          : didWork(workedMs - before.workedMs, processorMs - before.processorMs, at - before.at, at - this.#askedAt);
      if (hasWorked) this.lastBusy = at;
      before = { at, workedMs, processorMs };
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  end(): void {
    this.#ended = true;
  }
}

/**
 * Whether a main thread was busy between two answers. A late answer alone says nothing: other work on the machine delays an idle thread's, too.
 *
 * @param workedMs by its own account, time in which its tasks waited for a processor among it; less than nothing: another document has another process,
 *   whose sum restarts
 * @param answerMs after which it gave the second answer
 */
const didWork = (workedMs: number, processorMs: number, withinMs: number, answerMs: number): boolean =>
  workedMs < 0 ||
  (processorMs > minProcessorMs && (workedMs > busyShare * withinMs || (answerMs > idleAnswerMs && workedMs > idleAnswerMs)));
