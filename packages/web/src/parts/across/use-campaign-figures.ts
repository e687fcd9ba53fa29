// The figures of a campaign for the chosen metric, read again while the campaign runs.
import type { Given } from '@pronghorn/core/client';
import { useGet } from '../../service/reading.ts';
import { isOver } from '../../text/campaign.ts';
import { useResults } from '../results/results.ts';

/** The figures change slowly, and each reading computes over all visits. */
const everyMs = 30_000;

export function useCampaignFigures<R extends 'GET /campaigns/{id}/across' | 'GET /campaigns/{id}/factorial'>(route: R) {
  const { campaign, choice } = useResults();
  return useGet(
    route,
    () => ({ id: campaign.value.id, query: { metric: choice.metric.value } }) as Given<R>,
    () => (isOver(campaign.value.state) ? null : everyMs),
  );
}
