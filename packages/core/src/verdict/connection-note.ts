// Cold runs of REST calls whose protocols opened different numbers of connections: what differs there is handshakes first.

import { median } from '../math/quantile.ts';
import type { CampaignSpec } from '../schemas/campaign.ts';
import type { GroupResults } from '../schemas/results.ts';
import { counted, listed, protocolName } from '../text/numbers.ts';

/** From so many times as many on, numbers of a cold run are those of its handshakes. */
const notablyMore = 2;

/** Such as `50 connections over HTTP/2 and 1 connection over HTTP/3`, in medians, each protocol once; null: about as many each, or the view is warm. */
export function differingConnections({ view, slots }: Pick<GroupResults, 'view' | 'slots'>): string | null {
  const opened = [...Map.groupBy(slots, ({ protocol }) => protocol)].flatMap(([protocol, its]) => {
    const counts = its.flatMap(({ metrics: { connections } }) => connections?.median ?? []);
    return counts.length === 0 ? [] : [{ protocol, count: median(counts) }];
  });
  const [most, least] = [Math.max(...opened.map(({ count }) => count)), Math.min(...opened.map(({ count }) => count))];
  if (view !== 'cold' || opened.length < 2 || least === 0 || most < notablyMore * least) return null;
  return listed(opened.map(({ protocol, count }) => `${counted(Math.round(count), 'connection')} over ${protocolName(protocol)}`));
}

/** What that means for the reader of the results; null where there is nothing to say, and for pages. */
export function connectionNote(
  group: Pick<GroupResults, 'view' | 'slots'>,
  { engine, workload }: Pick<CampaignSpec, 'engine' | 'workload'>,
): string | null {
  const counts = engine === 'transaction' ? differingConnections(group) : null;
  if (counts === null) return null;
  const dials = group.slots.some(({ protocol }) => protocol === 'h2') && workload?.connections === 'pool';
  const why = dials ? ' Go’s HTTP/2 client dials for each of many first requests, and its HTTP/3 client once.' : '';
  return `A cold run opened ${counts}.${why} So what differs here is the number of handshakes first; the warm view tells what a protocol makes of requests.`;
}
