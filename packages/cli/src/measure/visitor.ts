// Makes a campaign's visitor of options.

import { type SiteRequest, Step, type Visitor } from '@pronghorn/core/schemas';
import { http3Barrier, referableTexts, referenceOf, visitorProblems } from '@pronghorn/core/visitor';
import { missingVariable } from '@pronghorn/runner';
import { Value } from 'typebox/value';
import { defined } from '../options/values.ts';
import type { VisitorOptions } from '../options/visit.ts';
import { UsageError } from '../program/errors.ts';
import { readJson, readText } from '../program/files.ts';

/**
 * @returns undefined for the usual visitor
 * @throws UsageError where a file can't be read, or a value is invalid
 */
export function visitorOfOptions(options: VisitorOptions): Visitor | undefined {
  const { header, cookie, block, ownHost, ca, steps, after } = options;
  const {
    userAgent,
    basicAuth,
    clientCert: clientCertificate,
    proxy,
    proxyAuth,
    firstPartyOnly,
    device,
    viewport,
    cpuSlowdown,
    language,
  } = options;
  const visitor: Visitor = {
    ...defined({ userAgent, basicAuth, clientCertificate, proxy, proxyAuth, firstPartyOnly, device, viewport, cpuSlowdown, language }),
    ...(header.length > 0 ? { headers: header } : {}),
    ...(cookie.length > 0 ? { cookies: cookie } : {}),
    ...(block.length > 0 ? { block } : {}),
    ...(ownHost.length > 0 ? { ownHosts: ownHost } : {}),
    ...(ca === undefined ? {} : { ca: readText(ca, '--ca') }),
    ...(steps === undefined ? {} : { steps: readSteps(steps) }),
    ...(after.length > 0 ? { after } : {}),
  };
  // Checked before anything is started, and reported in terms of options.
  const [problem] = visitorProblems(visitor, ['env', 'file']);
  if (problem !== undefined) throw new UsageError(problem.detail);
  return Object.keys(visitor).length === 0 ? undefined : visitor;
}

/** @throws UsageError where a variable with a secret of the visitor is not set: each visit would fail */
export function checkVariables(visitor: Visitor = {}): void {
  for (const { text } of referableTexts(visitor)) {
    const reference = referenceOf(text);
    const lacks = reference?.kind === 'env' ? missingVariable(reference.name) : undefined;
    if (lacks !== undefined) throw new UsageError(lacks);
  }
}

function readSteps(file: string): Step[] {
  const hint = ' docs/pages.md shows one.';
  const steps = readJson(file, '--steps', hint);
  if (!Array.isArray(steps)) throw new UsageError(`--steps ${file} has no list; expected [{ "goto": "/login" }, …].${hint}`);
  for (const [i, step] of steps.entries()) {
    const fault = stepFault(step);
    if (fault !== undefined) throw new UsageError(`--steps ${file}: step ${i + 1} ${fault}.${hint}`);
  }
  return steps;
}

/** Follows the number of the step. A union fails for each of its kinds: only the fault of the kind that the step names is reported. */
function stepFault(step: unknown): string | undefined {
  if (Value.Check(Step, step)) return undefined;
  const isObject = step !== null && typeof step === 'object' && !Array.isArray(step);
  const kinds = Object.fromEntries(Step.anyOf.map((kind) => [Object.keys(kind.properties)[0] ?? '', kind]));
  const [name, kind] = Object.entries(kinds).find(([name]) => isObject && name in step) ?? [];
  if (kind === undefined) return `is not valid; expected an object with one of ${Object.keys(kinds).join(', ')}`;
  const [{ instancePath = '', message = '', keyword = '' } = {}] = Value.Errors(kind, step);
  const place = instancePath.slice(1);
  if (keyword === 'boolean') return `(${name}) has ${place}, which is unknown`;
  return `(${name}) is wrong${place === '' ? '' : ` at ${place}`}: it ${message}`;
}

/** Each page follows those before it; the first follows none. */
export const journeyOf = (sites: readonly SiteRequest[]): SiteRequest[] =>
  sites.map((site, place) => ({ ...site, visitor: { ...site.visitor, after: sites.slice(0, place).map(({ url }) => url) } }));

/** Warnings before a campaign with a visitor starts. */
export function visitorWarnings(visitor: Visitor | undefined, protocols: readonly string[]): string[] {
  const barrier = protocols.includes('h3') ? http3Barrier(visitor ?? {}) : undefined;
  return barrier === undefined ? [] : [`${barrier} Its visits will be invalid as protocol-unavailable. Use --protocols h1,h2.`];
}
