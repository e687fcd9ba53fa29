// What limits an answer as a list: once, however many pages and networks it is true of.
import type { Campaign } from '../../schemas/campaign.ts';
import type { Caveat } from '../../schemas/caveat.ts';
import { counted, grouped, listed } from '../../text/numbers.ts';
import { caveatKinds } from '../../vocabulary/caveat.ts';
import type { Cell } from '../../vocabulary/cell.ts';

export interface CaveatLine {
  code: Caveat['code'];
  /** The numbers may be of something other than was asked for. */
  isWarning: boolean;
  /** In a few words. */
  title: string;
  /** With the places, where it is not of the whole campaign. */
  words: string;
}

/** Of one kind with words of their own; more than that become one line. */
const maxOfKind = 3;
const maxNamed = 3;

/** Those of a cell: of it alone, or of all that it belongs to. */
export const caveatsAt = (caveats: readonly Caveat[], cell: Cell): Caveat[] =>
  caveats.filter((caveat) => (['siteId', 'condition', 'view'] as const).every((key) => caveat[key] === null || caveat[key] === cell[key]));

/** In the order of the API: warnings first. */
export function caveatLines(caveats: readonly Caveat[], campaign: Pick<Campaign, 'spec' | 'sites'>): CaveatLine[] {
  return [...Map.groupBy(caveats, ({ code }) => code)].flatMap(([code, its]): CaveatLine[] => {
    const { title, isWarning } = caveatKinds[code];
    const alike = [...Map.groupBy(its, ({ words }) => words)];
    const lines =
      alike.length > maxOfKind
        ? [`${capital(title)}: ${placesWords(its, campaign)}.`]
        : alike.map(([words, those]) => {
            const where = placeOf(those, campaign);
            return where === '' ? words : `${where}: ${words}`;
          });
    return lines.map((words) => ({ code, title: capital(title), isWarning, words }));
  });
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** The titles of the warnings, for where there is no room for sentences; empty: there are none. */
export const warningTitles = (caveats: readonly Caveat[]): string[] => [
  ...new Set(caveats.flatMap(({ code }) => (caveatKinds[code].isWarning ? [caveatKinds[code].title] : []))),
];

/** Empty: everywhere. */
function placeOf(its: readonly Caveat[], { spec, sites }: Pick<Campaign, 'spec' | 'sites'>): string {
  const all = { siteId: sites.map(({ id }) => id), condition: spec.conditions.map(({ name }) => name), view: spec.views };
  const parts = (['siteId', 'condition', 'view'] as const).flatMap((key) => {
    const known = new Set(its.map((caveat) => caveat[key]));
    if (known.has(null) || known.size === all[key].length) return [];
    return [some([...known].map((value) => (key === 'siteId' ? nameOf(sites, value as string) : (value as string))))];
  });
  return parts.join(', ');
}

function placesWords(its: readonly Caveat[], { spec, sites }: Pick<Campaign, 'spec' | 'sites'>): string {
  const pages = [...new Set(its.flatMap(({ siteId }) => siteId ?? []))];
  if (pages.length > 1)
    return `${grouped(pages.length)} of ${counted(sites.length, 'page')} (${some(pages.map((id) => nameOf(sites, id)))})`;
  return `in ${grouped(its.length)} of ${counted(spec.conditions.length * spec.views.length * sites.length, 'case')}`;
}

const nameOf = (sites: Campaign['sites'], siteId: string) => sites.find(({ id }) => id === siteId)?.name ?? siteId;
const some = (names: readonly string[]): string =>
  listed(names.length > maxNamed + 1 ? [...names.slice(0, maxNamed), `${grouped(names.length - maxNamed)} more`] : names);
