// A campaign's visits as a table, a line for each: the same for the command line and the API. docs/exchange.md says what each column means.
import type { Campaign } from '../schemas/campaign.ts';
import { metricNames, metricOf } from '../schemas/metrics.ts';
import type { Visit } from '../schemas/visit.ts';

/** In their order. New columns come at the end; none is renamed. */
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
  'verdict',
  'reason',
  'detail',
  'finalUrl',
  'receiveDrops',
  'refused',
  ...metricNames,
  'documentAddress',
  'netlog',
] as const;

/** The line of column names, with its end of line. */
export const visitsCsvHeader: string = toLine(visitColumns);

/**
 * The line of a visit, with its end of line, by RFC 4180: CRLF, quotes where a field needs them and doubled inside.
 *
 * A text that a spreadsheet would take for a formula gets an apostrophe in front, as https://owasp.org/www-community/attacks/CSV_Injection
 * advises: names, URLs and errors come from pages under test. Numbers have a point and no unit; what is not known is empty.
 *
 * @param sites of the visit's campaign.
 */
export function visitCsvLine(visit: Visit, sites: Campaign['sites']): string {
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
    outcome.verdict,
    outcome.verdict === 'invalid' ? outcome.reason : null,
    outcome.verdict === 'invalid' ? outcome.detail : null,
    visit.finalUrl,
    visit.link?.receiveDrops,
    visit.link?.refused.join('; '),
    ...metricNames.map((name) => metrics && metricOf(metrics, name)),
    visit.documentAddress,
    visit.netlog === undefined ? 0 : 1,
  ]);
}

function toLine(fields: readonly (string | number | null | undefined)[]): string {
  return `${fields.map(toField).join(',')}\r\n`;
}

function toField(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
