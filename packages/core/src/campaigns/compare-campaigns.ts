// Two campaigns on one metric: what each protocol's visits differ by from campaign to campaign, and whether HTTP/3's lead does.
import { measurementDoubts, receiveDropsDoubt } from '../gates/gate-doubts.ts';
import { type MeasuredGroup, type Measurements, valuesOf } from '../gates/measured-campaign.ts';
import type { CampaignComparison, ChangeOutcome, ComparedPlace, LeadChange, ProtocolChange } from '../schemas/campaign-comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { Protocol, View } from '../schemas/vocabulary.ts';
import { adjustPValues } from '../statistics/adjust.ts';
import { bootstrapIntervals } from '../statistics/bootstrap.ts';
import { logRatios, type Pair } from '../statistics/comparison.ts';
import { pairsOf } from '../statistics/group-samples.ts';
import { deltaOfMedians } from '../statistics/h3-delta.ts';
import { medianInterval } from '../statistics/median-interval.ts';
import { median } from '../statistics/quantile.ts';
import { counted } from '../statistics/words.ts';
import { campaignDifferences } from './campaign-differences.ts';
import { cautionsOf, leadWords, protocolWords, type Told } from './change-words.ts';
import { type ComparedCampaign, type Groups, measured, placesOf } from './compared-places.ts';
import { asShare, differenceOf, type Estimate, rankTest, shareOf, smallestP } from './two-samples.ts';

const level = 0.05;
const confidence = 1 - level;

/** Which places are told; what they are corrected for stays the same. Absent: any. */
export type PlaceFilter = { siteId?: string; condition?: string; view?: View };

/**
 * Compares a campaign with a baseline wherever both measured the same site under the same condition in the same view. Two campaigns share no
 * rounds, so their samples are independent, one value for each round, and the Mann–Whitney test tells whether they differ. Of HTTP/3 and
 * HTTP/2 the ratios within rounds are compared in the same way, which tells whether the lead of one protocol changed whatever
 * both share. Each kind is a family of its own, corrected by Holm over all places and protocols of the two campaigns.
 *
 * Such a test takes what two campaigns of one unchanged page differ by (the day, the server) for a difference; `cautions` says so.
 *
 * @param campaign and
 * @param baseline with their visits; of each only the rounds up to its first look count, as for gates.
 * @throws RangeError on a visit that fits no slot of its campaign.
 */
export function compareCampaigns(
  campaign: ComparedCampaign,
  baseline: ComparedCampaign,
  metric: MetricName,
  filter: PlaceFilter = {},
): CampaignComparison {
  const [one, other] = [measured(campaign), measured(baseline)];
  const pairs = placesOf(one, other);
  const lines = pairs.flatMap(({ protocols, groups }) => protocols.map((protocol) => testOfProtocol(groups, protocol, metric)));
  const leads = pairs.flatMap(({ isLead, groups }) => (isLead ? [testOfLead(groups, metric)] : []));
  const adjusted = { lines: corrected(lines), leads: corrected(leads) };
  const ids = [campaign.campaign.id, baseline.campaign.id] as const;
  const states = [campaign.campaign.state, baseline.campaign.state] as const;
  const told: Told = { metric, baselineId: ids[1], confidence, level, comparisons: lines.length };
  let [line, lead] = [0, 0];
  const places = pairs.flatMap((pair): ComparedPlace[] => {
    const { site, baselineSiteId, condition, view, protocols, isLead, groups } = pair;
    const first = line;
    line += protocols.length;
    const its = isLead ? lead++ : null;
    const { siteId = site.id, condition: wanted = condition, view: wantedView = view } = filter;
    if (siteId !== site.id || wanted !== condition || wantedView !== view) return [];
    return [
      {
        siteId: site.id,
        siteName: site.name,
        baselineSiteId,
        condition,
        view,
        protocols: protocols.map((protocol, i) =>
          protocolChange(groups, protocol, {
            ids,
            states,
            told,
            test: lines[first + i] ?? null,
            adjustedP: adjusted.lines[first + i] as number,
          }),
        ),
        lead:
          its === null
            ? null
            : leadChange(groups, [campaign, baseline], {
                ...{ ids, states, test: leads[its] ?? null, adjustedP: adjusted.leads[its] as number },
                told: { ...told, comparisons: leads.length },
              }),
      },
    ];
  });
  const differences = campaignDifferences(one, other);
  return {
    campaignId: ids[0],
    baselineId: ids[1],
    metric,
    confidence,
    comparisons: { protocols: lines.length, leads: leads.length },
    differences,
    cautions: cautionsOf(
      differences.some(({ consequence }) => consequence === 'confounded'),
      [one, other].flatMap(({ campaign: { id, spec }, planned }) =>
        spec.maximumRounds === null ? [] : [{ campaignId: id, rounds: planned }],
      ),
    ),
    places,
  };
}

type RankTest = ReturnType<typeof rankTest>;

const testOfProtocol = (groups: Groups, protocol: Protocol, metric: MetricName): RankTest => {
  const [values, before] = groups.map((group) => valuesOf(group.side(protocol, metric))) as [number[], number[]];
  return rankTest(values, before);
};

const leadPairs = (group: MeasuredGroup, metric: MetricName): Pair[] => pairsOf(group.side('h3', metric), group.side('h2', metric));

const testOfLead = (groups: Groups, metric: MetricName): RankTest => {
  const [logs, before] = groups.map((group) => logRatios(leadPairs(group, metric)) ?? []) as [number[], number[]];
  return rankTest(logs, before);
};

/** What could not be tested counts as 1: the family is as large as what both measured. */
const corrected = (tests: readonly RankTest[]): number[] => adjustPValues(tests.map((test) => test?.p ?? 1));

interface Judged {
  ids: readonly [string, string];
  states: readonly [Measurements['campaign']['state'], Measurements['campaign']['state']];
  told: Told;
  test: RankTest;
  adjustedP: number;
}

function protocolChange(groups: Groups, protocol: Protocol, judged: Judged): ProtocolChange {
  const { told } = judged;
  const sides = groups.map((group) => group.side(protocol, told.metric));
  const [values, before] = sides.map(valuesOf) as [number[], number[]];
  const doubts = doubtsOf(groups, [protocol], [values.length, before.length], judged);
  const change = {
    protocol,
    campaign: sideOf(sides[0]?.values ?? []),
    baseline: sideOf(sides[1]?.values ?? []),
    difference: differenceOf(values, before, confidence),
    shift: values.length === 0 || before.length === 0 ? null : shareOf(values, before, confidence),
    ...verdictOf(judged, doubts),
  };
  return { ...change, words: protocolWords(change, [values.length, before.length], told) };
}

function sideOf(values: readonly number[]): ProtocolChange['campaign'] {
  if (values.length === 0) return null;
  const interval = medianInterval(values, confidence);
  return { n: values.length, median: median(values), low: interval?.low ?? null, high: interval?.high ?? null };
}

function leadChange(groups: Groups, campaigns: readonly [ComparedCampaign, ComparedCampaign], judged: Judged): LeadChange {
  const { metric } = judged.told;
  const pairs = groups.map((group) => leadPairs(group, metric)) as [Pair[], Pair[]];
  const [logs, before] = pairs.map((its) => logRatios(its) ?? []) as [number[], number[]];
  const doubts = doubtsOf(groups, ['h3', 'h2'], [logs.length, before.length], judged);
  const deltas = groups.map((group, i) => deltaOf(group, pairs[i] as Pair[], metric, campaigns[i]?.campaign.spec.seed ?? 0));
  const change = {
    campaign: deltas[0] ?? null,
    baseline: deltas[1] ?? null,
    rounds: pairs.map(({ length }) => length),
    change: asShare(differenceOf(logs, before, confidence)),
    ...verdictOf(judged, doubts),
  };
  return { ...change, words: leadWords(change, judged.told) };
}

/** As results tell it: of all visits, with the interval of whole rounds. */
function deltaOf(group: MeasuredGroup, pairs: readonly Pair[], metric: MetricName, seed: number): Estimate | null {
  const [h3, h2] = [group.side('h3', metric).values, group.side('h2', metric).values];
  const value = h3.length === 0 || h2.length === 0 ? null : deltaOfMedians(median(h3), median(h2));
  if (value === null) return null;
  const ends = pairs.length === 0 ? null : (bootstrapIntervals(pairs, { seed, confidence })?.delta ?? null);
  return { value, low: ends?.low ?? null, high: ends?.high ?? null };
}

function verdictOf({ test, adjustedP }: Judged, doubts: ProtocolChange['doubts']) {
  const shown = test !== null && adjustedP <= level && test.rankBiserial !== 0 && doubts.length === 0;
  const outcome: ChangeOutcome = !shown ? 'undecided' : test.rankBiserial < 0 ? 'lower' : 'higher';
  return { mannWhitney: test && { ...test, adjustedP }, outcome, doubts };
}

/** What speaks against either campaign's visits, and whether there are enough of them to tell anything. */
function doubtsOf(
  groups: Groups,
  protocols: readonly Protocol[],
  sizes: readonly [number, number],
  { ids, states, told, test, adjustedP }: Judged,
): ProtocolChange['doubts'] {
  const slower = (test?.rankBiserial ?? 0) > 0 ? 0 : 1;
  const doubts = groups.flatMap((group, i) => {
    const [campaignId, state] = [ids[i] as string, states[i] as (typeof states)[number]];
    const counts = protocols.map((protocol) => ({ protocol, count: valuesOf(group.side(protocol, told.metric)).length }));
    const reasons = measurementDoubts(group, state, told.metric, counts);
    // What a full buffer lost makes h3 slower: it explains only why this campaign is the slower one.
    const drops = protocols.includes('h3') && slower === i ? receiveDropsDoubt(group) : null;
    return [...reasons, ...(drops === null ? [] : [drops])].map(({ reason, words }) => ({
      campaignId,
      reason,
      words: `Campaign ${campaignId}: ${words}`,
    }));
  });
  // Holm asks less of what is not the smallest p: what reached the level was not too few for it.
  if (adjustedP > level && Math.min(...sizes) > 0 && smallestP(...sizes) * told.comparisons > level) {
    const words = `With ${sizes[0]} and ${counted(sizes[1], 'value')} no difference could reach the level among ${counted(told.comparisons, 'comparison')}.`;
    doubts.push({ campaignId: ids[sizes[0] <= sizes[1] ? 0 : 1], reason: 'too-few-rounds', words });
  }
  return doubts;
}
