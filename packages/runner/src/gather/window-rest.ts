// The pause in which a window becomes still after a tab of it was opened or closed.
import type { Chrome } from '../chrome/launch.ts';

/**
 * Full Chrome animates its tab strip, in headless mode too and whatever motion it is asked for: it draws the whole window anew 60 times a
 * second, without a GPU, which took a seventh of a core until 250 ms after the tab answered (Chromium 156). A page that loads beside it,
 * in this window or in another one, is painted later: see docs/statistics.md, Calibration. How long it lasts is by the clock:
 * a slow machine draws fewer frames, not longer.
 */
const animationMs = 300;

/** Waits until the window of a tab that was opened or closed just now draws nothing any more. The headless shell has no such window. */
export async function windowAtRest(chrome: Pick<Chrome, 'flags'>): Promise<void> {
  if (chrome.flags.includes('--headless=new')) await new Promise((resolve) => setTimeout(resolve, animationMs));
}
