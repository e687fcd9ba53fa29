// Parts of all studies' reports: what was measured, on what, how that differs from the study, and number formats.
import { measuredLink } from '@pronghorn/core/campaign';
import type { Interval, Proportion } from '@pronghorn/core/math';
import { conditionDetails, counted, protocolName } from '@pronghorn/core/text';
import { duration, minute } from '../program/terminal.ts';
import { type Content, html, type Markup, soft, tableOf } from './html.ts';
import { paceMs } from './paper-findings.ts';
import type { Published } from './published.ts';
import type { Measured } from './report.ts';
import type { Study } from './studies.ts';

/** Hosts that no public page has: the demo's, and those of local folders and servers. */
const labDomain = '.pronghorn.test';

export const isLab = (url: string): boolean => URL.parse(url)?.hostname.endsWith(labDomain) ?? false;

/** 81 %, 95 % interval 44 to 97 %. */
export const shareWithInterval = ({ share, low, high }: Proportion): string =>
  `${whole(share)} (${whole(low).replace(' %', '')} to ${whole(high)})`;

const whole = (share: number): string => `${Math.round(100 * share)} %`;

/** −0.08; a true minus, two digits. */
export const deltaWords = (delta: number): string => {
  const text = Math.abs(delta).toFixed(2);
  return Number(text) === 0 ? '0.00' : `${delta < 0 ? '−' : '+'}${text}`;
};

export const deltaInterval = (interval: Interval | null): string =>
  interval === null ? '' : ` (${deltaWords(interval.low)} to ${deltaWords(interval.high)})`;

/** A published result with its id; a dash where there is none. @param words formats its value */
export const publishedWords = (published: Published | null | undefined, words: (value: number) => string): string => {
  if (published === null || published === undefined) return '–';
  const { id, value, words: how } = published;
  return `${[how, ...(value === null ? [] : [words(value)])].filter(Boolean).join(' ')} [${id}]`;
};

/** Says if a published value lies within our interval: two studies can't be compared more closely. */
export function besideWords(published: Published | null | undefined, interval: Interval | null): string {
  if (published?.value == null) return '';
  if (interval === null) return 'too few sites for an interval';
  return published.value >= interval.low && published.value <= interval.high ? 'inside our interval' : 'outside our interval';
}

export const proportionInterval = (of: Proportion | null): Interval | null => of && { low: of.low, high: of.high };

export function measuredWords({ campaign, visits, environment }: Measured): Markup {
  const { spec, sites, progress, state } = campaign;
  const valid = visits.filter(({ verdict }) => verdict === 'valid').length;
  const failed = visits.filter((visit) => visit.verdict === 'invalid' && visit.counted).length;
  const repeated = visits.length - valid - failed;
  const unfinished =
    state === 'done'
      ? null
      : html`<p class="note">Not finished: ${progress.roundsDone} of ${counted(progress.rounds, 'round')} are done. All numbers are based on these.</p>`;
  return html`<p>Campaign ${campaign.id} of ${minute(campaign.createdAt)} UTC: ${counted(sites.length, 'site')} × ${counted(spec.conditions.length, 'condition')} × ${spec.protocols.map(protocolName).join(', ')} × ${counted(spec.rounds, 'round')}.
${number(valid)} valid visits, ${number(failed)} visits that failed because of the page or its protocol (counted as slower than all others), ${number(repeated)} visits that say nothing about the page (repeated, or not as requested).</p>
${unfinished}
${environment && html`<p class="soft">${environment.browser.product}; engine ${spec.engine}; ${environment.machine.cores} cores (${environment.machine.cpu}), ${environment.machine.kernel}; Pronghorn ${environment.runner.version}; link ${environment.link.backend}, TCP ${environment.link.congestionControl ?? 'unknown'}; seed ${spec.seed}.</p>`}`;
}

export const number = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

/** Each condition in the study, here, and as measured on the link. */
export function conditionTable({ campaign, linkChecks }: Measured, study: Study): Markup {
  const checks = Map.groupBy(linkChecks, ({ condition }) => condition);
  const asStudy = new Map(study.conditions.map((one) => [one.condition.name, one]));
  const missing = study.conditions.filter(({ condition }) => !campaign.spec.conditions.some(({ name }) => name === condition.name));
  return html`${tableOf({
    head: ['condition', 'the study', 'here', 'measured on the link', 'what differs'],
    rows: campaign.spec.conditions.map((condition) => {
      // `loss-5.rtt-0` is loss-5 with another base RTT.
      const theirs = asStudy.get(condition.name) ?? asStudy.get(condition.name.replace(/\.rtt-[\d.]+$/, ''));
      const link = measuredLink(checks.get(condition.name) ?? []);
      return [
        condition.name,
        theirs?.theirs ?? 'not in the study',
        conditionDetails(condition),
        link?.words ?? 'not checked',
        soft(theirs?.note ?? ''),
      ];
    }),
  })}${missing.length > 0 && html`<p>Not measured here: ${missing.map(({ condition }) => condition.name).join(', ')}.</p>`}`;
}

const machines = [1, 10];

/** The pace, and how long another number of visits would take at it. */
export function paceWords({ visits }: Pick<Measured, 'visits'>, planned: number, whose: string): Markup | null {
  const pace = paceMs(visits);
  if (pace === null) return null;
  const times = machines.map(
    (count) => `${longDuration((pace * planned) / 1000 / count)} on ${count === 1 ? 'one machine' : `${count} machines`}`,
  );
  return html`<p>A visit took ${(pace / 1000).toFixed(1)} s of wall time, including discovery, changing and checking the link, and repeated visits. At that pace ${whose} ${number(planned)} visits take ${times.join(', ')}.</p>`;
}

/** 45 s, 2 h 5 min, 12 days, 1.4 years. */
export function longDuration(seconds: number): string {
  const days = seconds / 86_400;
  if (days < 2) return duration(seconds);
  return days < 365 ? `${Math.round(days)} days` : `${(days / 365.25).toFixed(1)} years`;
}

/** Why a comparison with the study is limited. */
export function labWords({ campaign }: Pick<Measured, 'campaign'>): string[] {
  const lab = campaign.sites.filter(({ url }) => isLab(url)).length;
  const { discovery, engine, views } = campaign.spec;
  const all = campaign.sites.length;
  return [
    ...(lab === 0
      ? []
      : [
          `${lab === all ? 'All' : `${lab} of ${all}`} sites are pages of a lab, served by one server beside the browser: no third parties, no distant server, no other load. Their results hold for that server and these pages.`,
        ]),
    discovery === 'forced'
      ? 'HTTP/3 is forced from the first request, for every host that was proven to speak it, including third parties.'
      : 'HTTP/3 was not forced: Chrome found it by itself, so a first visit has little of it.',
    engine === 'puppeteer'
      ? 'Headless Chrome driven by DevTools, with HTTP/3 and QUIC as published (RFC 9114, RFC 9000), not as drafts; SpeedIndex from frames of the viewport, not from a video.'
      : `Driven by ${engine}.`,
    ...(views.length > 1 ? [`The campaign has ${views.length} views; only ${views[0]} is drawn.`] : []),
    'Protocols take turns in random order within a round, and sites and conditions are mixed; a load that did not use its protocol does not count.',
  ];
}

export const listOf = (items: readonly Content[]): Markup => html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;
