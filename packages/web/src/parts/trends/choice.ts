// What of all trends is shown: kept in the address.
import type { MetricName } from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';
import { useQuery, useQueryList } from '../../state/query.ts';
import { metricNames } from '../../text/vocabulary.ts';

export type TrendChoice = ReturnType<typeof useTrendChoice>;

export function useTrendChoice() {
  return {
    /** Empty: all sites. */
    site: useQuery<string>('site', ''),
    metric: useQuery<MetricName>('metric', 'onLoad', Object.keys(metricNames) as MetricName[]),
    /** Empty: the first that there is. */
    condition: useQuery<string>('condition', ''),
    view: useQuery<View>('view', 'cold', ['cold', 'warm']),
    /** None: all. */
    protocols: useQueryList<Protocol>('protocols', ['h1', 'h2', 'h3']),
    branch: useQuery<string>('branch', '', null, 'replace'),
    /** Days of the reader's calendar, such as 2026-03-01; empty: without end. */
    since: useQuery<string>('since', '', null, 'replace'),
    until: useQuery<string>('until', '', null, 'replace'),
    search: useQuery<string>('search', '', null, 'replace'),
  };
}
