// What the runner says of a page beside what a film of the screen says: SpeedIndex, and when the content was there.
// node bench/video/run.ts [VISITS] [SITE…]
//
// A Chrome with a window, driven by the runner's own engine with the runner's own flags, is filmed at 60 frames a second while it loads: so film
// and runner speak of the same load. Between its loads the engine as it is, without a window, loads the page too: other loads, which share
// with the filmed ones that the page itself says when it had a frame with its content. Navigation start is Chrome's own, by the wall clock
// that the frames of the film have as well.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOrigin } from '../../nginx/src/index.ts';
import { median, quantile } from '../../packages/core/src/math/index.ts';
import { defaultLimits, type MetricName, type PageMetrics } from '../../packages/core/src/schemas/index.ts';
import { metricOf } from '../../packages/core/src/vocabulary/index.ts';
import { deriveOutcome } from '../../packages/runner/src/derive/outcome.ts';
import { visualProgress } from '../../packages/runner/src/derive/visual-progress.ts';
import type { Evidence } from '../../packages/runner/src/gather/evidence.ts';
import { type Engine, openLink, puppeteerEngine } from '../../packages/runner/src/index.ts';
import { framesOf, regionOf } from './film.ts';
import { openScreen, type Region } from './screen.ts';

const usual = ['application', 'application-timer', 'application-at-once', 'application-tasks', 'truth-steps'];
const [count = '10', ...names] = process.argv.slice(2);
const visits = Number(count);
const sites = names.length === 0 ? usual : names;
const frameMs = 1_000 / 60;
/** A film that is less sure when something changed is no reference: the machine did something else. */
const mostGapMs = 2.5 * frameMs;

// A film of a load of six seconds has 1.5 GB.
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bench-video-'));
const file = join(folder, 'film.nut');
await using screen = await openScreen();
const origin = await startOrigin({ directory: folder, web: true });
const link = await openLink({ choice: 'direct', conditions: [], outside: false });
const lab = { trust: origin.trust, serves: () => true, settings: origin.settings };
const { enter } = link.vantagePoint;
// No window may open over the one that is filmed.
const windowed = puppeteerEngine(lab, { ...link.vantagePoint, enter: [...enter, ...screen.enter] }, { ahead: false });
const windowless = puppeteerEngine(lab, link.vantagePoint, { ahead: false });

interface Seen {
  speedIndex: number;
  /** When the page was as it is at its end, but for a hundredth. */
  content: number;
}

interface Load {
  metrics: PageMetrics;
  /** By the page itself: when it had a frame with its content. */
  told: number | undefined;
}

interface FilmedLoad extends Load {
  film: Seen;
}

try {
  const region = await findRegion();
  console.error(`The page is ${region.width} × ${region.height} at ${region.x},${region.y} of the screen.`);
  for (const name of sites) {
    const url = urlOf(name);
    const filmed: FilmedLoad[] = [];
    const alone: Load[] = [];
    // A film with a gap is made again, though not for ever.
    for (let n = 0; n < 2 * visits && filmed.length < visits; n++) {
      filmed.push(...(await filmedLoad(url, region)));
      alone.push(...(await loadOf(await gather(windowless, url), url)));
    }
    if (filmed.length > 0 && alone.length > 0) tell(name, filmed, alone);
    else console.log(`${name}: no load could be filmed without a gap; is the machine calm?`);
  }
} finally {
  await windowed.close();
  await windowless.close();
  await link.close();
  await origin.stop();
  rmSync(folder, { recursive: true, force: true });
}

function urlOf(name: string): string {
  const site = origin.sites.find((one) => one.name === name);
  if (site === undefined) throw new Error(`The demo has no site "${name}"; it has ${origin.sites.map((one) => one.name).join(', ')}.`);
  return site.url;
}

async function gather(engine: Engine, url: string): Promise<Evidence> {
  const asked = { url, protocol: 'h2', discovery: 'forced', forced: [], view: 'cold', isolation: 'process', browser: 'chrome' } as const;
  return (await engine.load({ ...asked, limits: defaultLimits })).evidence;
}

/** Nothing of a load that is not valid. */
async function loadOf(evidence: Evidence, url: string): Promise<Load[]> {
  const asked = { url, protocol: 'h2', discovery: 'forced', forced: [], view: 'cold', expectStatus: 200, finalUrl: url } as const;
  const { outcome } = await deriveOutcome({ ...asked, usual: null }, evidence, 1);
  if (outcome.verdict !== 'valid') {
    console.error(`${url}: ${outcome.reason}, ${outcome.detail}`);
    return [];
  }
  const told = evidence.network
    .map((event) =>
      event.method === 'Network.requestWillBeSent' ? /\/seen\?content=([\d.]+)/.exec(event.params.request.url)?.[1] : undefined,
    )
    .find((ms) => ms !== undefined);
  return [{ metrics: outcome.metrics, told: told === undefined ? undefined : Number(told) }];
}

/** A page of one colour from edge to edge shows where pages are. */
async function findRegion(): Promise<Region> {
  const stop = await screen.film(file);
  const { page } = await gather(windowed, urlOf('truth-single'));
  await stop();
  return await regionOf(file, [0x2f, 0x6f, 0x73], endOf(page));
}

/** After that the window goes. */
function endOf(page: Evidence['page']): number {
  return page === null ? 0 : page.timeOrigin + page.readAt;
}

async function filmedLoad(url: string, region: Region): Promise<FilmedLoad[]> {
  const stop = await screen.film(file, region);
  const evidence = await gather(windowed, url);
  await stop();
  const [load] = await loadOf(evidence, url);
  const { page } = evidence;
  if (load === undefined || page === null) return [];
  const { frames, gapMs } = await framesOf(file, [page.timeOrigin, endOf(page)]);
  const progress = gapMs > mostGapMs ? null : await visualProgress(frames, page.timeOrigin);
  if (progress === null) {
    console.error(`${url}: ${frames.length > 1 ? `the film has a gap of ${gapMs.toFixed(0)} ms` : 'the film shows nothing'}; left out.`);
    return [];
  }
  const { speedIndex, curve } = progress;
  const last = curve.findLastIndex(({ completeness }) => completeness < 0.99);
  return [{ ...load, film: { speedIndex, content: curve[last + 1]?.atMs ?? 0 } }];
}

function tell(name: string, filmed: readonly FilmedLoad[], alone: readonly Load[]): void {
  const truth = origin.sites.find((site) => site.name === name)?.truth;
  // Of the pages with a truth the largest element is not the last.
  const content = truth === undefined ? 'largestContentfulPaint' : 'lastVisualChange';
  const row = (metric: MetricName, of: (film: Seen) => number) => {
    const errors = filmed.map(({ film, metrics }) => (metricOf(metrics, metric) ?? Number.NaN) - of(film));
    const error = median(errors);
    return {
      page: name,
      metric,
      loads: errors.length,
      film: median(filmed.map((load) => of(load.film))).toFixed(1),
      'error, ms': signed(error),
      frames: signed(error / frameMs),
      '9 of 10 within': quantile(errors.map(Math.abs), 0.9).toFixed(1),
      'two frames': Math.abs(error) <= 2 * frameMs ? 'within' : 'MISSED',
      'no window': median(alone.map(({ metrics }) => metricOf(metrics, metric) ?? Number.NaN)).toFixed(1),
    };
  };
  console.table([row('speedIndex', ({ speedIndex }) => speedIndex), row(content, (film) => film.content)]);
  // What a load took of its own goes with the page's own word.
  const after = (loads: readonly Load[], of: (load: Load) => number) => median(loads.map((load) => of(load) - (load.told ?? Number.NaN)));
  const shown = after(filmed, (load) => (load as FilmedLoad).film.content);
  if (truth === undefined) {
    const painted = after(alone, ({ metrics }) => metrics.largestContentfulPaint ?? Number.NaN);
    console.log(
      `Content after the page’s own frame with it: by the film ${signed(shown)} ms, by the runner without a window ${signed(painted)} ms: ` +
        `${signed(painted - shown)} ms, ${signed((painted - shown) / frameMs)} frames.`,
    );
  } else {
    const beyond = median(filmed.map(({ film, metrics }) => film.speedIndex - metrics.ttfb - truth.speedIndexMs));
    console.log(`The film’s SpeedIndex is ${signed(beyond)} ms from the constructed ${truth.speedIndexMs.toFixed(1)}, beyond set-up.`);
  }
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
}
