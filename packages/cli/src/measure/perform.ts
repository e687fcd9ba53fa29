// Performs a campaign here: the progress line, what stops it, its answer and its files. All that measures goes through it.

import { once } from 'node:events';
import { styleText } from 'node:util';
import { quantile } from '@pronghorn/core/math';
import type { Campaign, Lease, SiteDiscovery, VisitUpload } from '@pronghorn/core/schemas';
import { counted, listed, protocolName, quantityWords } from '@pronghorn/core/text';
import { alpha, confirmatoryComparisons, fewestRounds } from '@pronghorn/core/verdict';
import { invalidReasons, metricOf, metricTitle, type Protocol } from '@pronghorn/core/vocabulary';
import type { DemoOrigin, Link } from '@pronghorn/runner';
import type { DataFolder } from '../program/files.ts';
import type { LocalService } from '../connection/local-service.ts';
import { interruption } from '../program/interrupt.ts';
import { dim, duration, plainLines, ProgressLine, printError, yellow, wrap } from '../program/terminal.ts';
import { writeExports } from './exports.ts';
import { UsageError } from '../program/errors.ts';
import type { Exports, LinkWishes } from '../options/measuring.ts';

export interface MeasureOptions {
  data: DataFolder;
  exports: Exports;
  keepEvidence: boolean;
  /** Whether the report has each place at length. */
  verbose: boolean;
  link: LinkWishes;
}

export interface Occasion {
  /** The demo origin, where it serves the sites. */
  lab?: DemoOrigin;
  /** Opens the link, or tells which one is open. */
  link(): Promise<Link>;
  /** Prints what was measured. @returns the exit code that it deserves */
  print(service: LocalService, campaign: Campaign, options: MeasureOptions): Promise<number>;
  afterwards?(service: LocalService, campaign: Campaign): Promise<void>;
  keepOpen?(service: LocalService, campaign: Campaign): string;
}

/**
 * @returns the exit code: `print`'s, or 130 when it was interrupted before all was measured
 */
export async function perform(service: LocalService, campaign: Campaign, options: MeasureOptions, occasion: Occasion): Promise<number> {
  const signal = interruption();
  const started = performance.now();
  // What breaks the measuring off (a full disk, a Chrome that is gone) must not take what was measured along.
  const failure = await measureWithProgress(service, campaign, options, occasion, signal).catch((error: unknown) => error);
  const now = await service.campaign(campaign.id);
  const { roundsDone, rounds, visitsValid } = now.progress;
  if (failure instanceof UsageError || (failure !== undefined && roundsDone === 0)) throw failure;
  const code = await occasion.print(service, now, options);
  await writeExports(service, now, options.exports, options.data);
  if (now.state !== 'done') {
    const resume = `./pronghorn resume ${campaign.id}${options.data.flag}`;
    if (failure !== undefined) printError(failure, { before: '\n' });
    console.error(`\nStopped: ${roundsDone} of ${counted(rounds, 'round')} measured and stored. Continue with: ${resume}`);
    await occasion.afterwards?.(service, now);
    return signal.aborted ? 130 : 1;
  }
  await occasion.afterwards?.(service, now);
  if (failure !== undefined) throw failure;
  const seconds = (performance.now() - started) / 1_000;
  const isKeptOpen = occasion.keepOpen !== undefined && !signal.aborted;
  const { flag } = options.data;
  const next = [
    `${counted(visitsValid, 'valid visit')} in ${duration(seconds)}.`,
    `At length: ./pronghorn results ${campaign.id} --verbose${flag}`,
    ...(isKeptOpen ? [] : [`In the dashboard: ./pronghorn serve --open${flag}, then http://127.0.0.1:8080/#/campaigns/${campaign.id}`]),
  ];
  console.error(dim(`\n${next.join('\n')}`));
  if (occasion.keepOpen !== undefined && isKeptOpen) {
    console.log(`\nThe results are open at ${styleText('bold', occasion.keepOpen(service, now))} until Ctrl-C.`);
    await once(signal, 'abort');
  }
  return code;
}

/** Before anything is measured: how many rounds a winner needs at least, where the campaign has fewer. */
export function fewRounds({ spec, sites, progress: { roundsDone } }: Pick<Campaign, 'spec' | 'sites' | 'progress'>): string[] {
  const { rounds, maximumRounds, protocols, conditions, views } = spec;
  const comparisons = confirmatoryComparisons(protocols, sites.length * conditions.length * views.length);
  // Of several comparisons, a single one is judged by its share of alpha.
  const takes = (among: number) => fewestRounds(alpha / among);
  if (roundsDone > 0 || maximumRounds !== null || comparisons === 0 || rounds >= takes(comparisons)) return [];
  if (rounds < takes(1)) return [`No winner can be named: that needs at least ${takes(1)} rounds; the campaign has ${rounds}.`];
  return [
    `A winner in only one of ${comparisons} comparisons needs at least ${takes(comparisons)} rounds, usually more; the campaign has ${rounds}. A difference in only some of them may stay open.`,
  ];
}

export function printFewRounds(campaign: Campaign): void {
  for (const words of fewRounds(campaign)) console.error(wrap(words));
}

async function measureWithProgress(
  service: LocalService,
  campaign: Campaign,
  { keepEvidence }: MeasureOptions,
  { lab, link }: Occasion,
  signal: AbortSignal,
): Promise<void> {
  const { spec, progress } = campaign;
  const visits = (rounds: number) => rounds * spec.protocols.length;
  let total = visits(progress.rounds);
  const line = new ProgressLine('visits', total, visits(progress.roundsDone));
  let done = visits(progress.roundsDone);
  const extend = async () => {
    const { rounds } = (await service.campaign(campaign.id)).progress;
    if (visits(rounds) <= total) return;
    total = visits(rounds);
    line.extend(total);
  };
  let invalid = 0;
  const soFar = new SoFar(spec, { isResumed: progress.roundsDone > 0 });
  // A site that can't be loaded is discovered again in each of its rounds.
  const said = new Set<string>();
  const say = (text: string) => {
    if (!said.has(text)) line.say(text);
    said.add(text);
  };
  const stopping = () => line.update(Math.min(done, total), 'stopping');
  signal.addEventListener('abort', stopping);
  line.update(done, 'opening the link');
  try {
    const opened = await link();
    line.update(done, 'starting the browser');
    await service.measure([campaign.id], {
      ...(lab === undefined ? {} : { lab }),
      link: opened,
      keepEvidence,
      signal,
      events: {
        checked: ({ condition, faults }) => {
          line.update(Math.min(done, total), `link checked for ${condition}`);
          if (faults.length > 0) say(yellow(`The link under ${condition} is out of tolerance: ${faults.join('; ')}.`));
        },
        discovered: (discovery, { name, url }) => {
          // What a stop breaks off says nothing about the site.
          if (signal.aborted) return;
          for (const text of discoveryLines(name, url, discovery)) say(text);
        },
        visited: (visit, lease) => {
          if (visit.netlog !== undefined) return; // an extra one, which counts nowhere
          if (visit.retry === 0) done += 1;
          // Until settled rounds are added; a round that was given back comes again.
          if (done > total) void extend().catch(() => {});
          if (visit.outcome.verdict === 'invalid') invalid += 1;
          const bad = invalid === 0 ? '' : `, ${invalid} invalid`;
          soFar.add(visit, lease);
          line.update(Math.min(done, total), `${soFar.words(lease)}${bad}`);
          for (const text of [...whyInvalid(visit, lease), ...soFar.firstNumbers(lease)]) say(text);
        },
        warned: (text) => say(plainLines(text)),
      },
    });
  } finally {
    signal.removeEventListener('abort', stopping);
    line.end();
  }
}

/** What came of a campaign's metric while it is measured: for who watches, no result. */
export class SoFar {
  readonly #spec: Pick<Campaign['spec'], 'engine' | 'protocols' | 'primaryMetric' | 'views'>;
  readonly #values = new Map<string, number[]>();
  #hasSaid: boolean;

  /** @param isResumed the first loads are not among those that come. */
  constructor(spec: Pick<Campaign['spec'], 'engine' | 'protocols' | 'primaryMetric' | 'views'>, { isResumed }: { isResumed: boolean }) {
    this.#spec = spec;
    this.#hasSaid = isResumed;
  }

  add({ slot, outcome }: VisitUpload, lease: Lease): void {
    const value = outcome.verdict === 'valid' ? metricOf(outcome.metrics, this.#spec.primaryMetric) : null;
    if (value !== null) this.#of(lease, slot).push(value);
  }

  /** Such as: article latency-100: h2 1,040 ms, h3 978 ms. */
  words({ site, round, ...lease }: Lease): string {
    const medians = this.#medians({ site, round, ...lease }).map(({ protocol, words }) => `${protocol} ${words}`);
    return `${site.name} ${this.#under(round, ' ')}${medians.length === 0 ? '' : `: ${medians.join(', ')}`}`;
  }

  /** Once, as soon as the page came over every protocol. */
  firstNumbers(lease: Lease): string[] {
    const medians = this.#medians(lease);
    if (this.#hasSaid || medians.length < this.#spec.protocols.length) return [];
    this.#hasSaid = true;
    const { site, round } = lease;
    const each = listed(medians.map(({ protocol, words }) => `${words} over ${protocolName(protocol)}`));
    return [
      wrap(
        `First ${this.#spec.engine === 'transaction' ? 'runs' : 'visits'} of ${site.name} under ${this.#under(round, ', ')}: ${metricTitle(this.#spec.primaryMetric)} ${each}.`,
      ),
    ];
  }

  /** The two views of a page differ by more than protocols do. */
  #under({ condition, view }: Lease['round'], separator: string): string {
    return [condition, ...(this.#spec.views.length > 1 ? [view] : [])].join(separator);
  }

  #medians(lease: Lease): { protocol: Protocol; words: string }[] {
    const { protocols, primaryMetric } = this.#spec;
    return protocols.flatMap((protocol, slot) => {
      const values = this.#of(lease, slot);
      return values.length === 0 ? [] : [{ protocol, words: quantityWords(primaryMetric, quantile(values, 0.5)) }];
    });
  }

  #of({ round: { siteId, condition, view } }: Lease, slot: number): number[] {
    const key = JSON.stringify([siteId, condition, view, slot]);
    const values = this.#values.get(key) ?? [];
    this.#values.set(key, values);
    return values;
  }
}

/** Why a visit does not count, with the first of each reason at a page. */
function whyInvalid({ outcome, protocol }: VisitUpload, { site }: Lease): string[] {
  if (outcome.verdict === 'valid') return [];
  return [
    yellow(`Invalid, ${site.name} over ${protocolName(protocol)}: ${outcome.reason} (${invalidReasons[outcome.reason]})`),
  ];
}

/** What a user is to know of a site before its visits. */
export function discoveryLines(name: string, url: string, { failure, finalUrl, redirects }: SiteDiscovery): string[] {
  if (failure !== null) {
    const means = invalidReasons[failure.reason as keyof typeof invalidReasons] ?? failure.reason;
    return [yellow(`${name}: ${means}. ${failure.detail}`)];
  }
  if (finalUrl === null || new URL(finalUrl).href.split('#')[0] === new URL(url).href.split('#')[0]) return [];
  const moved = `${name}: ${redirects.length > 0 ? 'redirects' : 'moves'} to ${finalUrl}, and that page is measured, with the way to it: give its URL to leave that out.`;
  return [yellow(`${moved} Where it is a login or a consent, --steps goes through it first.`)];
}
