/**
 * At most so many of them, evenly chosen, the first and the last among them. Evenly by their places, not by their times: Chrome makes a
 * frame when something changed, so that most are where most happens.
 */
export function chosenFrames<Frame>(frames: readonly Frame[], most: number): Frame[] {
  if (frames.length <= most) return [...frames];
  if (most <= 1) return frames.slice(-most);
  return Array.from({ length: most }, (_, index) => frames[Math.round((index * (frames.length - 1)) / (most - 1))] as Frame);
}
