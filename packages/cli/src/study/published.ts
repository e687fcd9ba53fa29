// The results that two studies published as numbers; values that only their pictures show are missing. Docs and reports refer to each by its id.
import type { Characteristic, SiteClass } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';

export interface Published {
  id: string;
  /** Null: the study says it only in words. */
  value: number | null;
  words: string;
}

const figure = (id: string, value: number, words = ''): Published => ({ id, value, words });
const inWords = (id: string, words: string): Published => ({ id, value: null, words });

/**
 * Trevisan, Giordano, Drago & Khatouni, "Measuring HTTP/3: Adoption and Performance", MedComNet 2021,
 * https://doi.org/10.1109/MedComNet52149.2021.9501274. Times in milliseconds.
 */
export const trevisan = {
  source: 'Trevisan et al. 2021, Measuring HTTP/3: Adoption and Performance, MedComNet, doi 10.1109/MedComNet52149.2021.9501274',
  sites: 14_707,
  visits: 2_647_260,
  /** Figure 2: shares of home pages. */
  adoption: [
    figure('T-A2', 0.007, 'to February 2020: the first four months'),
    figure('T-A3', 0.04, 'February 2020, “past 4 %”: Cloudflare switches on'),
    figure('T-A4', 0.048, 'October 2020, the most: 203,000 sites'),
    figure('T-A5', 0.001, 'November 2020, below 0.1 %: Cloudflare switches off'),
    figure('T-A6', 0.0035, 'December 2020: 14,707 sites, the share computed from T-A4'),
  ],
  /** Figure 3, of 14,707 sites in December 2020. */
  servers: [figure('Fig. 3', 809, 'GSE (Google, for Blogspot)'), figure('Fig. 3', 575, 'no Server header, of which 445 are Facebook’s')],
  serverOrder: 'Cloudflare is first; Google second as GSE, Google Frontend and GWS; then none, nginx, Apache, Caddy and others',
  /** Figure 4: shares of sites, over all visits with HTTP/3. */
  h3Shares: {
    all: { objects: figure('T-S1', 0.18), bytes: null },
    most: { objects: figure('T-S2', 0.36), bytes: figure('T-S2', 0.41) },
    little: { objects: figure('T-S3', 0.09), bytes: figure('T-S3', 0.28) },
    someH1: { objects: figure('T-S4', 0.51), bytes: null },
  },
  /** Figure 5: the median site's share. */
  h3SharesByProvider: {
    Cloudflare: 'about half of the objects, 24 % of the volume',
    Facebook: 'nearly all of both',
    Google: 'nearly all of both, with a long tail',
    Other: 'nearly all',
  },
  /** Figure 6: medians over sites, by condition. */
  medians: {
    onLoad: {
      native: { h1: figure('T-M1', 2000, '≈'), h2: figure('T-M1', 2000, '≈'), h3: figure('T-M1', 2000, '≈') },
      'latency-200': { h1: figure('T-M3', 6400), h2: figure('T-M3', 5800), h3: figure('T-M3', 5400) },
    },
    speedIndex: { native: { h1: figure('T-M2', 1000, '≈'), h2: figure('T-M2', 1000, '≈'), h3: figure('T-M2', 1000, '≈') } },
  } as Record<'onLoad' | 'speedIndex', Record<string, Record<Protocol, Published>>>,
  /** Figure 7: sites with an H3-Delta below 0. */
  faster: {
    onLoad: {
      native: figure('T-F0', 0.5, '≈'),
      'latency-50': figure('T-F1', 0.69),
      'latency-100': figure('T-F2', 0.76),
      'latency-200': figure('T-F3', 0.81),
      'bandwidth-5': inWords('T-F4', 'no clear trend'),
      'bandwidth-2': inWords('T-F5', 'no clear trend'),
      'bandwidth-1': figure('T-F6', 0.69),
      'loss-1': inWords('T-F7', 'no trend'),
      'loss-2': inWords('T-F7', 'no trend'),
      'loss-5': inWords('T-F7', 'no trend'),
    },
    speedIndex: {
      native: figure('T-F0', 0.5, '≈'),
      'latency-50': figure('T-F1', 0.74),
      'latency-100': figure('T-F2', 0.81),
      'latency-200': figure('T-F3', 0.87),
      'bandwidth-5': figure('T-F4', 0.56),
      'bandwidth-2': figure('T-F5', 0.49),
      'bandwidth-1': figure('T-F6', 0.58),
      'loss-1': inWords('T-F7', 'no trend'),
      'loss-2': inWords('T-F7', 'no trend'),
      'loss-5': inWords('T-F7', 'no trend'),
    },
  } as Record<'onLoad' | 'speedIndex', Record<string, Published>>,
  /** Figure 7: the median site's H3-Delta. */
  medianDelta: {
    onLoad: {
      native: figure('T-F0', 0, '≈'),
      'latency-200': figure('T-F3', -0.08),
      'loss-1': figure('T-F7', 0, '≈'),
      'loss-2': figure('T-F7', 0, '≈'),
      'loss-5': figure('T-F7', 0, '≈'),
    },
    speedIndex: { native: figure('T-F0', 0, '≈'), 'latency-200': figure('T-F3', -0.12, 'printed without its sign:') },
  } as Record<'onLoad' | 'speedIndex', Record<string, Published>>,
  /** Figure 8, on onLoad. */
  providers: {
    'latency-200': {
      Facebook: { faster: figure('T-V1', 0.95), median: figure('T-V1', -0.13) },
      Google: { faster: inWords('T-V2', 'between'), median: null },
      Cloudflare: { faster: figure('T-V3', 0.72), median: null },
      Other: { faster: inWords('T-V4', 'between'), median: null },
    },
    'bandwidth-1': {
      Facebook: { faster: figure('T-V1', 0.09, 'at most'), median: inWords('T-V1', 'above 0') },
      Google: { faster: figure('T-V2', 0.79), median: figure('T-V2', -0.14) },
      Cloudflare: { faster: figure('T-V3', 0.5, 'about'), median: figure('T-V3', 0, '≈') },
      Other: { faster: figure('T-V4', 0.5, 'about'), median: figure('T-V4', 0, '≈') },
    },
  } as Record<string, Record<PaperProvider, { faster: Published; median: Published | null }>>,
  /** Figure 9: shares of sites in each class, on onLoad. The paper does not name its scenarios; going by Figure 8 they are these. */
  classes: {
    'latency-200': { id: 'T-C1', below: 0.32, within: 0.57, above: 0.11 },
    'bandwidth-1': { id: 'T-C2', below: 0.38, within: 0.37, above: 0.25 },
  } as Record<string, { id: string } & Record<SiteClass, number>>,
  /** Figure 9: +1 where sites that gain have less of it, since H3-Delta then grows with it. */
  features: [
    { id: 'T-X1', characteristic: 'connections', 'latency-200': 1, 'bandwidth-1': 1 },
    { id: 'T-X2', characteristic: 'hosts', 'latency-200': 1, 'bandwidth-1': 1 },
    { id: 'T-X3', characteristic: 'largestConnectionShare', 'latency-200': -1, 'bandwidth-1': -1 },
    { id: 'T-X4', characteristic: 'h3Share', 'latency-200': null, 'bandwidth-1': -1 },
    { id: 'T-X5', characteristic: 'transferBytes', 'latency-200': 1, 'bandwidth-1': -1 },
  ] as { id: string; characteristic: Characteristic; 'latency-200': 1 | -1 | null; 'bandwidth-1': 1 | -1 | null }[],
  connectionsAndDomains: figure('T-X2', 0.91),
} as const;

/** The paper's groups; Other is everyone else. */
export const paperProviders = ['Cloudflare', 'Facebook', 'Google', 'Other'] as const;
export type PaperProvider = (typeof paperProviders)[number];

/** Six statistics of the loads of one protocol, milliseconds. */
export interface SixNumbers {
  median: number;
  mean: number;
  p90: number;
  p99: number;
  min: number;
  max: number;
}

const six = (median: number, mean: number, p90: number, p99: number, min: number, max: number): SixNumbers => ({
  ...{ median: median * 1000, mean: mean * 1000, p90: p90 * 1000, p99: p99 * 1000, min: min * 1000, max: max * 1000 },
});

/** The loads made and those used: the article says 50, its notebook has these numbers. */
interface Location {
  id: string;
  name: string;
  h2: SixNumbers & { made: number; used: number };
  h3: SixNumbers & { made: number; used: number };
}

/** Kiwee, "HTTP/3: how it performs compared to HTTP/2" (2023), its table; loads from the notebook in its repository. */
export const kiwee = {
  source:
    'Kiwee 2023, HTTP/3: how it performs compared to HTTP/2, https://kiwee.eu/blog/http-3-how-it-performs-compared-to-http-2/; numbers of loads from github.com/KiweeEu/http3-test-results',
  locations: [
    {
      ...{ id: 'K-NUE', name: 'Nürnberg, data centre' },
      h3: { ...six(0.635, 0.6472, 0.755, 0.875, 0.482, 1.263), made: 50, used: 38 },
      h2: { ...six(0.549, 0.8623, 1.766, 2.061, 0.42, 2.199), made: 50, used: 50 },
    },
    {
      ...{ id: 'K-HEL', name: 'Helsinki, data centre' },
      h3: { ...six(0.6465, 0.6702, 0.804, 0.909, 0.536, 0.921), made: 49, used: 40 },
      h2: { ...six(0.695, 0.9317, 1.796, 2.5, 0.555, 2.842), made: 49, used: 49 },
    },
    {
      ...{ id: 'K-IAD', name: 'Ashburn (US), data centre' },
      h3: { ...six(1.28, 1.3491, 1.522, 1.921, 1.143, 2.173), made: 50, used: 49 },
      h2: { ...six(1.674, 1.7942, 2.191, 2.937, 1.284, 4.871), made: 48, used: 48 },
    },
    {
      ...{ id: 'K-FIB', name: 'Wrocław, fibre over Wi-Fi' },
      h3: { ...six(0.839, 0.8856, 1.013, 1.014, 0.753, 1.428), made: 17, used: 17 },
      h2: { ...six(0.8155, 1.0117, 1.315, 1.323, 0.727, 2.904), made: 18, used: 18 },
    },
    {
      ...{ id: 'K-LTE', name: 'Wrocław, LTE over Wi-Fi' },
      h3: { ...six(1.602, 1.7172, 1.874, 2.569, 1.235, 2.723), made: 20, used: 14 },
      h2: { ...six(1.2035, 1.3895, 1.547, 1.819, 0.896, 3.431), made: 20, used: 16 },
    },
    {
      ...{ id: 'K-BAD', name: 'the same, 100 ms and about 15 % loss more' },
      h3: { ...six(6.028, 6.6856, 9.317, 9.349, 4.023, 9.774), made: 20, used: 18 },
      h2: { ...six(8.94, 12.8554, 27.638, 28.441, 5.921, 36.713), made: 18, used: 17 },
    },
  ] as Location[],
} as const;
