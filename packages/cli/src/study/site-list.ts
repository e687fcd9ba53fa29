// Sites from a text file: one on each line, as `measure` takes them. All that is wrong with it is told at once.
import { readFileSync } from 'node:fs';
import type { CampaignPreview } from '@pronghorn/core';
import { reasonOf, UsageError } from '../data.ts';
import { resolveTargets, type TargetOptions, type Targets, targetOf } from '../local/targets.ts';
import { counted } from '../terminal.ts';

export interface ListedSites {
  targets: Targets;
  /** Of each site, where it stands in the file. */
  lines: readonly number[];
}

/** A campaign takes no more. */
const mostSites = 1_000;
const mostTold = 50;

/**
 * Empty lines, and what follows a # at a line's start or after a space, say nothing.
 *
 * @param limit how many of the first sites are taken; undefined: all
 * @throws UsageError that names every line that is wrong, with what is wrong with it
 */
export async function readSiteList(file: string, options: TargetOptions, limit?: number): Promise<ListedSites> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The list of sites ${file} can't be read (${reasonOf(error)}).`);
  }
  const named = namedSites(text).slice(0, limit);
  if (named.length === 0) throw new UsageError(`The list of sites ${file} names none; expected a URL on each line.`);
  if (named.length > mostSites)
    throw new UsageError(
      `The list of sites ${file} has ${counted(named.length, 'site')}; a campaign takes ${mostSites}. Divide it, or --limit it.`,
    );
  const faults: string[] = [];
  const first = new Map<string, number>();
  for (const { line, site } of named) {
    const fault = await faultOf(site, options);
    const key = fault === undefined ? keyOf(site) : site;
    const before = first.get(key);
    if (fault !== undefined) faults.push(`line ${line}: ${fault}`);
    else if (before !== undefined) faults.push(`line ${line}: ${site} stands on line ${before} already.`);
    else first.set(key, line);
  }
  refuse(file, faults);
  const targets = await resolveTargets(
    named.map(({ site }) => targetOf(site)),
    options,
  );
  return { targets, lines: named.map(({ line }) => line) };
}

/** The same of what the service found: its places in the request are lines of the list. @throws UsageError where it found anything */
export function refuseProblems(file: string, { lines }: Pick<ListedSites, 'lines'>, { problems }: Pick<CampaignPreview, 'problems'>): void {
  const ofList = problems.map(({ pointer, detail }) => {
    const [, place] = /^#\/sites\/(\d+)/.exec(pointer) ?? [];
    return place === undefined ? detail : `line ${lines[Number(place)]}: ${detail}`;
  });
  refuse(file, ofList);
}

function refuse(file: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const more = faults.length > mostTold ? [`and ${faults.length - mostTold} more`] : [];
  const told = [...faults.slice(0, mostTold), ...more].map((fault) => `  ${fault}`);
  throw new UsageError(`${file} can't be measured, and nothing was:\n${told.join('\n')}`);
}

export function namedSites(text: string): { line: number; site: string }[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .map((content, i) => ({ line: i + 1, site: content.replace(/(^|\s)#.*$/, '').trim() }))
    .filter(({ site }) => site !== '');
}

/** Undefined: nothing is wrong with it. */
async function faultOf(site: string, options: TargetOptions): Promise<string | undefined> {
  const shown = JSON.stringify(site.slice(0, 100));
  if (/\s/.test(site)) return `${shown} has a space in it; expected one URL.`;
  try {
    const target = targetOf(site);
    if ('url' in target) {
      const url = URL.parse(target.url);
      if (url === null) return `${shown} is no URL.`;
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
