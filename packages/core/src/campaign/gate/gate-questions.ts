// The questions that the assertions of a gate ask about a campaign, and problems with assertions.
import type { Campaign, CampaignSpec, Site } from '../../schemas/campaign.ts';
import type { Assertion, GateRules } from '../../schemas/gate.ts';
import type { Problem } from '../../schemas/problem.ts';
import { lackingMetric, parseAssertion } from '../../text/assertion.ts';
import { quantityWords } from '../../text/numbers.ts';
import type { View } from '../../vocabulary/cell.ts';
import type { Engine } from '../../vocabulary/engine.ts';
import { isBetterHigh, metricUnit } from '../../vocabulary/metric.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';

/** One assertion about one protocol in one cell, with one limit. */
export interface GateQuestion {
  /** Index of the assertion in the rules. */
  index: number;
  assertion: Assertion;
  site: Site;
  condition: string;
  view: View;
  /** The measured protocol; of two, the candidate. */
  protocol: Protocol;
  /** For a bound: which of its limits. */
  side: 'max' | 'min';
}

type CampaignShape = Pick<CampaignSpec, 'protocols' | 'views' | 'engine'> & { conditions: readonly { name: string }[] };

/** The object form of each. @throws RangeError as `parseAssertion`. */
export const assertionsOf = ({ assertions }: Pick<GateRules, 'assertions'>): Assertion[] =>
  assertions.map((one) => (typeof one === 'string' ? parseAssertion(one) : one));

/** Every question of a gate to a campaign: by assertion, then in the campaign's order. */
export function questionsAt(assertions: readonly Assertion[], spec: CampaignShape, sites: Campaign['sites']): GateQuestion[] {
  return assertions.flatMap((assertion, index) => {
    const at = scopeOf(assertion, spec, sites);
    return at.sites.flatMap((site) =>
      at.conditions.flatMap((condition) =>
        at.views.flatMap((view) =>
          at.protocols.flatMap((protocol) => at.sides.map((side) => ({ index, assertion, site, condition, view, protocol, side }))),
        ),
      ),
    );
  });
}

/** The part of a campaign that an assertion covers. */
function scopeOf<S extends Pick<Site, 'name' | 'url'>>(
  assertion: Assertion,
  { conditions, views, protocols }: CampaignShape,
  sites: readonly S[],
) {
  return {
    sites: sites.filter(({ name, url }) => matches(assertion.site, name) || matches(assertion.site, url)),
    conditions: conditions.map(({ name }) => name).filter((name) => matches(assertion.condition, name)),
    views: views.filter((view) => among(assertion.view, view)),
    protocols: protocolsOf(assertion, protocols),
    sides: sidesOf(assertion),
  };
}

/**
 * Problems with the rules of a gate, for a campaign of this kind: an assertion that can't be read, that requests nothing, or that applies
 * nowhere. A gate that passed because nothing matched would be worse than none.
 *
 * @param engine of future campaigns, if it is known before the campaign is
 */
export function gateProblems(
  rules: GateRules,
  campaign?: { spec: CampaignShape; sites: readonly Pick<Site, 'name' | 'url'>[] },
  engine: Engine | undefined = campaign?.spec.engine,
): NonNullable<Problem['errors']> {
  let checks = 0;
  const problems = rules.assertions.flatMap((request, index) => {
    const pointer = `#/assertions/${index}`;
    let assertion: Assertion;
    try {
      assertion = typeof request === 'string' ? parseAssertion(request) : request;
    } catch (error) {
      return [{ pointer, detail: (error as Error).message }];
    }
    if (campaign !== undefined) {
      const at = scopeOf(assertion, campaign.spec, campaign.sites);
      checks += at.sites.length * at.conditions.length * at.views.length * at.protocols.length * at.sides.length;
    }
    return [...ownProblems(assertion), ...foreign(assertion, engine), ...(campaign === undefined ? [] : misfits(assertion, campaign))].map(
      ({ at, detail }) => ({
        pointer: typeof request === 'string' || at === '' ? pointer : `${pointer}/${at}`,
        detail,
      }),
    );
  });
  if (checks <= maxChecks) return problems;
  const detail = `The assertions are ${checks} checks, of sites, conditions, views and protocols; expected at most ${maxChecks}. Use fewer.`;
  return [...problems, { pointer: '#/assertions', detail }];
}

/** More would be tens of megabytes of answers. */
const maxChecks = 20_000;

type Fault = { at: string; detail: string };

function ownProblems(assertion: Assertion): Fault[] {
  const faults: Fault[] = [];
  const { statistic } = assertion;
  if (statistic !== undefined && /^p0(\.0*)?$/.test(statistic)) {
    faults.push({ at: 'statistic', detail: `The statistic is ${statistic}; expected a percentile above 0, such as p75.` });
  }
  if (assertion.kind === 'bound') {
    const { max, min, metric } = assertion;
    if (metric === 'failedShare' && statistic !== undefined)
      faults.push({
        at: 'statistic',
        detail: `failedShare is one number over all visits, and has no ${statistic}; expected no statistic.`,
      });
    for (const [at, limit] of Object.entries({ max, min }))
      if (limit !== undefined && metricUnit(metric) === 'share' && (limit < 0 || limit > 1))
        faults.push({
          at,
          detail: `The limit of ${metric} is ${quantityWords(metric, limit)}, and a share is from 0 to 100 %. Expected such a limit: "${metric} ${at === 'max' ? '<=' : '>='} 5 %" in a line, ${at}: 0.05 in an object.`,
        });
    if (max === undefined && min === undefined) faults.push({ at: '', detail: 'A bound has neither max nor min; expected one of them.' });
    if (max !== undefined && min !== undefined && min > max)
      faults.push({ at: 'min', detail: `min is ${min} and max is ${max}; expected min not above max.` });
    return faults;
  }
  const { margin, metric, not } = assertion;
  if (isBetterHigh(metric) && not !== 'below')
    faults.push({
      at: 'not',
      detail: `Higher is better for ${metric}, so this would fail a faster result. Expected >= (not: "below"), such as ${metric} ${assertion.kind === 'baseline' ? '>= baseline' : `${assertion.candidate} >= ${assertion.baseline}`} - 5 %.`,
    });
  if (not === 'below' && margin >= 1)
    faults.push({ at: 'margin', detail: `The margin is ${margin}; below 100 % of it is nothing. Expected less than 1.` });
  if (assertion.kind === 'protocols' && assertion.candidate === assertion.baseline)
    faults.push({ at: 'baseline', detail: `Both protocols are ${assertion.baseline}; expected two.` });
  return faults;
}

function foreign({ metric }: Assertion, engine: Engine | undefined): Fault[] {
  const detail = engine === undefined ? null : lackingMetric(metric, engine);
  return detail === null ? [] : [{ at: 'metric', detail }];
}

function misfits(assertion: Assertion, { spec, sites }: { spec: CampaignShape; sites: readonly Pick<Site, 'name' | 'url'>[] }): Fault[] {
  const faults: Fault[] = [];
  const wanted = assertion.kind === 'protocols' ? [assertion.candidate, assertion.baseline] : listOf(assertion.protocol);
  const missing = wanted.filter((protocol) => !spec.protocols.includes(protocol));
  const at = assertion.kind === 'protocols' ? (missing[0] === assertion.candidate ? 'candidate' : 'baseline') : 'protocol';
  if (missing.length > 0) faults.push(misfit(at, missing.join(', '), spec.protocols));
  const names = spec.conditions.map(({ name }) => name);
  // Every entry of a list must match: one that matches nothing is a typo.
  for (const pattern of listOf(assertion.condition))
    if (!names.some((name) => matches(pattern, name))) faults.push(misfit('condition', pattern, names));
  for (const view of listOf(assertion.view)) if (!spec.views.includes(view)) faults.push(misfit('view', view, spec.views));
  for (const pattern of listOf(assertion.site))
    if (!sites.some(({ name, url }) => matches(pattern, name) || matches(pattern, url))) {
      faults.push(
        misfit(
          'site',
          pattern,
          sites.map(({ name }) => name),
        ),
      );
    }
  return faults;
}

const misfit = (at: string, given: string, known: readonly string[]): Fault => ({
  at,
  detail: `The campaign has no ${at === 'candidate' || at === 'baseline' ? 'protocol' : at} ${given}; it has ${[...new Set(known)].join(', ')}.`,
});

/** Distinct: slots of one protocol (A/A) measure the same thing. */
function protocolsOf(assertion: Assertion, protocols: readonly Protocol[]): Protocol[] {
  if (assertion.kind === 'protocols') return [assertion.candidate];
  return [...new Set(protocols)].filter((protocol) => among(assertion.protocol, protocol));
}

function sidesOf(assertion: Assertion): ('max' | 'min')[] {
  if (assertion.kind !== 'bound') return [assertion.not === 'below' ? 'min' : 'max'];
  return [...(assertion.max === undefined ? [] : (['max'] as const)), ...(assertion.min === undefined ? [] : (['min'] as const))];
}

const listOf = <T extends string>(given: T | T[] | undefined): T[] => (given === undefined ? [] : Array.isArray(given) ? given : [given]);
const among = <T extends string>(given: T | T[] | undefined, one: T): boolean => given === undefined || listOf(given).includes(one);

/** Whether a name fits any of the patterns, in which * stands for any text. */
function matches(patterns: string | string[] | undefined, name: string): boolean {
  return patterns === undefined || listOf(patterns).some((pattern) => fits(pattern.split('*'), name));
}

/** Part by part, each as early as possible, so that no pattern takes long. */
function fits(parts: readonly string[], name: string): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of others) {
    const position = name.indexOf(part, at);
    if (position === -1) return false;
    at = position + part.length;
  }
  return name.endsWith(last) && name.length - last.length >= at;
}
