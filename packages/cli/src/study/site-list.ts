// Sites from a text file: one on each line, as `measure` takes them. All faults are reported at once.
import type { CampaignPreview } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { resolveTargets, type TargetOptions, type Targets, targetOf } from '../local/targets.ts';
import { UsageError } from '../program/errors.ts';
import { readText } from '../program/files.ts';

interface ListedSites {
  targets: Targets;
  /** The line of each site. */
  lines: readonly number[];
  faults: readonly LineFault[];
}

/** @param line null: of the whole list */
interface LineFault {
  line: number | null;
  detail: string;
}

/** A campaign takes no more. */
const maxSites = 1_000;
const maxListed = 50;

/**
 * Ignores empty lines, and comments that begin with # at a line's start or after a space.
 *
 * @param limit number of sites to use from the top; undefined: all
 * @throws UsageError for a file that can't be read, names no site, or more than a campaign takes
 */
export async function readSiteList(file: string, options: TargetOptions, limit?: number): Promise<ListedSites> {
  const named = namedSites(readText(file, 'The list of sites')).slice(0, limit);
  if (named.length === 0) throw new UsageError(`The list of sites ${file} is empty; expected a URL on each line.`);
  if (named.length > maxSites)
    throw new UsageError(
      `The list of sites ${file} has ${counted(named.length, 'site')}; a campaign takes at most ${maxSites.toLocaleString('en-US')}. Divide the list, or use --limit.`,
    );
  const faults: LineFault[] = [];
  const right = new Map<string, { line: number; site: string }>();
  for (const { line, site } of named) {
    const detail = await faultOf(site, options);
    const before = detail === undefined ? right.get(keyOf(site)) : undefined;
    if (detail !== undefined) faults.push({ line, detail });
    else if (before !== undefined) faults.push({ line, detail: `The same page is on line ${before.line}.` });
    else right.set(keyOf(site), { line, site });
  }
  const sites = [...right.values()];
  const targets = await resolveTargets(
    sites.map(({ site }) => targetOf(site)),
    options,
  );
  return { targets, lines: sites.map(({ line }) => line), faults };
}

/**
 * Refuses a list with the faults of its lines, including those that the service reports by index of the request's sites.
 *
 * @param preview null: there were no valid sites to ask about
 * @throws UsageError that names each faulty line and its fault
 */
export function refuseFaults(
  file: string,
  { lines, faults }: Omit<ListedSites, 'targets'>,
  preview: Pick<CampaignPreview, 'problems'> | null,
): void {
  const reported = (preview?.problems ?? []).map(({ pointer, detail }): LineFault => {
    const [, place] = /^#\/sites\/(\d+)/.exec(pointer) ?? [];
    return { line: place === undefined ? null : (lines[Number(place)] ?? null), detail };
  });
  const all = [...faults, ...reported].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  if (all.length === 0) return;
  const listed = all.slice(0, maxListed).map(({ line, detail }) => `  ${line === null ? '' : `${file}, line ${line}: `}${detail}`);
  const more = all.length > maxListed ? [`  and ${all.length - maxListed} more`] : [];
  throw new UsageError(`Nothing was measured:\n${[...listed, ...more].join('\n')}`);
}

/**
 * The sites of a list as people have them: one on each line; with ranks beside them, as Tranco (`1,a.example`) and the Chrome UX Report
 * (`https://a.example,1000`) publish theirs; or a sitemap.
 *
 * @throws UsageError for an index of sitemaps
 */
export function namedSites(text: string): { line: number; site: string }[] {
  if (/<sitemapindex\b/.test(text))
    throw new UsageError('The list of sites is an index of sitemaps. Give one of the sitemaps that it names.');
  if (/^\s*<(\?xml|urlset)\b/.test(text)) return locations(text);
  const lines = text
    .split(lineEnd)
    .map((content, i) => ({ line: i + 1, site: content.replace(/(^|\s)#.*$/, '').trim() }))
    .filter(({ site }) => site !== '');
  return withoutRanks(lines);
}
const lineEnd = /\r\n|\r|\n/;

/** A sitemap escapes five characters (sitemaps.org). */
function locations(text: string): { line: number; site: string }[] {
  let [line, counted] = [1, 0];
  return [...text.matchAll(/<loc>\s*(?:<!\[CDATA\[)?\s*([^<>\]]*[^<>\]\s])\s*(?:\]\]>)?\s*<\/loc>/g)].map(({ 1: url = '', index }) => {
    line += text.slice(counted, index).split(lineEnd).length - 1;
    counted = index;
    return { line, site: url.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => escaped[name] ?? '') };
  });
}
const escaped: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function withoutRanks(lines: { line: number; site: string }[]): { line: number; site: string }[] {
  const hasHeader = /^"?(rank|origin|domain|site|host)"?\s*,\s*"?(rank|origin|domain|site|host)"?$/i.test(lines[0]?.site ?? '');
  const rest = hasHeader ? lines.slice(1) : lines;
  for (const ranked of [/^\d+\s*[,;\t]\s*"?([^\s,;"]+)"?$/, /^"?((?:https?:\/\/)?[^\s,;"/]+\/?)"?\s*[,;\t]\s*\d+$/i]) {
    const named = rest.map(({ line, site }) => ({ line, site: ranked.exec(site)?.[1] ?? '' }));
    if (rest.length > 0 && named.every(({ site }) => site !== '')) return named;
  }
  return lines;
}

/** Undefined: no fault. */
async function faultOf(site: string, options: TargetOptions): Promise<string | undefined> {
  const shown = JSON.stringify(site.slice(0, 100));
  if (/\s/.test(site)) return `${shown} contains a space; expected one URL.`;
  try {
    const target = targetOf(site);
    if ('url' in target) {
      const url = URL.parse(target.url);
      if (url === null) return `${shown} is not a URL.`;
      if (!/^https?:$/.test(url.protocol)) return `${shown} is neither http nor https.`;
      if (url.href.length > 2_048) return `${shown}… is longer than 2,048 characters.`;
    }
    await resolveTargets([target], options);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

function keyOf(site: string): string {
  const target = targetOf(site);
  return 'url' in target ? (URL.parse(target.url)?.href.split('#')[0] ?? site) : site;
}
