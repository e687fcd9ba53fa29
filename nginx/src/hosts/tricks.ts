// Pages that try to make a measurement name a winner that the protocol is not: by the clock, an error, a cache, another page. Each is made of objects
// that are answered at known times after the document's arrival, as the ground-truth pages are; over HTTP/2 all of them may come later by a known
// share, which is then the one real difference.

import { hostOf } from './hosts.ts';

export interface TrickObject {
  /** When it is answered, after the document's arrival. */
  atMs: number;
  /**
   * `sheet`: a style sheet that blocks rendering. `band`: an image that fills `rows` of the viewport. `late-band`: a band that a fetch colours.
   * `hidden`: an image that shows nothing.
   */
  kind: 'sheet' | 'band' | 'late-band' | 'hidden';
  rows?: number;
  colour?: string;
}

export interface Shape {
  name: string;
  standsFor: string;
  objects: readonly TrickObject[];
  /** The page comes by a redirect, or in a frame. */
  by?: 'redirect' | 'frame';
}

const row = 88;
const band = (atMs: number, rows: number, colour: string): TrickObject => ({ atMs, kind: 'band', rows: rows * row, colour });
const colours = ['#39506b', '#2f6f73', '#c98a1b', '#b3512f', '#6b7d4a', '#8d4f5e', '#4a3f6b', '#7a6a2a'];
const bands = (count: number, fromMs: number, stepMs: number): TrickObject[] =>
  Array.from({ length: count }, (_, n) => band(fromMs + n * stepMs, 8 / count, colours[n % colours.length] as string));

const shapes: readonly Shape[] = [
  { name: 'article', standsFor: 'text and one picture', objects: [{ atMs: 200, kind: 'sheet' }, band(500, 8, '#39506b')] },
  { name: 'shop', standsFor: 'many small pictures', objects: bands(8, 300, 60) },
  { name: 'large', standsFor: 'few large pictures', objects: bands(2, 600, 500) },
  { name: 'styled', standsFor: 'a style sheet that holds the paint', objects: [{ atMs: 600, kind: 'sheet' }, ...bands(2, 400, 100)] },
  {
    name: 'application',
    standsFor: 'content by a fetch',
    objects: [
      { atMs: 300, kind: 'band', rows: row, colour: '#39506b' },
      { atMs: 700, kind: 'late-band', rows: 7 * row, colour: '#2f6f73' },
    ],
  },
  { name: 'late-load', standsFor: 'complete before its load event', objects: [...bands(2, 300, 100), { atMs: 1_000, kind: 'hidden' }] },
  {
    name: 'early-load',
    standsFor: 'complete after its load event',
    objects: [
      ...bands(1, 300, 0).map((one) => ({ ...one, rows: 3 * row })),
      { atMs: 900, kind: 'late-band', rows: 5 * row, colour: '#b3512f' },
    ],
  },
  { name: 'steps', standsFor: 'a page that comes bit by bit', objects: bands(4, 250, 300) },
  { name: 'redirected', standsFor: 'a page behind a redirect', objects: bands(2, 400, 200), by: 'redirect' },
  { name: 'framed', standsFor: 'content in a frame', objects: bands(2, 400, 200), by: 'frame' },
];

interface Played {
  expects: 'real' | 'doubt';
  does: string;
  /** Played on a page of one truth alone: the one that it could hide. Default: on both. */
  only?: 'same' | 'real';
  /** On which shape, if not on the usual one. */
  on?: string;
  /** What the results advise for such a page: a load before each round that does not count. */
  prime?: true;
}

/** Of some tricks alone. */
const sparse: Shape = {
  name: 'sparse',
  standsFor: 'a white page with little on it',
  objects: [band(200, 0.5, '#39506b'), { atMs: 400, kind: 'late-band', rows: row / 8, colour: '#2f6f73' }],
};
export const shapeOf = (name: string): Shape | undefined => [...shapes, sparse].find((one) => one.name === name);

/**
 * `real`: the trick itself makes no difference to a visitor, so that only a real one may be named. `doubt`: visits over one protocol, or most of all
 * visits, got another page: no winner may be named without saying so.
 */
const all = {
  timer: { expects: 'real', does: 'shows its content after a second, by a timer; fetches unseen' },
  carousel: { expects: 'real', does: 'changes its hero each 0.9 s; fetches unseen' },
  cold: { expects: 'real', does: 'has a cold cache for the first load of a round', prime: true },
  redirect: { expects: 'real', does: 'shows “One moment” and moves on after a second' },
  reload: { expects: 'real', does: 'reloads itself once' },
  '403': { expects: 'doubt', does: 'refuses its first object over HTTP/3' },
  '503': { expects: 'doubt', does: 'fails a fetch over HTTP/3' },
  block: { expects: 'doubt', does: 'answers with a block page from the fourth load on' },
  thinned: { expects: 'doubt', does: 'lacks most of its objects from the fourth load on' },
  compression: { expects: 'doubt', does: 'compresses its text over HTTP/3 alone' },
  splash: { expects: 'real', does: 'covers itself with a spinner, which a timer removes; fetches unseen', only: 'same' },
  headline: { expects: 'real', does: 'replaces its headline by a larger one, by a timer; fetches unseen', only: 'same' },
  spinner: { expects: 'real', does: 'moves a small box without end', only: 'real' },
  polls: { expects: 'real', does: 'asks for news each 0.7 s, each time at another address', only: 'real' },
  media: { expects: 'real', does: 'plays a sound', only: 'real' },
  lengthless: { expects: 'real', does: 'sends its text compressed and without a length', only: 'real' },
  bubble: {
    expects: 'real',
    does: 'shows a chat button, by a timer, where there is little else; fetches unseen',
    only: 'same',
    on: 'sparse',
  },
  stripes: {
    expects: 'real',
    does: 'moves stripes over a third of itself without end, and shows a banner by a timer; fetches unseen',
    only: 'same',
  },
  banner: { expects: 'real', does: 'slides a banner in, by a timer; fetches unseen', only: 'real' },
  marquee: { expects: 'real', does: 'moves a strip of logos for 30 s, again and again', only: 'real' },
  reword: { expects: 'real', does: 'renders its headline again, a little larger, by a timer; fetches unseen', only: 'same' },
  ticker: { expects: 'real', does: 'asks for two prices three times a second', only: 'real' },
  slider: { expects: 'real', does: 'slides from picture to picture each 3 s, by CSS; fetches unseen for longer', only: 'same' },
  ribbon: {
    expects: 'real',
    does: 'moves a strip of logos, and shows a banner as high by a timer; fetches unseen for longer',
    only: 'same',
  },
  badge: {
    expects: 'real',
    does: 'moves a small box without end, and shows a button as small by a timer, where there is little else; fetches unseen',
    only: 'same',
    on: 'sparse',
  },
  chain: { expects: 'real', does: 'sends four queries, each after the answer before, and shows a price', only: 'real', on: 'sparse' },
  covered: { expects: 'real', does: 'covers itself with a small spinner for 1.8 s', only: 'same', on: 'article' },
  fetched: {
    expects: 'real',
    does: 'covers itself with a small spinner until a fetch, a second after its load, is answered',
    only: 'real',
    on: 'article',
  },
  promo: {
    expects: 'real',
    does: 'fetches a banner whose button bobs, by a timer; fetches unseen for longer',
    only: 'same',
    on: 'article',
  },
  pulse: {
    expects: 'real',
    does: 'has a placeholder that pulses without end, and shows a banner after 4 s, by a timer; fetches unseen for longer',
    only: 'same',
  },
  teaser: {
    expects: 'real',
    does: 'turns a small box without end, and shows a teaser as small after 4 s, by a timer; fetches unseen for longer',
    only: 'same',
    on: 'article',
  },
  corner: { expects: 'real', does: 'as `teaser`, but its box is smaller still', only: 'same', on: 'article' },
  push: {
    expects: 'real',
    does: 'moves a strip of logos, and shows what its server pushes after 2.6 s; fetches unseen for longer over HTTP/3',
    only: 'real',
  },
  levels: {
    expects: 'real',
    does: 'sends two queries at once, four times, each after the answers before, and shows a price',
    only: 'real',
    on: 'sparse',
  },
  tiers: {
    expects: 'real',
    does: 'sends two queries at once, four times, each after the answers before, as late over both, and shows a price',
    only: 'same',
    on: 'sparse',
  },
  gap: {
    expects: 'real',
    does: 'has a skeleton that pulses until a timer shows content; fetches unseen for longer',
    only: 'same',
    on: 'article',
  },
  blink: {
    expects: 'real',
    does: 'has a box that changes its colour in steps without end, and shows a teaser smaller than it after 5 s, by a timer; fetches unseen for longer',
    only: 'same',
    on: 'article',
  },
  twice: {
    expects: 'real',
    does: 'has a small box that changes its colour without end, and shows two banners, by timers; fetches unseen for longer',
    only: 'same',
    on: 'article',
  },
  throb: {
    expects: 'real',
    does: 'has a dark placeholder that pulses without end; fetches unseen for longer',
    only: 'same',
    on: 'article',
  },
  afterload: {
    expects: 'real',
    does: 'turns a small box without end, and shows a banner 1.6 s after its load event, which comes later over HTTP/2, and sooner to discovery',
    only: 'real',
    on: 'article',
  },
  canvas: { expects: 'real', does: 'paints a gradient that never repeats, by script', only: 'same', on: 'article' },
  renew: {
    expects: 'real',
    does: 'reloads itself once, by a timer, with its objects in the cache; fetches unseen for longer',
    only: 'same',
    on: 'article',
  },
  gate: { expects: 'real', does: 'shows a spinner and moves on after a second', only: 'real' },
} as const satisfies Record<string, Played>;
export type Trick = keyof typeof all;
export const tricks: Readonly<Record<Trick, Played>> = all;

/** How much later objects come over HTTP/2 where there is a real difference. */
export const realShare = 0.3;

/** A page of the suite, and what may be said of it. */
export interface TrickSite {
  name: string;
  url: string;
  shape: string;
  trick: Trick | 'none';
  /** True where objects come later over HTTP/2. */
  isReal: boolean;
  expects: 'real' | 'doubt';
  prime: boolean;
}

/** The shape on which tricks are played that name none. */
const stage = 'application';
/** Of each shape: one that leaves a visitor's page as it is, one that makes another. */
const ofEachShape: readonly Trick[] = ['timer', 'block'];

/** `usual`: pages without a trick, and the tricks that are played with both truths. `short`: two pages. */
export const trickSets: readonly string[] = ['short', 'usual', 'all'];

/**
 * The pages of the suite: each shape without a trick, alike over both protocols and slower over HTTP/2; every trick on one shape, with and without that
 * difference, or with the one truth that it could hide; and each shape with two tricks.
 *
 * @param which names of tricks, or a name of `trickSets`
 */
export function trickSites(port: number, which: readonly string[]): TrickSite[] {
  const site = (shape: string, trick: Trick | 'none', isReal: boolean): TrickSite => {
    const path = `${shape}/${trick}/${isReal ? 'real' : 'same'}`;
    const { expects, prime = false } = trick === 'none' ? { expects: 'real' as const } : tricks[trick];
    return {
      name: path.replaceAll('/', '-'),
      url: `https://${hostOf('tricks').name}:${port}/${path}`,
      shape,
      trick,
      isReal,
      expects,
      prime,
    };
  };
  const both = (shape: string, trick: Trick | 'none') => [false, true].map((isReal) => site(shape, trick, isReal));
  const played = (trick: Trick) =>
    both(tricks[trick].on ?? stage, trick).filter(({ isReal }) => tricks[trick].only !== (isReal ? 'same' : 'real'));
  if (which.includes('short')) return [site(stage, 'timer', true), site(stage, '403', false)];
  const sites = [
    ...shapes.flatMap(({ name }) => both(name, 'none')),
    ...(Object.keys(tricks) as Trick[]).flatMap(played),
    ...shapes.filter(({ name }) => name !== stage).flatMap(({ name }) => ofEachShape.map((trick) => site(name, trick, false))),
  ];
  if (which.includes('all')) return sites;
  if (which.includes('usual')) return sites.filter(({ trick }) => trick === 'none' || tricks[trick].only === undefined);
  return sites.filter(({ trick }) => which.includes(trick));
}
