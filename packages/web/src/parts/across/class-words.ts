// The three classes of sites, in words.
import type { AcrossSites, BoxPlot, Characteristic, DeltaDistribution, FactorTest, SiteClass } from '@pronghorn/core/schemas';
import { many, percent, pValue } from '../../text/format.ts';
import { protocolNames, type Unit } from '../../text/vocabulary.ts';

export const siteClasses = ['below', 'within', 'above'] as const satisfies readonly SiteClass[];

export const classRule =
  'A site’s class depends on its H3-Delta: below −0.1 “HTTP/3 lower”, from −0.1 to 0.1 “about the same”, above 0.1 “HTTP/2 lower” (Trevisan et al. 2021). Classes are not tests: noise alone moves sites out of the middle; the number beside says how many. A class is sure if the whole 95 % interval lies in it.';

export const characteristicNames: Readonly<Record<Characteristic, { name: string; unit: Unit }>> = {
  connections: { name: 'Connections', unit: 'count' },
  hosts: { name: 'Hosts', unit: 'count' },
  requests: { name: 'Requests', unit: 'count' },
  transferBytes: { name: 'Page size', unit: 'bytes' },
  h3Share: { name: 'Objects over HTTP/3', unit: 'share' },
  h3ByteShare: { name: 'Bytes over HTTP/3', unit: 'share' },
  largestConnectionShare: { name: 'Objects on the largest connection', unit: 'share' },
};

/** Curves of fewer sites have large steps, which a note explains. */
const fewSites = 20;

/** Such as: 48 sites; 2 more have no H3-Delta. */
export function sitesWords({ sites, withoutDelta }: Pick<DeltaDistribution, 'sites' | 'withoutDelta'>): string {
  return `${many(sites, 'site')}${withoutDelta === 0 ? '' : `; ${withoutDelta} more ${withoutDelta === 1 ? 'has' : 'have'} no H3-Delta`}`;
}

/** The limits of few sites; null: there are enough. */
export function fewSitesWords(sites: number): string | null {
  if (sites >= fewSites) return null;
  if (sites === 0) return 'No site has an H3-Delta yet: needs valid visits over HTTP/3 and HTTP/2.';
  if (sites === 1) return 'One site is no distribution. These figures compare sites: measure some dozens in one campaign.';
  return `${sites} sites are few: each is ${percent(1 / sites)} of a curve or bar, so one site changes the picture. The paper’s figures have hundreds.`;
}

/** The groups of one view, conditions in the campaign's order. */
export const ofView = (groups: readonly AcrossSites[], view: string) => groups.filter((group) => group.view === view);

export type ClassRow = { label: string } & Pick<DeltaDistribution, 'sites' | 'withoutDelta' | 'classes' | 'byNoise' | 'words'>;
export const classRow = (label: string, { sites, withoutDelta, classes, byNoise, words }: DeltaDistribution): ClassRow => ({
  label,
  ...{ sites, withoutDelta, classes, byNoise, words },
});

/** Columns of a box plot's table. */
export const boxColumns = [
  'whiskerLow',
  'lowerQuartile',
  'median',
  'upperQuartile',
  'whiskerHigh',
] as const satisfies readonly (keyof BoxPlot)[];

const factorWords: Readonly<Record<FactorTest['factor'], string>> = { condition: 'Conditions', protocol: 'Protocols', site: 'Sites' };

/** Such as: Conditions over HTTP/3, cold view, all 48 sites. @param siteName of an id */
export function factorTitle(test: FactorTest, siteName: (id: string) => string, hasViews: boolean): string {
  const parts = [
    ...(test.protocol === null ? [] : [`over ${protocolNames[test.protocol]}`]),
    ...(test.condition === null ? [] : [`under ${test.condition}`]),
    ...(hasViews ? [`${test.view} view`] : []),
    ...(test.siteId === null ? [] : [`at ${siteName(test.siteId)}`]),
  ];
  return `${factorWords[test.factor]} ${parts.join(', ')}`;
}

const level = 0.05;

/** The result of one test, regardless of the others. */
export function factorSentence(test: FactorTest): string {
  const { kruskalWallis, friedman, factor, levels } = test;
  const deciding = friedman ?? kruskalWallis;
  const name = friedman === null ? 'Kruskal–Wallis' : 'Friedman';
  const what = `the ${levels} ${factor}s`;
  return deciding.p <= level
    ? `Clear difference between ${what} (${name}, p ${pText(deciding.p)}).`
    : `No clear difference between ${what} (${name}, p ${pText(deciding.p)}).`;
}

const pText = (p: number) => (p < 0.0001 ? pValue(p) : `= ${pValue(p)}`);
