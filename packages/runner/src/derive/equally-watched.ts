// Whether the visits of a round were watched long enough to be compared: what one of them showed late, the others must have had the time to show.
import type { Resource, Settled, Watch } from '@pronghorn/core/schemas';
import type { Evidence, PageTimings } from '../gather/evidence.ts';
import { endpointOf, scripted } from '../gather/open-requests.ts';
import { blockingMs } from '../gather/page-timings.ts';
import { cycleOf, pauseFactor } from '../gather/settling.ts';
import { nameOf, unseen } from './answers.ts';
import {
  changedShare,
  distinct,
  halfwayShare,
  likeness,
  movedUntil,
  type Picture,
  phaseFactor,
  some,
  twoFramesMs,
  unseenShare,
} from './visual-progress.ts';

/** What a visit saw, and until when. Times are milliseconds since navigation start. */
export interface Seen {
  endMs: number;
  /** From its last activity to its end. */
  idleMs: number;
  /** Longest pause after which the page, idle already, went on; 0: it did not. */
  pauseMs: number;
  loadMs: number;
  /** When its page moved on by itself to the document that is measured, as one that reloads itself does; 0: it did not. */
  movedOnMs: number;
  /** True if the network may bring content for which no visit waits: by a stream, a socket, a poll. */
  isFed: boolean;
  /** When each object, by its name, was first requested. */
  requests: ReadonlyMap<string, number>;
  /** The last one is the final picture; none: the browser reports none. */
  pictures: readonly Picture[];
  /** True if an animation ran: its pictures do not tell when the page paused. */
  moves: boolean;
  /** True if its SpeedIndex depends on when it ended. */
  isEndless: boolean;
  /** When the last two cycles of an animation began; infinite: it was not watched for them. */
  cyclesFromMs: number;
  /** Pictures of an animation's last cycle; none: no animation repeated. */
  cycle: readonly Picture[];
  /** Share of the viewport that changes without end. */
  motion: number;
  /** When its largest content was shown, and how large that is, in square pixels; null: unknown. */
  largest: { atMs: number; size: number } | null;
  /** How long its tasks blocked the main thread, milliseconds, and how far its content shifted, each with when it began. */
  blocked: readonly Moment[];
  shifted: readonly Moment[];
}
type Moment = { atMs: number; amount: number };

/** Until when a visit is watched for what another load saw come by the clock, as timers may be late. Milliseconds since navigation, both. */
export const untilFor = (cameMs: number): number => 1.1 * cameMs + 100;
/** More blocking, milliseconds, and more layout shift than varies between visits of one page; and what is more by itself, after a pause. */
const [blockedMore, shiftedMore] = [
  { much: 100, alone: 20 },
  { much: 0.05, alone: 0.005 },
];
/** Of all that the other one had: less changes its number little. */
const aloneShare = 0.1;
/** Of no request, picture or task, milliseconds: what comes after it comes by the clock. */
const aloneMs = 100;

export function seenBy(
  page: PageTimings,
  settled: Evidence['settled'],
  resources: readonly Resource[],
  frames: readonly Picture[],
  isEndless = false,
): Seen {
  const pictures = some(distinct(frames), maxPictures);
  const cycleMs = cycleOf(settled?.motion);
  const requests = new Map<string, number>();
  let lastMs = page.navigation.loadEventEnd;
  for (const { url, type, startMs, endMs } of resources) {
    if (unseen.has(type)) continue;
    const name = scripted.has(type) ? endpointOf(nameOf(url)) : nameOf(url);
    requests.set(name, Math.min(startMs, requests.get(name) ?? startMs));
    lastMs = Math.max(lastMs, startMs, endMs ?? 0);
  }
  return {
    endMs: page.readAt,
    // An animation's pictures are no activity, and do not tell after what pause content came.
    idleMs: page.readAt - (settled?.motion === undefined ? Math.max(lastMs, pictures.at(-1)?.atMs ?? 0) : lastMs),
    moves: settled?.motion !== undefined,
    pauseMs: settled?.pauseMs ?? 0,
    loadMs: page.navigation.loadEventEnd,
    movedOnMs: page.documentAt ?? 0,
    isFed: settled?.polls === true || settled?.notAwaited !== undefined || resources.some(({ type }) => feeds.has(type)),
    requests,
    pictures,
    isEndless,
    cyclesFromMs: cycleMs === null ? Number.POSITIVE_INFINITY : page.readAt - 2 * cycleMs,
    cycle: until(frames, page.readAt, cycleMs ?? 0),
    motion: motionIn(settled, frames, page.readAt),
    largest:
      page.largestContentfulPaint === null || page.largestContentfulSize === undefined
        ? null
        : { atMs: page.largestContentfulPaint, size: page.largestContentfulSize },
    blocked: (page.longTasks ?? []).map(({ startTime, duration }) => ({ atMs: startTime, amount: blockingMs(duration) })),
    shifted: (page.layoutShifts ?? []).map(({ startTime, value }) => ({ atMs: startTime, amount: value })),
  };
}

const feeds: ReadonlySet<string> = new Set(['EventSource', 'WebSocket']);
/** A stream may be as much slower as the load was, up to this factor: a lost packet in one load says little of a stream. */
const maxSlower = 2;

/** What JPEG and a caret change. */
const minShare = 0.005;

/**
 * In which share of the viewport two pictures of one page may differ, at other moments of an animation. Where it was watched for two cycles: the most
 * by which a picture of the last cycle differs from the one most like it, of the cycle before or of its neighbours; or, if more, half of what
 * smooth motion changes from one to the next, as another visit's frames lie between them.
 */
function motionIn({ motion, restMs, workMs }: Partial<Settled> = {}, frames: readonly Picture[], endMs: number): number {
  if (motion === undefined) return 0;
  const cycleMs = cycleOf(motion);
  if (cycleMs === null) return unseenShare(motion, frames, { restMs, workMs, endMs });
  const beforeMs = (frames.at(-1)?.atMs ?? 0) - cycleMs;
  const [last, before] = [until(frames, beforeMs + cycleMs, cycleMs), until(frames, beforeMs, cycleMs)];
  const unlike = some(last, maxOfCycle).map((picture) => {
    const at = last.indexOf(picture);
    const neighbours = last.slice(Math.max(0, at - 1), at + 2).filter((its) => its !== picture);
    // What stands between its steps has no pictures between them, and content that came since differs from what was before, not from its neighbours.
    const beside = neighbours.filter(({ atMs }) => Math.abs(atMs - picture.atMs) <= besideMs);
    const between = beside.length < 2 ? 0 : Math.min(...beside.map((its) => halfwayShare(picture, its)));
    return Math.max(Math.min(nearest(picture, before), nearest(picture, neighbours)), between);
  });
  return Math.min(
    motion.share,
    movedUntil(frames, beforeMs + cycleMs, cycleMs),
    movedUntil(frames, beforeMs, cycleMs),
    Math.max(0, ...unlike),
  );
}
const nearest = (picture: Picture, others: readonly Picture[]) => Math.min(...others.map((its) => changedShare(picture, its)));
/** Those of so many milliseconds until a moment. */
const until = (frames: readonly Picture[], untilMs: number, forMs: number) =>
  frames.filter(({ atMs }) => atMs > untilMs - forMs && atMs <= untilMs);
/** What moves smoothly has its next picture within this time. */
const besideMs = 40;
/** Pictures of a cycle that are compared, and of those that another visit did not see. */
const [maxOfCycle, maxNews] = [20, 20];

/** Pictures of a visit that are compared. */
const maxPictures = 100;

/**
 * How long a visit should have been watched to see what another one of the same page saw: until it requested what this one never requested, showed
 * what this one never showed, or was blocked or shifted when this one had ended, and after as long a pause.
 *
 * @returns null where it had the time
 */
export function missed(one: Seen, other: Seen): Watch | null {
  // A page that moves in one visit alone is in another state there.
  const motion = Math.min(one.motion, other.motion);
  // Of what little a white page shows, little is much: SpeedIndex changes by that share of the moment.
  const isSame = (picture: Picture, its: Picture) =>
    changedShare(picture, its) <= phaseFactor * motion ||
    (1 - likeness(picture.histogram, its.histogram)) * picture.atMs <= Math.max(twoFramesMs, minShare * picture.atMs);
  const shown = [...one.cycle, ...one.pictures];
  const isNews = (picture: Picture) => one.pictures.length > 0 && !shown.some((its) => isSame(picture, its));
  const newRequests = [...other.requests].filter(([name]) => !one.requests.has(name)).map(([, atMs]) => atMs);
  const last = other.pictures.at(-1);
  // SpeedIndex alone is by pictures, and where neither has one, each shows what the other never did: a canvas, say.
  const mayBeNews = !(one.isEndless && other.isEndless);
  // What it showed before its last picture is news only if this one could not see it any more.
  const news = other.pictures.filter((picture) => mayBeNews && (picture === last || picture.atMs > one.endMs) && isNews(picture));
  // The latest alone matters, but an animation shows it again and again.
  const firstShown = (picture: Picture) => other.pictures.find((its) => isSame(picture, its) && isNews(its)) ?? picture;
  const pictures = some(news, maxNews).map((picture) => firstShown(picture).atMs);
  const works = [other.loadMs, ...other.requests.values()];
  const active = [...works, ...[...other.pictures, ...other.blocked, ...other.shifted].map(({ atMs }) => atMs)];
  // What shifts is painted at the same moment.
  const isAlone = ({ atMs }: Moment) => !active.some((ms) => ms > atMs - aloneMs && ms < atMs - twoFramesMs);
  const later = [
    ...newRequests,
    ...pictures,
    // A page that reloads itself requests and shows what it did before, but all of its times are the next document's.
    ...(other.movedOnMs > (one.movedOnMs === 0 ? 0 : one.endMs) ? [other.movedOnMs] : []),
    ...(one.largest !== null && other.largest !== null && other.largest.size > one.largest.size ? [other.largest.atMs] : []),
    ...moreOf(one.blocked, other.blocked, { ...blockedMore, endMs: one.endMs, isAlone }),
    ...moreOf(one.shifted, other.shifted, { ...shiftedMore, endMs: one.endMs, isAlone }),
  ];
  // It has no SpeedIndex if what the other one showed in time came within its last two cycles: to leave it out would choose by value.
  const final = one.pictures.at(-1);
  const cameMs = final && one.isEndless && !other.isEndless ? (one.pictures.find((its) => isSame(final, its))?.atMs ?? 0) : 0;
  const isUnsure = cameMs > one.cyclesFromMs;
  if (isUnsure) later.push(cameMs);
  if (later.length === 0) return null;
  const slower = other.isFed ? Math.min(maxSlower, Math.max(1, one.loadMs / other.loadMs)) : 1;
  const untilMs = untilFor(slower * Math.max(...later));
  const pauses = other.moves ? pictures.map((atMs) => atMs - Math.max(0, ...works.filter((ms) => ms <= atMs))) : [];
  const pauseMs = pauseFactor * Math.max(other.pauseMs, ...pauses);
  return isUnsure || untilMs > one.endMs || pauseMs > one.idleMs ? { untilMs, pauseMs } : null;
}

/** When the other one had more than this one, if that came after this one's end. */
function moreOf(
  one: readonly Moment[],
  other: readonly Moment[],
  { much, alone, endMs, isAlone }: { much: number; alone: number; endMs: number; isAlone: (moment: Moment) => boolean },
): number[] {
  const sum = (moments: readonly Moment[]) => moments.reduce((all, { amount }) => all + amount, 0);
  const isMore = (late: readonly Moment[], least: number) => sum(late) >= least && sum(other) - sum(one) >= least;
  const late = other.filter(({ atMs }) => atMs > endMs);
  const byItself = late.filter(isAlone);
  const more = isMore(late, much) ? late : isMore(byItself, Math.max(alone, aloneShare * sum(other))) ? byItself : [];
  return more.map(({ atMs }) => atMs);
}

/** At least as long as both. */
export const longer = (one: Watch, other: Watch): Watch => ({
  untilMs: Math.max(one.untilMs, other.untilMs),
  pauseMs: Math.max(one.pauseMs, other.pauseMs),
});
