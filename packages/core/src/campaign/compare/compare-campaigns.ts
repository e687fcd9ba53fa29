// Compares two campaigns on one metric: each protocol's visits, and HTTP/3's lead.

import { adjustPValues } from '../../math/adjust.ts';
import type { CampaignComparison, CellComparison } from '../../schemas/campaign-comparison.ts';
import type { Environment } from '../../schemas/environment.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { type ComparisonTerms, cautionsOf } from '../../text/change.ts';
import { cellKey } from '../../vocabulary/cell.ts';
import { sameCondition, sameSite } from '../gate/baseline-evidence.ts';
import type { ResultLinkCheck } from '../measured/link.ts';
import { type FirstLookCell, firstLook, type Measurements } from '../measured/measured.ts';
import { campaignDifferences } from './campaign-differences.ts';
import { leadChange, protocolChange, type RankTest, testOfLead, testOfProtocol } from './cell-changes.ts';

const level = 0.05;
const confidence = 1 - level;

/** A comparison that generates its cells one at a time. */
type ComparisonStream = Omit<CampaignComparison, 'cells'> & { cells: Iterable<CellComparison> };

/**
 * Compares a campaign with a baseline in every cell that both measured. Two campaigns share no rounds, so their samples are independent,
 * one value for each round, and the Mann–Whitney test shows whether they differ. For HTTP/3 and HTTP/2, the ratios within rounds are
 * compared in the same way: effects of a day on both alike cancel out. Each kind is a family of its own, corrected by Holm over all cells
 * and protocols of the two campaigns.
 *
 * Such a test also detects what two campaigns of an unchanged page differ by (the day, the server); `cautions` says so.
 *
 * All tests are made at once, because each is corrected for the others; cells are generated on demand.
 *
 * @param campaign and
 * @param baseline with their visits; only the rounds up to the first look of each count, as for gates.
 * @throws RangeError on a visit that fits no slot of its campaign.
 */
export function streamComparison(campaign: ComparedCampaign, baseline: ComparedCampaign, metric: MetricName): ComparisonStream {
  const [one, other] = [measured(campaign), measured(baseline)];
  const pairs = placesOf(one, other);
  const lines = pairs.flatMap(({ protocols, cells }) => protocols.map((protocol) => testOfProtocol(cells, protocol, metric)));
  const leads = pairs.flatMap(({ isLead, cells }) => (isLead ? [testOfLead(cells, metric)] : []));
  const adjusted = { lines: corrected(lines), leads: corrected(leads) };
  const ids = [one.campaign.id, other.campaign.id] as const;
  const margin = Math.min(one.campaign.spec.margin, other.campaign.spec.margin);
  const both = { ids, states: [one.campaign.state, other.campaign.state], margin } as const;
  const seeds = [one.campaign.spec.seed, other.campaign.spec.seed] as const;
  const terms: ComparisonTerms = { metric, baselineId: ids[1], confidence, level, comparisons: lines.length };

  function* changes(): Generator<CellComparison> {
    let [line, lead] = [0, 0];
    const nextLine = () => ({ ...both, terms, test: lines[line] ?? null, adjustedP: adjusted.lines[line++] as number });
    const nextLead = () => ({
      ...{ ...both, terms: { ...terms, comparisons: leads.length } },
      ...{ test: leads[lead] ?? null, adjustedP: adjusted.leads[lead++] as number },
    });
    for (const { site, baselineSiteId, condition, view, protocols, isLead, cells } of pairs) {
      yield {
        ...{ siteId: site.id, siteName: site.name, baselineSiteId, condition, view },
        protocols: protocols.map((protocol) => protocolChange(cells, protocol, nextLine())),
        lead: isLead ? leadChange(cells, seeds, nextLead()) : null,
      };
    }
  }

  const differences = campaignDifferences(one, other);
  return {
    ...{ campaignId: ids[0], baselineId: ids[1], metric, confidence },
    comparisons: { protocols: lines.length, leads: leads.length },
    differences,
    cautions: cautionsOf(
      differences.some(({ consequence }) => consequence === 'confounded'),
      [one, other].flatMap(({ campaign: { id, spec }, planned }) =>
        spec.maximumRounds === null ? [] : [{ campaignId: id, rounds: planned }],
      ),
    ),
    sites: [...new Map(pairs.map(({ site: { id, name } }) => [id, { siteId: id, siteName: name }])).values()],
    conditions: [...new Set(pairs.map(({ condition }) => condition))],
    views: [...new Set(pairs.map(({ view }) => view))],
    cells: changes(),
  };
}

/** A pair that could not be tested counts as 1: the family includes every cell that both measured. */
const corrected = (tests: readonly RankTest[]): number[] => adjustPValues(tests.map((test) => test?.p ?? 1));

/** One of the two campaigns, with the environments of its visits. */
export type ComparedCampaign = Measurements & { environments: readonly Environment[] };

type Measured = ReturnType<typeof measured>;

/** The link checks are read once: for the doubts and, on the way, the kinds of links. */
function measured({ environments, ...measurements }: ComparedCampaign) {
  const backends = new Set<string>();
  function* noted(checks: Iterable<ResultLinkCheck>): Generator<ResultLinkCheck> {
    for (const check of checks) {
      if (check.counted && check.faults.length === 0) backends.add(check.backend);
      yield check;
    }
  }
  const { cells } = firstLook({ ...measurements, linkChecks: noted(measurements.linkChecks) });
  const [first] = cells.values();
  return { campaign: measurements.campaign, environments, backends, cells, planned: first?.planned ?? measurements.campaign.spec.rounds };
}

/** Of the campaign and of the baseline. */
export type CellPair = readonly [FirstLookCell, FirstLookCell];

/** The cells that both measured, in the order of the campaign. */
function placesOf(one: Measured, other: Measured) {
  const [mine, theirs] = [one.campaign.spec, other.campaign.spec];
  const protocols = [...new Set(mine.protocols)].filter((protocol) => theirs.protocols.includes(protocol));
  const conditions = mine.conditions.map(({ name }) => name).filter((name) => sameCondition(name, mine, theirs));
  const views = mine.views.filter((view) => theirs.views.includes(view));
  const isLead = protocols.includes('h3') && protocols.includes('h2');
  return one.campaign.sites.flatMap((site) => {
    const baselineSiteId = sameSite(site, other.campaign.sites);
    if (baselineSiteId === undefined) return [];
    return conditions.flatMap((condition) =>
      views.map((view) => {
        const cells: CellPair = [
          one.cells.get(cellKey({ siteId: site.id, condition, view })) as FirstLookCell,
          other.cells.get(cellKey({ siteId: baselineSiteId, condition, view })) as FirstLookCell,
        ];
        return { site, baselineSiteId, condition, view, protocols, isLead, cells };
      }),
    );
  });
}
