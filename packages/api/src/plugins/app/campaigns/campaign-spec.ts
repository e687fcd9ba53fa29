// Makes every choice that a campaign's request leaves open, and refuses what cannot be run.
import { type CampaignRequest, type CampaignSpec, type Condition, defaultLimits, looksOf, type Problem, type Site } from '@pronghorn/core';
import { ProblemError } from '../../../problems.ts';
import { resolveConditions } from '../conditions/condition-problems.ts';
import { defaultSiteName, parseSiteUrl } from './site-url.ts';

/** More rounds than this take days even of a fast page: rather a typo than a wish. */
const maxRounds = 100_000;

/**
 * @param seed used unless the request names one.
 * @param known the conditions that can be asked for by name.
 * @returns the campaign as it is run, and its sites with normalised URLs, names and statuses.
 * @throws ProblemError invalid-campaign that names each wrong place.
 */
export function completeSpec(
  request: CampaignRequest,
  seed: number,
  known: readonly Condition[],
): { spec: CampaignSpec; sites: Omit<Site, 'id'>[] } {
  const protocols = request.protocols ?? ['h1', 'h2', 'h3'];
  const errors: NonNullable<Problem['errors']> = [];
  const places = new Map<string, number>();
  const sites = request.sites.flatMap(({ url: given, name, expectStatus = 200 }, place) => {
    try {
      const url = parseSiteUrl(given);
      if (url.protocol === 'http:' && protocols.some((protocol) => protocol !== 'h1')) {
        throw new Error(
          `${url.href} is plain http, over which browsers speak only HTTP/1.1, but protocols are ${protocols.join(', ')}. ` +
            'Give its https URL, or ask for protocols h1 alone.',
        );
      }
      const other = places.get(url.href);
      if (other !== undefined) throw new Error(`${url.href} is the same page as #/sites/${other}/url; expected each page once.`);
      places.set(url.href, place);
      return [{ url: url.href, name: name ?? defaultSiteName(url), expectStatus }];
    } catch (error) {
      errors.push({ pointer: `#/sites/${place}/url`, detail: (error as Error).message });
      return [];
    }
  });
  const { conditions, errors: conditionErrors } = resolveConditions(request.conditions ?? ['native'], known);
  errors.push(...conditionErrors);
  const { views = ['cold' as const], rounds = 20 } = request;
  const { maximumRounds = null } = request;
  const total = request.sites.length * conditions.length * views.length * Math.max(rounds, maximumRounds ?? 0);
  if (total > maxRounds) {
    errors.push({
      pointer: '#/rounds',
      detail: `${Math.max(rounds, maximumRounds ?? 0)} rounds of ${request.sites.length} sites, ${conditions.length} conditions and ${views.length} views are ${total} in all; expected at most ${maxRounds}. Ask for fewer, or make several campaigns.`,
    });
  }
  if (views.includes('warm') && request.browser === 'headless-shell') {
    errors.push({
      pointer: '#/views',
      detail:
        'A warm visit closes its connections between the two views, which the headless shell cannot. Ask for browser chrome, or for cold views alone.',
    });
  }
  const adjustment = request.adjustment ?? 'holm';
  if (maximumRounds !== null) {
    if (!protocols.includes('h2') || !protocols.includes('h3')) {
      errors.push({
        pointer: '#/maximumRounds',
        detail: `Rounds are added until h3 against h2 is settled, but protocols are ${protocols.join(', ')}. Ask for both, or leave out maximumRounds.`,
      });
    } else {
      try {
        looksOf({ rounds, maximumRounds, adjustment, protocols, conditions, views }, request.sites.length);
      } catch (error) {
        errors.push({ pointer: '#/maximumRounds', detail: (error as Error).message });
      }
    }
  }
  if (errors.length > 0) throw new ProblemError('invalid-campaign', errors.map(({ detail }) => detail).join(' '), errors);

  const spec: CampaignSpec = {
    name: request.name ?? nameOf(sites.map(({ name }) => name)),
    sites,
    conditions,
    protocols,
    views,
    rounds,
    engine: request.engine ?? 'puppeteer',
    discovery: request.discovery ?? 'forced',
    isolation: request.isolation ?? 'context',
    browser: request.browser ?? 'chrome',
    primaryMetric: request.primaryMetric ?? 'onLoad',
    margin: request.margin ?? 0.05,
    adjustment,
    maximumRounds,
    seed: request.seed ?? seed,
    limits: { ...defaultLimits, ...request.limits },
  };
  return { spec, sites };
}

const nameOf = ([first = '', ...others]: readonly string[]) =>
  others.length === 0 ? first : `${first.slice(0, 180)} and ${others.length} more`;
