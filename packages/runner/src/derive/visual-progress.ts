// Frames → SpeedIndex, first and last visual change.
import type { Motion, ProgressPoint } from '@pronghorn/core/schemas';
import type { DroppedFrame, Frame } from '../gather/evidence.ts';
import { channels, type Histogram, histogramOf, levels, pixelsOfFrame, unpackHistogram } from '../gather/frames.ts';
import { cycleOf, minMotionShare, movesMuch } from '../gather/settling.ts';

export interface VisualProgress {
  /** Null: the page moves, so that it depends on the moment at which the visit ended. */
  speedIndex: number | null;
  firstVisualChange: number;
  /** Null where anything moves without end: the last picture is that of the visit's end. */
  lastVisualChange: number | null;
  /** Completeness at each frame since navigation start, in their order. */
  curve: ProgressPoint[];
}

/** How a visit was watched, milliseconds since navigation start. */
export interface Watched {
  /** When the page was first idle; from then on only the clock changes it. Undefined: unknown, or it never was. */
  restMs?: number | undefined;
  /** Its last request or script before that. */
  workMs?: number | undefined;
  /** Its end; undefined: its last picture. */
  endMs?: number | undefined;
  /** True if it still painted at the end. */
  paints?: boolean;
  motion?: Motion | undefined;
}

/** Two intervals of a 60 Hz display, milliseconds: SpeedIndex is as exact as this. */
export const twoFramesMs = 1_000 / 30;
/** A page at rest that changes its picture more often than this moves; fewer changes are content that comes by the clock. */
const maxLateChanges = 2;
/** After its last request or script a page shows what came of it. */
const renderingMs = 100;
/** Pictures of a cycle that are compared. */
const maxPictures = 40;
/** Pictures of a page that moves by which the moments of its end are compared. */
const maxCompared = 300;

/**
 * SpeedIndex and its moments, milliseconds since navigation start.
 *
 * SpeedIndex is the area above the curve of visual completeness, ∫ (1 − VC(t)) dt from navigation start (Meenan,
 * https://docs.webpagetest.org/metrics/speedindex/). Completeness is as speedline (Lighthouse) and
 * visualmetrics.py (WebPageTest, browsertime) have it: the part of the last frame's histogram that a frame has already. The viewport is white at
 * navigation start, and white pixels count as blank. How it differs from both: docs/decisions/0003-speed-index.md.
 *
 * A page that moves without end has no last frame. Where its motion repeats and its last two cycles were the same, a frame is as complete as it
 * resembles any of the cycle's; otherwise SpeedIndex is given only if it hardly depends on which frame is taken for the last one.
 *
 * @param pictures in their order, see `picturesOf`
 * @returns null when no frame shows anything
 */
export function visualProgress(pictures: readonly Picture[], watched: Watched = {}): VisualProgress | null {
  const last = pictures.at(-1);
  if (last === undefined || isBlank(last.histogram)) return null;
  const { targets, ends, completeFromMs } = targetsOf(pictures, last, watched);
  const progress = progressTo(pictures, targets, completeFromMs);
  const { motion, restMs = last.atMs } = watched;
  // What it shows later was not seen.
  const unseenMs = motion?.cycleMs === null ? unseenShare(motion, pictures, { endMs: watched.endMs ?? last.atMs }) * restMs : 0;
  const betweenMs = betweenPhases(pictures, (watched.workMs ?? restMs) + renderingMs, { targets, completeFromMs });
  const depends =
    unseenMs > twoFramesMs || betweenMs > twoFramesMs || dependsOnEnd(some(pictures, maxCompared), { targets, completeFromMs }, ends);
  if (depends) return { ...progress, speedIndex: null, lastVisualChange: null };
  return motion === undefined && watched.paints !== true ? progress : { ...progress, lastVisualChange: null };
}

/**
 * How much of SpeedIndex is colours of an animation that lie between two of its last cycle's pictures, milliseconds: strong colours, painted seldom or not
 * evenly, are more than `slop` from both.
 */
function betweenPhases(pictures: readonly Picture[], fromMs: number, { targets, completeFromMs }: Complete): number {
  if (completeFromMs === Number.POSITIVE_INFINITY) return 0;
  const compared = some(shownSince(pictures, fromMs), maxCompared);
  const [exact, near] = [distances, distancesTo(2 * slop)].map(
    (within) => progressTo(compared, targets, completeFromMs, within).speedIndex,
  );
  return (exact ?? 0) - (near ?? 0);
}

/** Whether SpeedIndex would be another one if the page had been watched until another moment. */
function dependsOnEnd(pictures: readonly Picture[], { targets, completeFromMs }: Complete, ends: readonly Picture[]): boolean {
  if (ends.length === 0) return false;
  const { speedIndex } = progressTo(pictures, targets, completeFromMs);
  return ends.some((end) => {
    const until = [...pictures.filter(({ atMs }) => atMs < end.atMs), end];
    return Math.abs(progressTo(until, [end.histogram]).speedIndex - speedIndex) > twoFramesMs;
  });
}

/**
 * The share of the viewport in which a motion that was not seen whole may differ. An animation that moves all the time goes on as it did; one that
 * stands still between its slides, and a video, show anything.
 */
export function unseenShare(
  { share, cycleMs, isVideo = true }: Motion,
  pictures: readonly Picture[],
  { endMs, restMs = endMs, workMs = Number.NEGATIVE_INFINITY }: { endMs: number } & Pick<Watched, 'restMs' | 'workMs'>,
): number {
  if (!isVideo && cycleMs !== null) {
    // When the page came to rest it was seen to move, and little else happened; in half of a cycle it shows nearly all that it does. What comes
    // meanwhile, by a timer, does not come twice.
    const quietMs = Math.min(cycleMs, restMs - workMs - renderingMs);
    const before = quietMs > 0 ? movedUntil(pictures, restMs, quietMs) * Math.max(1, cycleMs / (2 * quietMs)) : share;
    return Math.min(share, before, restMs + cycleMs <= endMs ? movedUntil(pictures, restMs + cycleMs, cycleMs) : share);
  }
  const froms = Array.from({ length: stepsSeen }, (_, step) => endMs - (step + 1) * lastingMs);
  const isSteady = froms.every((fromMs) => pictures.some(({ atMs }) => atMs > fromMs && atMs <= fromMs + lastingMs));
  if (isVideo || !isSteady) return share;
  const seen = [endMs, ...froms].map((ms) => pictures.findLast(({ atMs }) => atMs <= ms)).filter((picture) => picture !== undefined);
  const steps = seen.slice(1).map((one, step) => changedShare(one, seen[step] as Picture));
  // Content that comes meanwhile is in some of them.
  const [least = 0, steady = least] = steps.sort((a, b) => a - b);
  return Math.min(share, stepsSeen * steady);
}
/** In as many quarters of a second at the end. */
const stepsSeen = 3;

/** When a page last showed more than an animation's next picture, milliseconds since navigation start; null: it moves. */
export function lastNewsMs({ speedIndex, curve }: Pick<VisualProgress, 'speedIndex' | 'curve'>): number | null {
  if (speedIndex === null) return null;
  // An animation's pictures are as complete as the one of them that they resemble most: now more, now less.
  let most = 0;
  let known = 0;
  let lastMs: number | null = null;
  for (const { atMs, completeness } of curve) {
    // What slides or fades in is little more each time.
    if (completeness - most >= minMotionShare || completeness - known >= 2 * minMotionShare) [lastMs, known] = [atMs, completeness];
    most = Math.max(most, completeness);
  }
  return lastMs;
}

/** The colours of a frame, and when it was shown, milliseconds since navigation start. */
export interface Picture {
  atMs: number;
  histogram: Histogram;
  /** Pixels of the frame, white ones among them; default: as many as one may have. */
  pixels?: number;
}

/**
 * Frames since navigation start, in their order.
 *
 * @param frames whole, or those of which no more than the colours were kept
 * @param timeOrigin navigation start, milliseconds since the epoch
 */
export async function picturesOf(frames: readonly (Frame | DroppedFrame)[], timeOrigin: number): Promise<Picture[]> {
  const shown = frames.filter(({ timestamp }) => timestamp >= timeOrigin).sort((a, b) => a.timestamp - b.timestamp);
  const pictures: Picture[] = [];
  const whole = shown.find((frame): frame is Frame => 'jpegBase64' in frame);
  const pixels = whole && (await pixelsOfFrame(whole.jpegBase64));
  for (const [index, frame] of shown.entries()) {
    const histogram = await coloursOf(frame, shown[index - 1], pictures[index - 1]?.histogram);
    pictures.push({ atMs: frame.timestamp - timeOrigin, histogram, ...(pixels && { pixels }) });
  }
  return pictures;
}

/** Which frames are complete: those with the colours of a target, and all from a moment on. */
interface Complete {
  targets: readonly Histogram[];
  completeFromMs: number;
}

/** @returns `ends`: with which the visit might as well have ended */
function targetsOf(
  pictures: readonly Picture[],
  last: Picture,
  { restMs = last.atMs, workMs = Number.NEGATIVE_INFINITY, endMs = last.atMs, paints = false, motion }: Watched,
): Complete & { ends: Picture[] } {
  const cycleMs = cycleOf(motion);
  const cycle = cycleMs === null || endMs - restMs < 2 * cycleMs ? null : lastCycle(pictures, cycleMs, endMs);
  const completeFromMs = cycle === null || cycleMs === null ? Number.POSITIVE_INFINITY : endMs - 2 * cycleMs;
  const from = cycleMs !== null ? restMs : paints ? Math.max(last.atMs - movingMs, workMs + renderingMs) : last.atMs;
  const shown = shownSince(pictures, Math.min(restMs, from));
  const moved =
    cycle === null ? (motion === undefined ? 0 : unseenShare(motion, pictures, { restMs, workMs, endMs })) : movedIn(some(cycle));
  const share = phaseFactor * moved;
  const states = statesOf(shown, share);
  const changes = statesOf(lasting(shown), share).length - 1 > maxLateChanges || returns(some(states), share);
  const goesOn = movesMuch(motion) && cycle === null;
  const moves = changes || goesOn || (paints && motion === undefined && states.length > 1);
  // What came while a long animation went on, and stayed, is content.
  const stateMs = goesOn && cycleMs === null && !changes && motion.isVideo === false ? (states.at(-1)?.atMs ?? 0) : 0;
  const ends = moves ? some(shown.filter(({ atMs, histogram }) => atMs >= stateMs && atMs < completeFromMs && !isBlank(histogram))) : [];
  return { targets: (cycle ?? [last]).map(({ histogram }) => histogram), completeFromMs, ends };
}

/**
 * The pictures of an animation: those of the last cycle, if the one before was the same. Where it was not, the page, or a banner, came meanwhile.
 *
 * @returns null: it was not, or it is blank at times
 */
function lastCycle(pictures: readonly Picture[], cycleMs: number, endMs: number): Picture[] | null {
  const [cycle, before] = [shownUntil(pictures, endMs, cycleMs), shownUntil(pictures, endMs - cycleMs, cycleMs)];
  if ([...cycle, ...before].some(({ histogram }) => isBlank(histogram))) return null;
  const isIn = (its: readonly Picture[]) => (picture: Picture) => its.some((one) => isSamePhase(picture, one));
  return some(cycle).every(isIn(before)) && some(before).every(isIn(cycle)) ? cycle : null;
}

/** The largest share of the viewport in which two of the pictures differ. */
function movedIn(pictures: readonly Picture[]): number {
  const differences = pictures.flatMap((one, index) => pictures.slice(index + 1).map((other) => changedShare(one, other)));
  return Math.max(0, ...differences);
}

/** The same of what was shown for so long until a moment. */
export function movedUntil(pictures: readonly Picture[], untilMs: number, forMs: number): number {
  return movedIn(some(shownUntil(pictures, untilMs, forMs)));
}

/** Without those that a slide or a fade passes through. */
const lasting = (shown: readonly Picture[]): Picture[] =>
  shown.filter(({ atMs }, index) => (shown[index + 1]?.atMs ?? Number.POSITIVE_INFINITY) - atMs >= lastingMs);
const lastingMs = 250;

/** Different ones: the one that was shown then, and those that came later. */
function shownSince(pictures: readonly Picture[], fromMs: number): Picture[] {
  const before = pictures.findLast(({ atMs }) => atMs <= fromMs);
  return distinct([...(before ? [before] : []), ...pictures.filter(({ atMs }) => atMs > fromMs)]);
}

/** The same of so many milliseconds until a moment. */
const shownUntil = (pictures: readonly Picture[], untilMs: number, forMs: number): Picture[] =>
  shownSince(
    pictures.filter(({ atMs }) => atMs <= untilMs),
    untilMs - forMs,
  );

/** The first picture of each state of a page, whose pictures differ by no more than moves. */
function statesOf(pictures: readonly Picture[], share: number): Picture[] {
  const states: Picture[] = [];
  for (const picture of pictures) {
    const state = states.at(-1);
    if (state === undefined || !differsByMotion(state, picture, share)) states.push(picture);
  }
  return states;
}

/** Whether a state comes again: content that comes late stays. */
const returns = (states: readonly Picture[], share: number): boolean =>
  states.some((one, index) => states.slice(index + 2).some((later) => differsByMotion(one, later, share)));

/** At most so many of them, the last one among them. */
export function some(pictures: readonly Picture[], most = maxPictures): Picture[] {
  const each = Math.ceil(pictures.length / most);
  return pictures.filter((_, index) => (pictures.length - 1 - index) % each === 0);
}

/** The last milliseconds of a page that still paints show how it moves. */
const movingMs = 2_000;

/** Those that differ from the one before. */
export function distinct(pictures: readonly Picture[]): Picture[] {
  const found: Picture[] = [];
  for (const picture of pictures) {
    const before = found.at(-1);
    if (before === undefined || likeness(before.histogram, picture.histogram) < sameAt) found.push(picture);
  }
  return found;
}

/** Pictures that are at least so alike are the same: JPEG's noise and a caret differ by less. */
const sameAt = 0.995;

const isBlank = (histogram: Histogram): boolean => histogram.every((count) => count === 0);

/**
 * Whether two pictures differ in no more than a share of the viewport, or hardly; white is no colour.
 *
 * @param share in which the page moves
 */
const differsByMotion = (one: Picture, other: Picture, share: number): boolean =>
  changedShare(one, other) <= Math.max(share, (1 - sameInMotion) * filledShare(one, other));
const sameInMotion = 0.98;
/** Two cycles are seen at other phases of an animation, and differ by a little more than what moves in one. */
export const phaseFactor = 1.25;
/** Of what little a white page shows, little is much; and of what comes late, as SpeedIndex is the area above the curve. */
function isSamePhase(one: Picture, other: Picture): boolean {
  const mayDiffer = Math.min(Math.max(0.02, minMotionShare / filledShare(one, other)), 0.1, twoFramesMs / Math.max(one.atMs, other.atMs));
  return changedShare(one, other) <= Math.max(mayDiffer, 1 - sameAt) * filledShare(one, other);
}
/** Frames are scaled to at most 500 × 500. */
const maxFramePixels = 250_000;

/** Shares of the viewport: in which two pictures differ, and that the fuller one fills. */
export const changedShare = (one: Picture, other: Picture): number =>
  (1 - likeness(one.histogram, other.histogram)) * filledShare(one, other);
/** The share in which a picture half way between them would differ from both. */
export const halfwayShare = (one: Picture, other: Picture): number =>
  (1 - likeness(one.histogram, other.histogram, distancesTo(2 * slop))) * filledShare(one, other);
const filledShare = (one: Picture, other: Picture): number =>
  Math.max(pixelsOf(one.histogram), pixelsOf(other.histogram)) / (one.pixels ?? maxFramePixels);
const pixelsOf = (histogram: Histogram): number => histogram.reduce((sum, count) => sum + count, 0) / channels;

/** The share of the colours of two pictures that both have; 1: all. */
export function likeness(one: Histogram, other: Histogram, within = distances): number {
  const [noOne, noOther] = [isBlank(one), isBlank(other)];
  if (noOne || noOther) return noOne && noOther ? 1 : 0;
  return Math.min(similarity(one, other, within), similarity(other, one, within));
}

/** Progress where a picture is as complete as it resembles the nearest of the targets, and from a moment on each is. */
function progressTo(
  pictures: readonly Picture[],
  targets: readonly Histogram[],
  completeFromMs = Number.POSITIVE_INFINITY,
  within = distances,
): Omit<VisualProgress, 'speedIndex'> & { speedIndex: number } {
  let speedIndex = 0;
  let completeness = 0;
  let at = 0;
  const changes: number[] = [];
  const curve: ProgressPoint[] = [];
  let before: Histogram | undefined;
  for (const { atMs, histogram } of pictures) {
    speedIndex += (atMs - at) * (1 - completeness);
    at = atMs;
    const isComplete = atMs >= completeFromMs;
    const now = isComplete
      ? 1
      : histogram === before
        ? completeness
        : Math.max(...targets.map((target) => similarity(histogram, target, within)));
    if (now !== completeness) changes.push(atMs);
    completeness = now;
    before = histogram;
    curve.push({ atMs, completeness });
  }
  return { speedIndex, firstVisualChange: changes[0] ?? 0, lastVisualChange: changes.at(-1) ?? 0, curve };
}

async function coloursOf(
  frame: Frame | DroppedFrame,
  previous: Frame | DroppedFrame | undefined,
  before: Histogram | undefined,
): Promise<Histogram> {
  if ('histogram' in frame) return unpackHistogram(frame.histogram);
  const same = previous !== undefined && 'jpegBase64' in previous && previous.jpegBase64 === frame.jpegBase64;
  return same && before !== undefined ? before : await histogramOf(frame.jpegBase64);
}

/**
 * Levels by which two values may differ and be taken for the same: visualmetrics.py's. Without it the noise that JPEG puts
 * around each edge makes a finished area look unfinished as long as its neighbour is missing.
 */
const slop = 5;

/** Share of the target's pixels, value by value, that a histogram has too; equal values are matched first, then nearer ones. */
function similarity(current: Histogram, target: Histogram, within = distances): number {
  const available = current.slice();
  const wanted = target.slice();
  let total = 0;
  let match = 0;
  for (const count of target) total += count;
  for (const distance of within) {
    for (let channel = 0; channel < channels; channel++) {
      const start = channel * levels;
      for (let level = Math.max(0, -distance); level < Math.min(levels, levels - distance); level++) {
        const at = start + level;
        const matched = Math.min(wanted[at] as number, available[at + distance] as number);
        if (matched === 0) continue;
        (wanted[at] as number) -= matched;
        (available[at + distance] as number) -= matched;
        match += matched;
      }
    }
  }
  return match / total;
}

/** 0, −1, 1, −2, 2, … */
const distancesTo = (most: number) => Array.from({ length: 2 * most + 1 }, (_, i) => (i % 2 === 0 ? i / 2 : -(i + 1) / 2));
const distances = distancesTo(slop);
