// The visits of a campaign as a table, one line each, for the command line and the API. docs/exchange.md explains each column.
import type { Campaign } from '../../schemas/campaign.ts';
import type { Caveat } from '../../schemas/caveat.ts';
import type { Visit } from '../../schemas/visit.ts';
import { toLine } from '../../text/csv.ts';
import { metricNames, metricOf } from '../../vocabulary/metric.ts';
import { caveatsAt } from '../answer/caveat-lines.ts';

/** None is renamed; a new metric comes between others. */
export const visitColumns = [
  'visit',
  'site',
  'url',
  'condition',
  'view',
  'round',
  'slot',
  'protocol',
  'attempt',
  'retry',
  'startedAt',
  'counted',
  'watchedEqually',
  'verdict',
  'reason',
  'detail',
  'finalUrl',
  'receiveDrops',
  'refused',
  'caveats',
  ...metricNames,
  'documentAddress',
  'netlog',
] as const;

/** The line of column names, with its end of line. */
export const visitsCsvHeader: string = toLine(visitColumns);

/**
 * The line of a visit, with its end of line. Numbers have a point and no unit.
 *
 * @param of the visit's campaign: its sites, and what limits its answer.
 */
export function visitCsvLine(visit: Visit, { sites, caveats }: { sites: Campaign['sites']; caveats: readonly Caveat[] }): string {
  const site = sites.find(({ id }) => id === visit.siteId);
  const { outcome } = visit;
  const metrics = outcome.verdict === 'valid' ? outcome.metrics : null;
  return toLine([
    visit.id,
    site?.name,
    site?.url,
    visit.condition,
    visit.view,
    visit.roundNumber,
    visit.slot,
    visit.protocol,
    visit.attempt,
    visit.retry,
    visit.startedAt,
    visit.counted ? 1 : 0,
    visit.watchedEqually === false ? 0 : 1,
    outcome.verdict,
    outcome.verdict === 'invalid' ? outcome.reason : null,
    outcome.verdict === 'invalid' ? outcome.detail : null,
    visit.finalUrl,
    visit.link?.receiveDrops,
    visit.link?.refused.join('; '),
    [...new Set(caveatsAt(caveats, visit).map(({ code }) => code))].join('; '),
    ...metricNames.map((name) => metrics && metricOf(metrics, name)),
    visit.documentAddress,
    visit.netlog === undefined ? 0 : 1,
  ]);
}
