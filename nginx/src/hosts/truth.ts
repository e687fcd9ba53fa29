// The ground-truth pages, whose onLoad, SpeedIndex and LCP are known before they are measured.
//
// The document's arrival at the upstream is t0. It is answered at once; each object of the page is answered at t0 plus
// its own time, to the millisecond. So the load event comes with the last object that the load event waits for, and the
// viewport fills band by band at known times. From a white start SpeedIndex is the integral of what is still missing,
// Σ (1 − completeness) Δt, which for bands with shares aₖ that appear at tₖ is Σ aₖ tₖ.
//
// A browser adds its own time to that: connection set-up before t0, transfer, decoding, the next frame.

export interface TruthObject {
  /** When it is answered, after the document's arrival. */
  atMs: number;
  /**
   * `band`: an image that fills `rows` of the viewport and that the load event waits for. `cover`: one with more pixels, which takes the place of the
   * object before it. `hidden`: an image that shows nothing and that the load event waits for. The load event waits for none of the others:
   * `late-band`, which a fetch colours; `timer-band`, which a timer does, while nothing else goes on; `pulse`, a late band whose animation repeats
   * each second; `slides`, one that a script colours anew again and again.
   */
  kind: 'band' | 'cover' | 'hidden' | 'late-band' | 'timer-band' | 'pulse' | 'slides';
  /** Height, as rows of a viewport of 768; other viewports in proportion. */
  rows: number;
  colour: string;
}

export interface TruthPage {
  name: string;
  title: string;
  standsFor: string;
  /** At most five: with h1, a browser has six connections to a host, and every waiting object holds one. */
  objects: readonly TruthObject[];
}

export const viewportRows = 768;

/**
 * Edges lie at multiples of 88 rows, which are 32 rows of a frame scaled to 500 × 281: between JPEG's blocks there and in
 * the full frame alike. An edge inside a block smears over all its pixels, and those match nothing: edges at eighths cost
 * up to 4 % of completeness in such frames, these at most 0.5 %.
 */
const edge = 88;

const band = (atMs: number, rows: number, colour: string): TruthObject => ({ atMs, kind: 'band', rows, colour });

export const truthPages: readonly TruthPage[] = [
  {
    name: 'single',
    title: 'Ground truth: one block',
    standsFor: 'The whole viewport at 1,000 ms: onLoad, first and last change and SpeedIndex are all the same.',
    objects: [band(1000, viewportRows, '#2f6f73')],
  },
  {
    name: 'steps',
    title: 'Ground truth: four steps',
    standsFor: 'Four bands of uneven height at uneven times: SpeedIndex lies well before onLoad.',
    objects: [
      band(250, 3 * edge, '#39506b'),
      band(600, 2 * edge, '#2f6f73'),
      band(1000, 2 * edge, '#c98a1b'),
      band(1500, viewportRows - 7 * edge, '#b3512f'),
    ],
  },
  {
    name: 'late-load',
    title: 'Ground truth: load after the last change',
    standsFor: 'Complete to the eye at 400 ms, while an object outside the viewport holds the load event until 1,200 ms.',
    objects: [band(400, viewportRows, '#6b7d4a'), { atMs: 1200, kind: 'hidden', rows: 0, colour: '#000000' }],
  },
  {
    name: 'early-load',
    title: 'Ground truth: load before the last change',
    standsFor: 'The load event at 300 ms, when a third is there; a script paints the rest at 900 ms.',
    objects: [band(300, 3 * edge, '#8d4f5e'), { atMs: 900, kind: 'late-band', rows: viewportRows - 3 * edge, colour: '#39506b' }],
  },
  {
    name: 'timer',
    title: 'Ground truth: content by a timer',
    standsFor: 'A third with the load event at 300 ms; a timer shows the rest at 1,500 ms, when all has been quiet for over a second.',
    objects: [band(300, 3 * edge, '#6b7d4a'), { atMs: 1500, kind: 'timer-band', rows: viewportRows - 3 * edge, colour: '#2f6f73' }],
  },
  {
    name: 'swap',
    title: 'Ground truth: swapped content',
    standsFor: 'A picture of a third of the viewport at 300 ms, in whose place a larger one comes at 1,000 ms, after the rest.',
    objects: [
      band(300, 3 * edge, '#8d4f5e'),
      { atMs: 1000, kind: 'cover', rows: 3 * edge, colour: '#1f9f2f' },
      band(600, viewportRows - 3 * edge, '#c98a1b'),
    ],
  },
  {
    name: 'pulse',
    title: 'Ground truth: an animation that repeats',
    standsFor: 'Two thirds at 300 ms; the rest first shows at 800 ms, and moves each second without end.',
    objects: [band(300, viewportRows - 3 * edge, '#39506b'), { atMs: 800, kind: 'pulse', rows: 3 * edge, colour: '#b3512f' }],
  },
  {
    name: 'slides',
    title: 'Ground truth: a carousel',
    standsFor: 'Half at 300 ms; the rest shows another slide each 0.7 s without end: it has no last picture, so no SpeedIndex.',
    objects: [band(300, 4 * edge, '#39506b'), { atMs: 500, kind: 'slides', rows: viewportRows - 4 * edge, colour: '#b3512f' }],
  },
];

export interface Truth {
  onLoadMs: number;
  /** Null: a page that never comes to rest has none. */
  speedIndexMs: number | null;
  /** Null: Chrome takes a picture that fills the viewport for a background. */
  largestContentfulPaintMs: number | null;
  firstVisualChangeMs: number;
  lastVisualChangeMs: number;
}

/** What images are, and what the load event waits for. */
export const isImage = ({ kind }: TruthObject): boolean => kind === 'band' || kind === 'cover' || kind === 'hidden';

/** The results that a page must measure, by construction. */
export function truthOf({ objects }: TruthPage): Truth {
  const seen = objects.filter(({ rows }) => rows > 0);
  const lasting = seen.filter((object) => objects[objects.indexOf(object) + 1]?.kind !== 'cover');
  const pictures = seen.filter((object) => isImage(object) && object.rows < viewportRows);
  const largest = pictures.find(({ kind }) => kind === 'cover') ?? pictures.sort((a, b) => a.atMs - b.atMs)[0];
  return {
    onLoadMs: Math.max(...objects.filter(isImage).map(({ atMs }) => atMs)),
    speedIndexMs: seen.some(({ kind }) => kind === 'slides')
      ? null
      : lasting.reduce((sum, { rows, atMs }) => sum + rows * atMs, 0) / viewportRows,
    largestContentfulPaintMs: largest?.atMs ?? null,
    firstVisualChangeMs: Math.min(...seen.map(({ atMs }) => atMs)),
    lastVisualChangeMs: Math.max(...lasting.map(({ atMs }) => atMs)),
  };
}
