// Whether the visits of a round were watched long enough to be compared: what one of them showed late, the others must have had the time to show.
import type { Resource, Watch } from '@pronghorn/core/schemas';
import type { Evidence, PageTimings } from '../gather/evidence.ts';
import { pauseFactor } from '../gather/settling.ts';
import { unseen } from './answers.ts';
import { withoutQuery } from './document.ts';
import { distinct, likeness, type Picture } from './visual-progress.ts';

/** What a visit saw, and until when. Times are milliseconds since navigation start. */
export interface Seen {
  endMs: number;
  /** From its last activity to its end. */
  idleMs: number;
  /** Longest pause after which the page, idle already, went on; 0: it did not. */
  pauseMs: number;
  /** When each URL, without its query, was last requested. */
  requests: ReadonlyMap<string, number>;
  /** The last one is the final picture; none: the browser reports none. */
  pictures: readonly Picture[];
  /** Share of the viewport that moves without end. */
  motion: number;
}

/** What comes by the clock comes a little later another time. */
const [lateFactor, lateMs] = [1.1, 100];
/** Pictures that are at least so alike show the same. */
const sameAt = 0.98;

export function seenBy(page: PageTimings, settled: Evidence['settled'], resources: readonly Resource[], frames: readonly Picture[]): Seen {
  const pictures = distinct(frames);
  const requests = new Map<string, number>();
  let lastMs = page.navigation.loadEventEnd;
  for (const { url, type, startMs, endMs } of resources) {
    if (unseen.has(type)) continue;
    const name = withoutQuery(url);
    requests.set(name, Math.max(startMs, requests.get(name) ?? 0));
    lastMs = Math.max(lastMs, startMs, endMs ?? 0);
  }
  return {
    endMs: page.readAt,
    idleMs: page.readAt - Math.max(lastMs, pictures.at(-1)?.atMs ?? 0),
    pauseMs: settled?.pauseMs ?? 0,
    requests,
    pictures,
    motion: settled?.motion?.share ?? 0,
  };
}

/**
 * How long a visit should have been watched to see what another one of the same page saw: until it requested what this one never requested, or
 * showed what this one never showed, and after as long a pause.
 *
 * @returns null where it had the time
 */
export function missed(one: Seen, other: Seen): Watch | null {
  const alikeAt = sameAt - Math.max(one.motion, other.motion);
  const final = one.pictures.at(-1)?.histogram;
  const isNews = ({ histogram }: Picture) => final !== undefined && likeness(final, histogram) < alikeAt;
  const newRequests = [...other.requests].filter(([name]) => !one.requests.has(name)).map(([, atMs]) => atMs);
  const last = other.pictures.at(-1);
  const later = [
    ...newRequests,
    // What it showed before its last picture is news only if this one could not see it any more.
    ...other.pictures.filter((picture) => (picture === last || picture.atMs > one.endMs) && isNews(picture)).map(({ atMs }) => atMs),
  ];
  if (later.length === 0) return null;
  const untilMs = lateFactor * Math.max(...later) + lateMs;
  const pauseMs = pauseFactor * other.pauseMs;
  return untilMs > one.endMs || pauseMs > one.idleMs ? { untilMs, pauseMs } : null;
}

/** At least as long as both. */
export const longer = (one: Watch, other: Watch): Watch => ({
  untilMs: Math.max(one.untilMs, other.untilMs),
  pauseMs: Math.max(one.pauseMs, other.pauseMs),
});
