// How a site does, as cells of a line say it. Pure, but for what the address holds.
import type { MetricName, SiteStatus } from '@pronghorn/core/schemas';
import { dayWords, shareWords, sizeWords } from '@pronghorn/core/text';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { useQuery } from '../../state/query.ts';
import { number, percent, quantity } from '../../text/format.ts';
import { metricNames } from '../../text/vocabulary.ts';

/** The reader's choices, in the address. */
export function useSiteFilters() {
  return {
    search: useQuery<string>('search', '', null, 'replace'),
    tag: useQuery<string>('tag', ''),
    days: useQuery<'7' | '30'>('days', '30', ['7', '30']),
    /** Empty: any. */
    metric: useQuery<MetricName | ''>('metric', ''),
    /** Empty: each site's first. */
    condition: useQuery<string>('condition', ''),
  };
}

type Now = NonNullable<SiteStatus['now']>;

/** 947 ms; – where nothing was measured, ∞ for a median among failed loads. */
export function medianText({ medians, metric }: Pick<Now, 'medians' | 'metric'>, protocol: Protocol): string {
  const median = medians[protocol];
  if (median === undefined) return '–';
  return median === null ? 'failed' : quantity(median, metricNames[metric].unit);
}

/** By how much the winner is ahead: 240 ms (25 %); who likely is: HTTP/3, 25 %. Null: nobody is, or there is no number. */
export function leadText({ comparison }: Pick<Now, 'comparison'>): string | null {
  if (comparison?.outcome.endsWith('-faster')) return sizeWords(comparison);
  if (comparison?.outcome !== 'not-shown-yet' || comparison.shift?.value == null) return null;
  return `${comparison.shift.value < 0 ? 'HTTP/3' : 'HTTP/2'}, ${shareWords(comparison.shift.value)}`;
}

/** Such as: HTTP/3 2/40; protocols without a failure are left out. */
export function failureTexts({ failures }: Pick<Now, 'failures'>): { protocol: Protocol; text: string }[] {
  return Object.entries(failures).flatMap(([protocol, { failed, loads }]) =>
    failed === 0 ? [] : [{ protocol: protocol as Protocol, text: `${number(failed, 'count')}/${number(loads, 'count')}` }],
  );
}

/** 6 of 40 loads, over all protocols: 6/40. */
export function failedLoads({ failures }: Pick<Now, 'failures'>): string {
  const sum = (of: 'failed' | 'loads') => Object.values(failures).reduce((all, one) => all + one[of], 0);
  return `${number(sum('failed'), 'count')}/${number(sum('loads'), 'count')}`;
}

/** +31 % (232 ms), of a change for the worse; loads fail, where half of them do or more. */
export function changeText({ share, ms }: Pick<NonNullable<SiteStatus['change']>, 'share' | 'ms'>): string {
  const size = [...(share === null ? [] : [`+${percent(share)}`]), ...(ms === null ? [] : [`${number(ms, 'ms')} ms`])];
  return size.length === 2 ? `${size[0]} (${size[1]})` : (size[0] ?? 'loads fail');
}

/** With its day, where what is shown is of a later campaign: steady on 9 Mar. */
export const steadyText = ({ change, now }: Pick<SiteStatus, 'change' | 'now'>): string =>
  !change?.at || change.at === now?.doneAt ? 'steady' : `steady on ${dayWords(change.at)}`;

type OtherCell = Now['otherCells'][number];

/** One after the other: 4g: HTTP/3 fails; 3g: inconclusive. */
export const otherTexts = ({ otherCells, condition: own }: Pick<Now, 'otherCells' | 'condition'>): string[] =>
  otherCells.map(({ condition, view, words }: OtherCell) => `${condition === own ? `${view} view` : condition}: ${words}`);

/** Lines for `SparkLine`; medians among failed loads are left out. */
export function sparkLines({ points }: Pick<SiteStatus, 'points'>) {
  return (['h2', 'h3'] as const).flatMap((protocol) => {
    const its = points.flatMap(({ at, [protocol]: value }) => (value === null ? [] : [{ at, value }]));
    return its.length === 0 ? [] : [{ protocol, points: its }];
  });
}
