// Makes every choice that a campaign's request leaves open, and refuses what cannot be run.
import { X509Certificate } from 'node:crypto';
import {
  type CallsPolicy,
  type CampaignRequest,
  type CampaignSpec,
  type Condition,
  chromeProblems,
  defaultCallLimits,
  defaultLimits,
  escapeProblem,
  type MetricName,
  type Problem,
  type Site,
  workloadProblems,
} from '@pronghorn/core/schemas';
import { lackingMetric } from '@pronghorn/core/text';
import { looksOf, mainMetrics, usualAdjustment, usualRounds } from '@pronghorn/core/verdict';
import { callsHostProblem, type ReferenceKind, visitorOf, visitorProblems } from '@pronghorn/core/visitor';
import {
  type Browser,
  browsersOf,
  isTime,
  metricNamesOf,
  requestedEngine,
  roundsOfPrecision,
  usualProtocols,
} from '@pronghorn/core/vocabulary';
import { ProblemError } from '../../../shared/problems.ts';
import { resolveConditions } from '../../../tables/conditions-repository.ts';
import { levelErrors } from './level-errors.ts';
import { defaultSiteName, parseSiteUrl } from './site-url.ts';

/** More rounds than this take days even of a fast page: rather a typo than a wish. */
const maxRounds = 100_000;

/** With every choice made; its sites have no ids yet. */
export type CompleteCampaign = { spec: CampaignSpec; sites: Omit<Site, 'id'>[] };

const demoAlone: CallsPolicy = { hosts: [], loopback: false, limits: defaultCallLimits };

/**
 * @param seed used unless the request names one.
 * @param known the conditions that can be asked for by name.
 * @param calls what is permitted of REST calls; default no server but the demo origin's.
 * @returns the campaign as it is run, and its sites with normalised URLs, names, statuses and what they have of their own.
 * @throws ProblemError invalid-campaign that names each wrong place.
 */
export function completeSpec(
  request: CampaignRequest,
  seed: number,
  known: readonly Condition[],
  calls: CallsPolicy = demoAlone,
): CompleteCampaign {
  const problemsOfVisitors = visitorErrors(request, ['secret', 'env', 'file']);
  const protocols = request.protocols ?? [...usualProtocols];
  const errors: NonNullable<Problem['errors']> = [];
  const places = new Map<string, number>();
  const sites = request.sites.flatMap(({ url: given, name, expectStatus = 200, visitor, workload, levels }, place) => {
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
      const own = { ...optional('visitor', visitor), ...optional('workload', workload), ...optional('levels', levels) };
      return [{ url: url.href, name: name ?? defaultSiteName(url), expectStatus, ...own }];
    } catch (error) {
      errors.push({ pointer: `#/sites/${place}/url`, detail: (error as Error).message });
      return [];
    }
  });
  errors.push(
    ...problemsOfVisitors,
    ...authorityErrors(request),
    ...journeyErrors(request),
    ...unperformable(request),
    ...workloadErrors(request, calls),
    ...levelErrors(request),
    ...metricErrors(request),
    ...precisionErrors(request),
  );
  const { conditions, errors: conditionErrors } = resolveConditions(request.conditions ?? ['native'], known);
  errors.push(...conditionErrors);
  const engine = requestedEngine(request);
  const { views = [engine === 'transaction' ? ('warm' as const) : ('cold' as const)] } = request;
  const { rounds: askedRounds, maximumRounds = null } = request.precision === undefined ? request : roundsOfPrecision[request.precision];
  const cells = request.sites.length * conditions.length * views.length;
  const rounds = askedRounds ?? usualRounds(cells, maximumRounds !== null);
  const total = cells * Math.max(rounds, maximumRounds ?? 0);
  if (total > maxRounds) {
    errors.push({
      pointer: '#/rounds',
      detail: `${Math.max(rounds, maximumRounds ?? 0)} rounds of ${request.sites.length} sites, ${conditions.length} conditions and ${views.length} views are ${total} in all; expected at most ${maxRounds}. Ask for fewer, or make several campaigns.`,
    });
  }
  if (views.includes('warm') && request.browser === 'headless-shell' && engine !== 'transaction') {
    errors.push({
      pointer: '#/views',
      detail:
        'A warm visit closes its connections between the two views, which the headless shell cannot. Ask for browser chrome, or for cold views alone.',
    });
  }
  const adjustment = request.adjustment ?? usualAdjustment(cells);
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
    name: request.name ?? defaultCampaignName(sites),
    conditions,
    protocols,
    views,
    rounds,
    engine,
    ...optional('engineOptions', request.engineOptions),
    discovery: request.discovery ?? 'forced',
    isolation: request.isolation ?? 'auto',
    browser: request.browser ?? browsersOf[engine][0],
    primaryMetric: request.primaryMetric ?? usualMetric(request),
    margin: request.margin ?? 0.05,
    adjustment,
    maximumRounds,
    seed: request.seed ?? seed,
    limits: { ...defaultLimits, loadTimeoutMs: 'auto', ...request.limits },
    ...optional('evidence', request.evidence),
    ...optional('netlogs', request.netlogs),
    ...optional('prime', request.prime),
    ...optional('visitor', request.visitor),
    ...optional('workload', request.workload),
  };
  return { spec, sites };
}

/** Where something is wrong with a request, and what. */
export type Errors = NonNullable<Problem['errors']>;

const optional = <K extends string, T>(key: K, value: T | undefined) => (value === undefined ? {} : ({ [key]: value } as Record<K, T>));

function visitorErrors({ visitor, sites }: Pick<CampaignRequest, 'visitor' | 'sites'>, kinds: readonly ReferenceKind[]): Errors {
  const at = (place: string) => (errors: Errors) => errors.map(({ pointer, detail }) => ({ pointer: `#/${place}/${pointer}`, detail }));
  return [
    ...at('visitor')(visitorProblems(visitor ?? {}, kinds)),
    // A site's account may be for the proxy of all.
    ...sites.flatMap((site, place) =>
      at(`sites/${place}/visitor`)(visitorProblems({ ...optional('proxy', visitor?.proxy), ...site.visitor }, kinds)),
    ),
  ];
}

/** The certificates of authorities, which a Chrome would not take. */
function authorityErrors({ visitor, sites }: Pick<CampaignRequest, 'visitor' | 'sites'>): Errors {
  const given = [{ pointer: '#/visitor/ca', visitor }, ...sites.map((site, n) => ({ pointer: `#/sites/${n}/visitor/ca`, ...site }))];
  return given.flatMap(({ pointer, visitor: { ca } = {} }): Errors => {
    const detail = ca === undefined ? undefined : authorityProblem(ca);
    return detail === undefined ? [] : [{ pointer, detail }];
  });
}

/** @param pem has at least one certificate, by its schema. */
function authorityProblem(pem: string): string | undefined {
  for (const [i, text] of pem
    .split(/(?=-----BEGIN CERTIFICATE-----)/)
    .filter((text) => text.startsWith('-----BEGIN'))
    .entries()) {
    let certificate: X509Certificate;
    try {
      certificate = new X509Certificate(text);
    } catch {
      return `Certificate ${i + 1} of the CA can't be read; expected PEM as it was made, with the lines BEGIN CERTIFICATE and END CERTIFICATE.`;
    }
    if (!certificate.ca)
      return `Certificate ${i + 1} of the CA is of ${certificate.subject.replaceAll('\n', ', ').slice(0, 200)}, which is no authority (basicConstraints lacks CA:TRUE). Give the one that signed it.`;
  }
  return undefined;
}

/** What visitors open before the pages of a campaign: each with its URL, and with where that stands. What is not a URL stays as it is. */
export function pagesBefore({ visitor, sites }: Pick<CampaignRequest, 'visitor' | 'sites'>): { pointer: string; url: string }[] {
  return sites.flatMap((site, place) => {
    const whose = site.visitor?.after === undefined ? 'visitor' : `sites/${place}/visitor`;
    const { after = [] } = visitorOf(optional('visitor', visitor), site);
    return after.map((given, at) => ({ pointer: `#/${whose}/after/${at}`, url: URL.parse(given, site.url)?.href ?? given }));
  });
}

function journeyErrors(request: CampaignRequest): Errors {
  const errors = pagesBefore(request).flatMap(({ pointer, url }): Errors => {
    try {
      parseSiteUrl(url);
      return [];
    } catch (error) {
      return [{ pointer, detail: (error as Error).message }];
    }
  });
  const isJourney = [request, ...request.sites].some(({ visitor }) => visitor?.after !== undefined);
  if (isJourney && !(request.views ?? []).includes('warm')) {
    const views = (request.views ?? ['cold']).join(', ');
    errors.push({
      pointer: '#/views',
      detail: `Pages before a page (after) are opened for its warm view alone, and views are ${views}. Ask for views warm, or leave out after.`,
    });
  }
  return errors;
}

function precisionErrors({ precision, rounds, maximumRounds }: CampaignRequest): Errors {
  if (precision === undefined || (rounds === undefined && (maximumRounds ?? null) === null)) return [];
  const given = rounds === undefined ? `maximumRounds ${maximumRounds}` : `rounds ${rounds}`;
  const preset = roundsOfPrecision[precision];
  const means = preset.rounds === undefined ? `at most ${preset.maximumRounds} rounds, until settled` : `${preset.rounds} rounds`;
  return [
    { pointer: '#/precision', detail: `precision ${precision} means ${means}, and the request also has ${given}. Give one of the two.` },
  ];
}

const usualMetric = (request: CampaignRequest): MetricName => mainMetrics({ engine: requestedEngine(request) })[0] as MetricName;

function metricErrors(request: CampaignRequest): Errors {
  const [engine, metric] = [requestedEngine(request), request.primaryMetric];
  if (metric === undefined) return [];
  const times = metricNamesOf({ engine }).filter(isTime);
  const detail = lackingMetric(metric, engine, times) ?? (isTime(metric) ? null : untimedWords(metric, times));
  return detail === null ? [] : [{ pointer: '#/primaryMetric', detail }];
}

const untimedWords = (metric: MetricName, times: readonly MetricName[]): string =>
  `Verdicts are of times, and ${metric} is none. ${metric === 'requestsPerSecond' ? 'Ask for timePerRequest, its reciprocal.' : `Expected one of ${times.join(', ')}.`}`;

function workloadErrors(request: CampaignRequest, calls: CallsPolicy): Errors {
  const engine = requestedEngine(request);
  const given = [
    // Of one without a workload the defaults count too.
    ...(request.workload || engine === 'transaction' ? [{ place: 'workload', workload: request.workload ?? {} }] : []),
    ...request.sites.flatMap((site, n) =>
      site.workload ? [{ place: `sites/${n}/workload`, workload: { ...request.workload, ...site.workload } }] : [],
    ),
  ];
  const ofWorkloads = given.flatMap(({ place, workload }): Errors => {
    if (engine !== 'transaction')
      return [
        {
          pointer: `#/${place}`,
          detail: `A workload is of the engine transaction, and the engine is ${engine}. Ask for that engine, or leave it out.`,
        },
      ];
    const ofChrome = (request.browser ?? 'none') === 'none' ? [] : chromeProblems(workload);
    return [...workloadProblems(workload, calls.limits), ...ofChrome].map(({ pointer, detail }) => ({
      pointer: `#/${place}/${pointer}`,
      detail,
    }));
  });
  const ofSites = engine !== 'transaction' ? [] : request.sites.flatMap(({ url }, n) => loadErrors(url, `#/sites/${n}/url`, calls));
  return [...ofWorkloads, ...ofSites];
}

/** Whether a site may be loaded at all. What is not a URL is told elsewhere. */
function loadErrors(given: string, pointer: string, calls: CallsPolicy): Errors {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) return [];
  if (url.protocol === 'http:')
    return [{ pointer, detail: `${url.href} is plain http, and REST calls are sent over TLS by every protocol. Give its https URL.` }];
  const detail = escapeProblem(`${url.pathname}${url.search}`) ?? callsHostProblem(url.href, calls);
  return detail === undefined ? [] : [{ pointer, detail }];
}

/** What an engine can't do yet that puppeteer can. */
function beyondEngine(request: CampaignRequest): Errors {
  const engine = requestedEngine(request);
  const driven: readonly Browser[] = browsersOf[engine];
  const { browser = browsersOf[engine][0], views = [], isolation = 'auto' } = request;
  const lacks = (pointer: string, isMissing: boolean, what: string, instead: string): Errors =>
    isMissing ? [{ pointer, detail: `The engine ${engine} ${what}. Ask for ${instead}.` }] : [];
  const drives = lacks(
    '#/browser',
    !driven.includes(browser),
    `does not drive ${browser}`,
    `${driven.join(' or ')}, or for another engine`,
  );
  const options = lacks(
    '#/engineOptions',
    request.engineOptions !== undefined && engine !== 'browsertime',
    'has no options',
    'the engine browsertime with them',
  );
  if (engine === 'puppeteer') return [...drives, ...options];
  const isSpecial = request.visitor !== undefined || request.sites.some(({ visitor }) => visitor !== undefined);
  return [
    ...drives,
    ...options,
    ...lacks(
      '#/views',
      views.includes('warm') && engine !== 'transaction',
      'makes no repeat views',
      'cold views alone, or for the engine puppeteer',
    ),
    ...lacks(
      '#/netlogs',
      request.netlogs === true && engine !== 'firefox',
      'records no netlogs',
      'the engine puppeteer or firefox with them',
    ),
    ...lacks('#/prime', request.prime === true && engine === 'transaction', 'loads no page', 'an engine that loads pages'),
    ...lacks('#/visitor', isSpecial, 'knows no visitors with logins, devices or steps', 'the engine puppeteer'),
    ...lacks(
      '#/isolation',
      isolation === 'context' || isolation === 'container',
      'starts a browser for each visit, without contexts or containers',
      'isolation process, or for the engine puppeteer',
    ),
  ];
}

/** What this browser or this isolation lacks. */
function unperformable(request: CampaignRequest): Errors {
  const visitors = request.sites.map((site) => visitorOf(optional('visitor', request.visitor), site));
  const lacks = (isMissing: boolean, detail: string): Errors => (isMissing ? [{ pointer: '#/visitor', detail }] : []);
  return [
    ...beyondEngine(request),
    ...lacks(
      request.browser === 'headless-shell' && visitors.some(({ ca, clientCertificate }) => (ca ?? clientCertificate) !== undefined),
      'The headless shell has no store for certificates of your own. Ask for browser chrome with a CA or a client certificate.',
    ),
    ...request.sites.flatMap(({ url }, place) => {
      const { cookies = [], steps = [] } = visitors[place] ?? {};
      const names = [...cookies.map(({ name }) => name), ...steps.flatMap((step) => ('cookie' in step ? step.cookie : []))];
      const name = names.find((name) => /^__(host|secure)-/i.test(name));
      return lacks(
        name !== undefined && URL.parse(url)?.protocol === 'http:',
        `The cookie ${JSON.stringify(name)} is for https alone by its name, and ${url} is plain http. Give the page's https URL, or the cookie another name.`,
      );
    }),
    ...lacks(
      request.isolation === 'container' && visitors.some(({ steps = [] }) => steps.length > 0),
      'Steps are not taken where each visit has a container of its own. Ask for isolation context or process.',
    ),
  ];
}

/**
 * @param kinds of references that can be followed where the campaign is performed.
 * @throws ProblemError invalid-campaign that names each reference of another kind.
 */
export function assertReferences({ spec, sites }: CompleteCampaign, kinds: readonly ReferenceKind[]): void {
  const errors = visitorErrors({ ...spec, sites }, kinds);
  if (errors.length > 0) throw new ProblemError('invalid-campaign', errors.map(({ detail }) => detail).join(' '), errors);
}

/** What to call a campaign that was given no name. */
export function defaultCampaignName([first, ...others]: readonly { name: string }[]): string {
  const { name } = first ?? { name: '' };
  return others.length === 0 ? name : `${name.slice(0, 180)} and ${others.length} more`;
}
