// The ways browsertime is run here, as its command line options.

export interface Mode {
  name: string;
  options: readonly string[];
  /** Whether it gives a SpeedIndex: one of 0 or none then makes the run invalid. */
  speedIndex: boolean;
}

/** True 100 ms after the load event, as long as Pronghorn waits here. Without the first condition it would be true of the start page. */
const pageCompleteCheck =
  'return (function (waitMs) { var t = performance.timing; ' +
  "return location.protocol !== 'data:' && t.loadEventEnd > 0 && performance.now() > t.loadEventEnd - t.navigationStart + waitMs; })" +
  '(arguments[arguments.length - 1]);';

/** Its fixed waits (5,000 ms before the first look, 8,000 ms after load, 1,500 ms between looks) cut. 0 would mean the default. */
const shortWaits = [
  ...['--pageCompleteCheck', pageCompleteCheck],
  ...['--pageCompleteWaitTime', '100'],
  ...['--pageCompleteCheckStartWait', '1'],
  ...['--pageCompleteCheckPollTimeout', '20'],
  ...['--timeToSettle', '1'],
];

/**
 * Video needs Chrome with a window on Xvfb: with `--headless` nothing is drawn there, and browsertime exits 0 with a
 * SpeedIndex of 0.
 */
const video = ['--xvfb', '--visualMetrics'];

export const modes: readonly Mode[] = [
  { name: 'default', options: ['--headless'], speedIndex: false },
  { name: 'tuned', options: ['--headless', ...shortWaits], speedIndex: false },
  { name: 'video-default', options: [...video, '--video'], speedIndex: true },
  // The fastest that still has a SpeedIndex: the video is recorded, read and thrown away.
  {
    name: 'video-tuned',
    options: [...video, ...shortWaits, '--video', 'false', '--videoParams.convert', 'false', '--videoParams.createFilmstrip', 'false'],
    speedIndex: true,
  },
];
