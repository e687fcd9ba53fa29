// Performs a campaign here: shows progress, handles a stop, prints the answer and writes its exports.

import { once } from 'node:events';
import { styleText } from 'node:util';
import { siteCaveats } from '@pronghorn/core/campaign';
import { quantile } from '@pronghorn/core/math';
import type { Campaign, Lease, Site, SiteDiscovery, VisitUpload } from '@pronghorn/core/schemas';
import { counted, listed, protocolName, quantityWords } from '@pronghorn/core/text';
import { alpha, confirmatoryComparisons, minRoundsAt } from '@pronghorn/core/verdict';
import { caveatKinds, invalidReasons, metricOf, metricTitle, type Protocol } from '@pronghorn/core/vocabulary';
import type { DemoOrigin, Link } from '@pronghorn/runner';
import type { LocalService } from '../connection/local-service.ts';
import type { Exports, LinkWishes } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import type { DataFolder } from '../program/files.ts';
import { interruption } from '../program/interrupt.ts';
import { dim, duration, ProgressLine, plainLines, printError, wrap, yellow } from '../program/terminal.ts';
import { writeExports } from './exports.ts';

export interface MeasureOptions {
  data: DataFolder;
  exports: Exports;
  keepEvidence: boolean;
  /** Shows each cell in full. */
  verbose: boolean;
  link: LinkWishes;
}

export interface Occasion {
  /** The demo origin, where it serves the sites. */
  lab?: DemoOrigin;
  /** Opens the link, or returns the open one. */
  link(): Promise<Link>;
  /** Prints the results. @returns their exit code */
  print(service: LocalService, campaign: Campaign, options: MeasureOptions): Promise<number>;
  afterwards?(service: LocalService, campaign: Campaign): Promise<void>;
  keepOpen?(service: LocalService, campaign: Campaign): string;
}

/**
 * @returns the exit code: `print`'s, or 130 when it was interrupted before everything was measured
 */
export async function perform(service: LocalService, campaign: Campaign, options: MeasureOptions, occasion: Occasion): Promise<number> {
  const signal = interruption();
  const started = performance.now();
  // After a failure (a full disk, a Chrome that is gone) the results so far are still shown.
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
    `In full: ./pronghorn results ${campaign.id} --verbose${flag}`,
    ...(isKeptOpen ? [] : [`In the dashboard: ./pronghorn serve --open${flag}, then http://127.0.0.1:8080/#/campaigns/${campaign.id}`]),
  ];
  console.error(dim(`\n${next.join('\n')}`));
  if (occasion.keepOpen !== undefined && isKeptOpen) {
    console.log(`\nThe results are at ${styleText('bold', occasion.keepOpen(service, now))} until Ctrl-C.`);
    await once(signal, 'abort');
  }
  return code;
}

/** Before anything is measured: the minimum number of rounds for a winner, where the campaign has fewer. */
export function fewRounds({ spec, sites, progress: { roundsDone } }: Pick<Campaign, 'spec' | 'sites' | 'progress'>): string[] {
  const { rounds, maximumRounds, protocols, conditions, views } = spec;
  const comparisons = confirmatoryComparisons(protocols, sites.length * conditions.length * views.length);
  // Each of several comparisons gets its share of alpha.
  const needed = (among: number) => minRoundsAt(alpha / among);
  if (roundsDone > 0 || maximumRounds !== null || comparisons === 0 || rounds >= needed(comparisons)) return [];
  if (rounds < needed(1)) return [`No winner can be named: that needs at least ${needed(1)} rounds; the campaign has ${rounds}.`];
  return [
    `A winner in only one of ${comparisons} comparisons needs at least ${needed(comparisons)} rounds, usually more; the campaign has ${rounds}. A difference in only some of them may remain unclear.`,
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
  const shown = new Set<string>();
  /** Says each thing once, by default each text. */
  const say = (text: string, thing = text) => {
    if (!shown.has(thing)) line.say(text);
    shown.add(thing);
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
        discovered: (discovery, site) => {
          // A discovery that was stopped says nothing about the site.
          if (signal.aborted) return;
          for (const text of discoveryLines(site, discovery)) say(text);
        },
        visited: (visit, lease) => {
          if (visit.netlog !== undefined) return; // an extra visit, which never counts
          if (visit.retry === 0) done += 1;
          // Rounds may be added until the campaign is settled; a round that was given back is repeated.
          if (done > total) void extend().catch(() => {});
          if (visit.outcome.verdict === 'invalid') invalid += 1;
          const bad = invalid === 0 ? '' : `, ${invalid} invalid in all`;
          soFar.add(visit, lease);
          line.update(Math.min(done, total), `${soFar.words(lease)}${bad}`);
          for (const { kind, text } of whyInvalid(visit, lease)) say(text, kind);
          for (const text of soFar.firstNumbers(lease)) say(text);
        },
        warned: (text) => say(plainLines(text)),
      },
    });
  } finally {
    signal.removeEventListener('abort', stopping);
    line.end();
  }
}

/** Medians of a campaign's metric while it is measured, to watch; not a result. */
export class SoFar {
  readonly #spec: Pick<Campaign['spec'], 'engine' | 'protocols' | 'primaryMetric' | 'views'>;
  readonly #values = new Map<string, number[]>();
  #hasShown: boolean;

  /** @param isResumed the first loads were in an earlier run */
  constructor(spec: Pick<Campaign['spec'], 'engine' | 'protocols' | 'primaryMetric' | 'views'>, { isResumed }: { isResumed: boolean }) {
    this.#spec = spec;
    this.#hasShown = isResumed;
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

  /** Only once, when the page has come over every protocol. */
  firstNumbers(lease: Lease): string[] {
    const medians = this.#medians(lease);
    if (this.#hasShown || medians.length < this.#spec.protocols.length) return [];
    this.#hasShown = true;
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

/** Why a visit does not count. Those of a kind differ in details, such as the object's address, which a page may choose. */
export function whyInvalid({ outcome, protocol }: VisitUpload, { site }: Lease): { kind: string; text: string }[] {
  if (outcome.verdict === 'valid') return [];
  const kind = `Invalid, ${site.name} over ${protocolName(protocol)}: ${outcome.reason}`;
  return [{ kind, text: yellow(`${kind}. ${outcome.detail}`) }];
}

/** What a user should know of a site before its visits. */
export function discoveryLines(site: Pick<Site, 'id' | 'name' | 'url'>, discovery: SiteDiscovery): string[] {
  const { failure } = discovery;
  if (failure !== null) {
    const means = invalidReasons[failure.reason as keyof typeof invalidReasons] ?? failure.reason;
    return [yellow(`${site.name}: ${means}. ${failure.detail}`)];
  }
  return siteCaveats(site, discovery).flatMap(({ code, words }) => (caveatKinds[code].isWarning ? [yellow(`${site.name}: ${words}`)] : []));
}
