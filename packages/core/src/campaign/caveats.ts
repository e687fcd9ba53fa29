// What limits a campaign's answer besides its own uncertainty, from its visits, its discoveries and the checks of its links.
import { median } from '../math/quantile.ts';
import { isOfThisMachine } from '../network/front.ts';
import { isLossy, needsShaping, queueBytesOf } from '../network/shaping.ts';
import type { CampaignSpec, Site } from '../schemas/campaign.ts';
import type { Caveat } from '../schemas/caveat.ts';
import type { Condition } from '../schemas/condition.ts';
import { caveatWords } from '../text/caveat.ts';
import type { LoadedPages } from '../verdict/parity.ts';
import { caveatCodes, caveatKinds } from '../vocabulary/caveat.ts';
import { defaultLimits } from '../vocabulary/choices.ts';
import type { DiscoveryFacts, MeasuredCampaign, MeasuredCell } from './measured/measured.ts';

type Place = Pick<Caveat, 'siteId' | 'condition' | 'view'>;
const everywhere: Place = { siteId: null, condition: null, view: null };
const caveat = (code: Caveat['code'], place: Partial<Place>, numbers: Caveat['numbers'] = {}, names: string[] = []): Caveat => ({
  ...{ code, ...everywhere, ...place, numbers, names },
  words: caveatWords({ code, numbers, names }),
});

/** Warnings first, each kind together; within a kind in the order of the campaign. */
export function campaignCaveats({ campaign: { spec, sites }, cells, discoveries, linkChecks }: MeasuredCampaign): Caveat[] {
  const measured = cells.filter(({ finished }) => finished.size > 0);
  const bySite = Map.groupBy(measured, ({ siteId }) => siteId);
  const caveats = [
    ...sites.flatMap((site) => siteCaveats(site, discoveries.get(site.id), pagesOf(bySite.get(site.id) ?? []))),
    ...busyCaveats(pagesOf(measured), spec.limits.foreignCpuShare),
    ...spec.conditions.flatMap((condition): Caveat[] => {
      const { name } = condition;
      if (measured.every((cell) => cell.condition !== name)) return [];
      const isChecked = (linkChecks.get(name) ?? []).length > 0;
      return [
        ...(isChecked ? [] : [caveat(needsShaping(condition) ? 'unchecked' : 'native', { condition: name })]),
        ...stackCaveats(condition, spec),
      ];
    }),
    ...measured.flatMap(cellCaveats),
  ];
  const order = [
    ...caveatCodes.filter((code) => caveatKinds[code].isWarning),
    ...caveatCodes.filter((code) => !caveatKinds[code].isWarning),
  ];
  return caveats.sort((a, b) => order.indexOf(a.code) - order.indexOf(b.code));
}

const pagesOf = (cells: readonly MeasuredCell[]): LoadedPages[] => cells.flatMap(({ slots }) => slots.map(({ pages }) => pages));
const known = (pages: readonly LoadedPages[], name: Parameters<LoadedPages['valueOf']>[1]): number[] =>
  pages.flatMap((those) => those.rounds.map((_, visit) => those.valueOf(visit, name))).filter((value) => !Number.isNaN(value));

/** Parts of host names and paths by which sites ask who somebody is, or what may be stored. */
const login = /(^|[./_-])(log[-_]?in|sign[-_]?in|auth|oauth2?|sso|saml2?|consent|accounts?)([./_-]|$)/i;
const maxNames = 5;

/** What a site's discovery limits. @param pages of its loads that count */
export function siteCaveats(
  site: Pick<Site, 'id' | 'url'>,
  discovery: DiscoveryFacts | undefined,
  pages: readonly LoadedPages[] = [],
): Caveat[] {
  const place = { siteId: site.id };
  const here = isOfThisMachine(site.url) ? [caveat('own-server', place)] : [];
  if (discovery === undefined || discovery.failure !== null) return pages.some(({ rounds }) => rounds.length > 0) ? here : [];
  const { finalUrl, answers = [] } = discovery;
  const broken = discovery.broken ?? answers.flatMap(({ url, answer }) => (answer === 'failed' ? [url] : []));
  const reached = finalUrl === null ? null : URL.parse(finalUrl);
  const [asked, ended] = [URL.parse(site.url), reached].map((url) => url?.href.split('#')[0]);
  // Queries may hold what nobody else is to see, and the answer is for others too.
  const shown =
    reached &&
    `${reached.origin === URL.parse(site.url)?.origin ? '' : reached.origin}${reached.pathname}${reached.search === '' ? '' : '?…'}`;
  const isLogin = reached !== null && login.test(`${reached.hostname}${reached.pathname}`);
  const hosts = [...new Set(broken.map((url) => URL.parse(url)?.host || url))];
  const failed = known(pages, 'failedRequests');
  return [
    ...(ended === undefined || ended === asked ? [] : [caveat('redirected', place, { login: isLogin ? 1 : 0 }, [shown ?? ended])]),
    ...(broken.length === 0
      ? []
      : [
          caveat(
            'broken',
            place,
            {
              objects: broken.length,
              hosts: hosts.length,
              visits: failed.filter((count) => count > 0).length,
              of: failed.length,
              local: here.length,
            },
            hosts.slice(0, maxNames),
          ),
        ]),
    ...here,
  ];
}

/** More than campaigns allow unless they say otherwise, in the median load. */
function busyCaveats(pages: readonly LoadedPages[], allowed: number): Caveat[] {
  const [foreign, own] = (['foreignShare', 'ownShare'] as const).map((name) => known(pages, name));
  if (!foreign?.length || !own?.length || median(foreign) <= defaultLimits.foreignCpuShare) return [];
  const most = foreign.reduce((most, share) => Math.max(most, share), 0);
  return [caveat('busy', {}, { median: median(foreign), most, own: median(own), allowed })];
}

/** A protocol over UDP and one over TCP: what repairs losses differs besides the protocol. */
function stackCaveats(condition: Condition, { protocols }: CampaignSpec): Caveat[] {
  const isLossyThere = isLossy(condition);
  if (!protocols.includes('h3') || !(isLossyThere || queueBytesOf(condition.down) > 0)) return [];
  return [caveat('own-stacks', { condition: condition.name }, { lossy: isLossyThere ? 1 : 0 })];
}

/** Why loads that count lack values, and what repeat views save. */
function cellCaveats({ siteId, condition, view, slots, finished }: MeasuredCell): Caveat[] {
  const place = { siteId, condition, view };
  const roundsWith = (name: 'unequal' | 'moves') => new Set(slots.flatMap(({ pages }) => pages.roundsWith(name))).size;
  const early = view === 'warm' ? slots.filter(({ protocol }) => protocol === 'h3').map(({ pages }) => pages.earlyData()) : [];
  return [
    ...(['unequal', 'moves'] as const).flatMap((code) => {
      const rounds = roundsWith(code);
      return rounds === 0 ? [] : [caveat(code, place, { rounds, of: finished.size })];
    }),
    ...early.flatMap((counts) => (counts.known === 0 ? [] : [caveat('early-data', place, counts)])),
  ];
}
