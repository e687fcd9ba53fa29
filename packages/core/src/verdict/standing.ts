// Is what got worse still worse? A pure function of the nights that are there: a deleted night never was, and one odd night says nothing.
import { median } from '../math/quantile.ts';
import { latestRuns } from './regression.ts';

/** The median of a series in a campaign. */
export interface SeriesNight {
  campaignId: number;
  median: number;
  /** Half of the loads failed or more: the median is the least that they would have taken. */
  failing: boolean;
}

/** A step that was found: the level before it, and the share by which a level above that one matters. */
export interface Step {
  before: number;
  level: number;
  threshold: number;
}

/**
 * The nights that are worse, if the step stands. It is over when two nights in a row have lost half of it and are no more above the level
 * before than matters; it is back when two in a row are again as much above as matters.
 *
 * @param nights from the first one of the step on, oldest first
 * @returns since it last came, oldest first; empty: it is over. `isBack`: it was over in between
 */
export function standingNights(
  nights: readonly SeriesNight[],
  { before, level, threshold }: Step,
): { worse: SeriesNight[]; isBack: boolean } {
  const fine = Math.min(before * (1 + threshold), (before + level) / 2);
  let [begin, isOver] = [0, false];
  for (let end = latestRuns; end <= nights.length; end++) {
    const latest = nights.slice(end - latestRuns, end);
    if (latest.every((night) => night.median <= fine)) [begin, isOver] = [end, true];
    else if (latest.every((night) => night.median > before * (1 + threshold))) isOver = false;
  }
  return { worse: isOver ? [] : nights.slice(begin).filter((night) => night.median > fine), isBack: begin > 0 };
}

/** The level of now: the median of the latest three, so that one wild night moves it to no level that was ever measured. */
export function levelOf(worse: readonly SeriesNight[]): { level: number; failing: boolean } {
  const latest = worse.slice(-3).sort((one, other) => one.median - other.median);
  const upper = latest[Math.floor(latest.length / 2)] as SeriesNight;
  return upper.failing ? { level: upper.median, failing: true } : { level: median(latest.map((night) => night.median)), failing: false };
}
