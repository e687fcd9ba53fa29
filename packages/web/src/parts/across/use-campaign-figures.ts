// A campaign and what the API computes from all of it for a metric, read anew while the campaign runs.
import type { Campaign, MetricName } from '@pronghorn/core/schemas';
import { read } from '../../service/ask.ts';
import { useReading } from '../../service/reading.ts';
import { useQuery } from '../../state/query.ts';
import { metricNames } from '../../text/vocabulary.ts';

/** Such figures change slowly, and each reading computes over all visits. */
const everyMs = 30_000;

/** @param what the last part of the figures' path */
export function useCampaignFigures<Figures>(id: () => string, what: 'across' | 'factorial') {
  const path = () => `campaigns/${encodeURIComponent(id())}`;
  const metric = useQuery<MetricName | ''>('metric', '', Object.keys(metricNames) as MetricName[]);
  const campaign = useReading(
    id,
    (_id, signal) => read<Campaign>(path(), { signal }),
    ({ state }) => (state === 'queued' || state === 'running' ? everyMs : null),
  );
  const figures = useReading(
    () => ({ id: id(), metric: metric.value }),
    (asked, signal) => read<Figures>(`${path()}/${what}`, { query: { metric: asked.metric }, signal }),
    () => (campaign.value.value && ['done', 'cancelled'].includes(campaign.value.value.state) ? null : everyMs),
  );
  return {
    campaign,
    figures,
    path,
    choose(chosen: MetricName): void {
      metric.value = chosen === campaign.value.value?.spec.primaryMetric ? '' : chosen;
    },
  };
}
