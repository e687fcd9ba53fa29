// The moment in which a window becomes still after a tab of it was opened or closed.
import type { Chrome } from '../chrome/launch.ts';

/**
 * Full Chrome draws a window that was opened some three times; without `--animation-duration-scale=0` it would animate its tab strip for 250 ms, in
 * headless mode too, and a page that loads beside that, in this window or in another one, is painted later: see docs/statistics.md, Calibration.
 */
const drawnMs = 50;

/** Waits until the window of a tab that was opened or closed just now draws nothing any more. The headless shell has no such window. */
export async function windowAtRest(chrome: Pick<Chrome, 'flags'>): Promise<void> {
  if (chrome.flags.includes('--headless=new')) await new Promise((resolve) => setTimeout(resolve, drawnMs));
}
