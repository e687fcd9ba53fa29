// A campaign with its figures for one metric; both are read again while the campaign runs.
import type { Given } from '@pronghorn/core/client';
import type { MetricName } from '@pronghorn/core/schemas';
import { useGet } from '../../service/reading.ts';
import { useQuery } from '../../state/query.ts';
import { metricNames } from '../../text/vocabulary.ts';

/** The figures change slowly, and each reading computes over all visits. */
const everyMs = 30_000;

export function useCampaignFigures<R extends 'GET /campaigns/{id}/across' | 'GET /campaigns/{id}/factorial'>(id: () => string, route: R) {
  const metric = useQuery<MetricName | ''>('metric', '', Object.keys(metricNames) as MetricName[]);
  const campaign = useGet(
    'GET /campaigns/{id}',
    () => ({ id: id() }),
    ({ state }) => (state === 'queued' || state === 'running' ? everyMs : null),
  );
  const figures = useGet(
    route,
    () => ({ id: id(), query: { metric: metric.value } }) as Given<R>,
    () => (campaign.value.value && ['done', 'cancelled'].includes(campaign.value.value.state) ? null : everyMs),
  );
  return {
    campaign,
    figures,
    choose(chosen: MetricName): void {
      metric.value = chosen === campaign.value.value?.spec.primaryMetric ? '' : chosen;
    },
  };
}
