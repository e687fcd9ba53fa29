// The part of a load's time that is shown.

export type TimeWindow = { fromMs: number; toMs: number };

const smallestMs = 1;

/** What the address says, within the whole; null: nothing or nonsense, so all is shown. */
export function parseWindow(text: string, wholeMs: number): TimeWindow {
  const [, from, to] = text.match(/^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/) ?? [];
  const [fromMs, toMs] = [Number(from ?? 0), Math.min(Number(to ?? wholeMs), wholeMs)];
  return toMs - fromMs >= smallestMs ? { fromMs, toMs } : { fromMs: 0, toMs: wholeMs };
}

/** As the address says it; empty for the whole. */
export function windowText({ fromMs, toMs }: TimeWindow, wholeMs: number): string {
  return fromMs <= 0 && toMs >= wholeMs ? '' : `${rounded(fromMs)}-${rounded(toMs)}`;
}
const rounded = (ms: number) => Math.round(ms * 10) / 10;

/**
 * @param factor below 1: closer.
 * @param aroundMs stays where it is.
 */
export function zoomed({ fromMs, toMs }: TimeWindow, factor: number, aroundMs: number, wholeMs: number): TimeWindow {
  const length = Math.min(wholeMs, Math.max(smallestMs, (toMs - fromMs) * factor));
  const share = (aroundMs - fromMs) / (toMs - fromMs);
  return within(aroundMs - share * length, length, wholeMs);
}

/** @param share of what is shown; negative: earlier. */
export const moved = ({ fromMs, toMs }: TimeWindow, share: number, wholeMs: number): TimeWindow =>
  within(fromMs + share * (toMs - fromMs), toMs - fromMs, wholeMs);

function within(fromMs: number, length: number, wholeMs: number): TimeWindow {
  const from = Math.min(Math.max(0, fromMs), Math.max(0, wholeMs - length));
  return { fromMs: from, toMs: from + length };
}

/** From a time to percent of the axis; may lie outside. */
export const shareOf = ({ fromMs, toMs }: TimeWindow, ms: number): number => ((ms - fromMs) / (toMs - fromMs)) * 100;

/** Where a bar stands, cut at the edges; null when nothing of it is shown. At least as wide as can be seen. */
export function barOf(window: TimeWindow, startMs: number, endMs: number): { left: string; width: string } | null {
  const [start, end] = [shareOf(window, startMs), shareOf(window, endMs)];
  if (end < 0 || start > 100) return null;
  const [left, right] = [Math.max(0, start), Math.min(100, end)];
  return { left: `${left.toFixed(3)}%`, width: `max(1px, ${(right - left).toFixed(3)}%)` };
}
