// Makes a campaign's request of options: conditions, visits, workload.

import { checkCondition, isLossy, withBaseRtt } from '@pronghorn/core/network';
import { type CampaignRequest, Condition, type EvidencePolicy, type Workload } from '@pronghorn/core/schemas';
import { nameMeant } from '@pronghorn/core/text';
import { conditionSets, expandSets } from '@pronghorn/core/vocabulary';
import Value from 'typebox/value';
import type { LocalService } from '../connection/local-service.ts';
import {
  type ConditionedOptions,
  type Exports,
  type LinkingOptions,
  linkWishes,
  type MeasuringOptions,
  type VisitingOptions,
} from '../options/measuring.ts';
import { defined, meantWords } from '../options/values.ts';
import type { WorkloadOptions } from '../options/visit.ts';
import { UsageError } from '../program/errors.ts';
import { dataFolder, readJson } from '../program/files.ts';
import type { MeasureOptions } from './perform.ts';
import { checkVariables, visitorOfOptions, visitorWarnings } from './visitor.ts';

/** @param usual the names where the options have none */
export function conditionWishes({ conditions, condition, baseRtt }: ConditionedOptions, usual: readonly string[]): ConditionWishes {
  const list = [...(conditions ?? []), ...condition.flatMap(conditionsOfFile)];
  return { list: list.length === 0 ? usual : list, baseRttMs: baseRtt };
}

export function measureOptions(
  options: Exports & LinkingOptions & { evidence: EvidencePolicy | boolean; verbose?: true; data?: string },
): MeasureOptions {
  const { evidence, verbose = false } = options;
  return { data: dataFolder(options.data), exports: options, keepEvidence: evidence !== false, verbose, link: linkWishes(options) };
}

/** Makes the request once the sites are known. @throws UsageError on options that no visitor can have: before anything is started */
type RequestOf = (sites: CampaignRequest['sites']) => CampaignRequest;

export function requestOf(options: MeasuringOptions): RequestOf {
  const { precision } = options;
  // A command's own number of rounds is no choice of the user's.
  const visits = visitsOf(precision === undefined ? options : withoutRounds(options));
  const workload = workloadOfOptions(options);
  const { metric: primaryMetric, adjust: adjustment, netlogs, prime, untilSettled } = options;
  const maximumRounds = untilSettled === undefined ? undefined : maximumRoundsOf(options);
  return (sites) => ({
    ...visits(sites),
    ...defined({ primaryMetric, workload }),
    margin: options.margin / 100,
    ...defined({ adjustment, netlogs, prime, maximumRounds, precision }),
  });
}

const withoutRounds = ({ rounds: _, ...options }: MeasuringOptions): VisitingOptions => options;

export function visitsOf(options: VisitingOptions): RequestOf {
  const visitor = visitorOfOptions(options);
  checkVariables(visitor);
  for (const warning of visitorWarnings(visitor, options.protocols)) console.error(`pronghorn: ${warning}`);
  const { protocols, rounds, view: views, discovery, isolation, engine, browser, timeout, seed, evidence } = options;
  const limits = {
    quietMs: options.quiet,
    settleMaxMs: Math.round(options.settle * 1_000),
    foreignCpuShare: options.busy,
    ...(timeout === undefined ? {} : { loadTimeoutMs: Math.round(timeout * 1_000) }),
  };
  return (sites) => ({
    ...{ sites, protocols },
    ...defined({ rounds, views }),
    ...{ discovery, isolation },
    ...defined({ engine, engineOptions: engineOptionsOf(options), browser }),
    limits,
    ...defined({ seed, evidence: evidence === 'always' ? undefined : evidence || ('never' as const), visitor }),
  });
}

function engineOptionsOf({ video, browsertimeDefaults }: VisitingOptions): CampaignRequest['engineOptions'] {
  if (video && browsertimeDefaults === undefined) return undefined;
  return { ...(video ? {} : { video }), ...(browsertimeDefaults === undefined ? {} : { waits: 'browsertime' as const }) };
}

/** Without a number: enough to settle most differences of 10 %, and more than the first look. */
const maximumRoundsOf = ({ untilSettled, rounds = 0 }: MeasuringOptions): number =>
  typeof untilSettled === 'number' ? untilSettled : Math.max(60, 3 * rounds);

/** The workload of the options; undefined: none given. */
function workloadOfOptions(options: WorkloadOptions): Workload | undefined {
  const { method, body, path, users, requests, rate, poisson, connections, shared, earlyData, requestTimeout } = options;
  const workload: Workload = {
    ...(method && { method }),
    ...(body !== undefined && { bodyBytes: body }),
    ...(path && { paths: path }),
    ...(rate !== undefined
      ? { mode: 'rate' as const, requestsPerSecond: rate }
      : options.for !== undefined
        ? { mode: 'duration' as const }
        : {}),
    ...(users !== undefined && { users }),
    ...(requests !== undefined && { requests }),
    ...(options.for !== undefined && { seconds: options.for }),
    ...(poisson && { arrivals: 'poisson' as const }),
    ...(connections && { connections }),
    ...(shared !== undefined && { shared }),
    ...(earlyData && { earlyData }),
    ...(requestTimeout !== undefined && { requestTimeoutMs: Math.round(requestTimeout * 1_000) }),
  };
  return Object.keys(workload).length === 0 ? undefined : workload;
}

export interface ConditionWishes {
  list: readonly (string | Condition)[];
  /** Base round trip of every lossy condition, instead of its own. */
  baseRttMs: number | undefined;
}

/**
 * @returns `requested` as a campaign's request takes them, `complete` with every number
 * @throws UsageError for an unknown name
 */
export async function resolveConditions(
  service: LocalService,
  { list, baseRttMs }: ConditionWishes,
): Promise<{ requested: (string | Condition)[]; complete: Condition[] }> {
  const requested: (string | Condition)[] = [];
  const complete: Condition[] = [];
  for (const { request: wish } of expandSets(list)) {
    const known = typeof wish === 'string' ? await named(service, wish) : wish;
    const changes = baseRttMs !== undefined && isLossy(known) && known.baseRttMs !== baseRttMs;
    const condition = changes ? withBaseRtt(known, baseRttMs) : known;
    complete.push(condition);
    requested.push(changes ? condition : wish);
  }
  return { requested, complete };
}

async function named(service: LocalService, name: string): Promise<Condition> {
  try {
    return await service.ask('GET /conditions/{name}', { name });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const names = (await service.conditions()).map((one) => one.name);
    const sets = conditionSets.map((set) => set.name);
    throw new UsageError(
      `${error.message}${meantWords(nameMeant(name, [...names, ...sets]))} Known conditions: ${names.join(', ')}; sets of them: ${sets.join(', ')}. ` +
        './pronghorn conditions describes each; --condition takes your own.',
    );
  }
}

/**
 * Reads a file with one condition or a list of them.
 *
 * @throws UsageError that names the file and the place in it
 */
export function conditionsOfFile(file: string): Condition[] {
  const content = readJson(file, 'The condition file', ' Names such as 4g go to --conditions.');
  const list = Array.isArray(content) ? content : [content];
  return list.map((one, place) => {
    const faults = Value.Check(Condition, one)
      ? checkCondition(one).map(({ pointer, detail }) => ({ pointer, detail }))
      : [...Value.Errors(Condition, one)].slice(0, 1).map(({ instancePath, message }) => ({ pointer: instancePath, detail: message }));
    const [fault] = faults;
    if (fault === undefined) return one as Condition;
    const where = `${Array.isArray(content) ? `/${place}` : ''}${fault.pointer}`;
    throw new UsageError(
      `The condition file ${file} is wrong at ${where === '' ? 'its top' : where}: ${fault.detail} ` +
        './pronghorn conditions --json shows the format.',
    );
  });
}
