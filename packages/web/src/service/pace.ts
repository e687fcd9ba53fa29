// How often a page may ask again: visits may be measured on the very machine that answers.

/** Asking takes at most a twentieth of the time, however slow the answers are. */
const costRatio = 20;
/** One answer that was late, as while the service starts, must not stop a page for long. */
const mostMs = 300_000;

/**
 * When a reading is due again.
 * @param wishedMs after how long the page would like it; null: never.
 * @param tookMs how long reading it took just now.
 */
export const dueAfter = (wishedMs: number | null, tookMs: number): number | null =>
  wishedMs === null ? null : Math.max(wishedMs, Math.min(costRatio * tookMs, mostMs));
