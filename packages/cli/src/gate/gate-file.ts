// pronghorn.json: what a gate measures, and what must hold.

import { dirname, resolve } from 'node:path';
import { gateProblems } from '@pronghorn/core/campaign';
import { type GateCampaign, GateFile, GateReport, type GateRules, type GateSite, type SiteRequest } from '@pronghorn/core/schemas';
import { isOneSlip, metricMeant } from '@pronghorn/core/text';
import { type Engine, requestedEngine } from '@pronghorn/core/vocabulary';
import Value from 'typebox/value';
import type { Target } from '../local/targets.ts';
import { UsageError } from '../program/errors.ts';
import { readJson } from '../program/files.ts';
import type { GateSchema } from './gate-options.ts';

/**
 * Reads and checks a gate's file.
 *
 * @param judged true where an existing campaign is judged: its engine may be another, unless the file names one
 * @throws UsageError that names the file, the place in it, its value and what was expected
 */
export function readGateFile(file: string, judged = false): GateFile {
  const content = readJson(file, "The gate's file", ' Name another with --config; docs/gates.md shows one.');
  const faults = Value.Check(GateFile, content)
    ? problemsOf(content.assertions, engineOf(content, judged))
    : [...faultsOf(content), ...problemsOf(linesOf(content))];
  if (faults.length > 0) throw new UsageError(`The gate's file ${file} is wrong at ${faults.slice(0, maxFaults).join('\n  and at ')}`);
  return content as GateFile;
}

const maxFaults = 30;

function engineOf(file: GateFile, judged: boolean): Engine | undefined {
  const says = [file.engine, file.browser, file.workload, file.sites].some((part) => part !== undefined);
  return judged && !says ? undefined : requestedEngine(file);
}

const problemsOf = (assertions: GateFile['assertions'], engine?: Engine): string[] =>
  gateProblems({ assertions }, undefined, engine).map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`);

/** The assertions of an invalid file that are lines, each at its index; a valid one stands in for everything else. */
function linesOf(content: unknown): string[] {
  const { assertions } = (content ?? {}) as { assertions?: unknown };
  if (!Array.isArray(assertions)) return [];
  return assertions.map((one) => (typeof one === 'string' && one !== '' ? one : 'onLoad <= 1 s'));
}

/** For an assertion, which each form refuses for its own reason, only the faults of its kind. */
function faultsOf(content: unknown): string[] {
  const errors = [...Value.Errors(GateFile, content)];
  // An unknown property is reported twice, once as a schema that is false.
  const precise = errors.filter(({ keyword }) => !['anyOf', 'const', 'type', 'boolean'].includes(keyword));
  return (precise.length > 0 ? precise : errors).map(({ instancePath, message, keyword, params }) => {
    const unknown =
      keyword === 'additionalProperties'
        ? ` (${[(params as { additionalProperties?: unknown }).additionalProperties].flat().map(withMeant).join(', ')})`
        : '';
    const given = instancePath.endsWith('/metric') ? Value.Pointer.Get(content, instancePath) : undefined;
    const meant = typeof given === 'string' ? metricMeant(given) : undefined;
    return `${instancePath === '' ? 'its top' : instancePath}: it ${message}${unknown}${meant === undefined ? '' : `; "${given}" is none: did you mean ${meant}?`}`;
  });
}

/** The name of an unknown property, with the known one that it is a slip of. */
function withMeant(given: unknown): string {
  const meant = Object.keys(GateFile.properties).find((name) => isOneSlip(name, String(given)));
  return meant === undefined ? String(given) : `${given}: did you mean ${meant}?`;
}

export function rulesOf({ assertions, baseline, confidence, decide }: GateFile): GateRules {
  return {
    assertions,
    ...(baseline === undefined ? {} : { baseline }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(decide === undefined ? {} : { decide }),
  };
}

/** The campaign of a file, without its sites. */
export function campaignOf(file: GateFile): Omit<GateCampaign, 'sites'> {
  const {
    $schema: _,
    assertions: __,
    baseline: ___,
    confidence: ____,
    decide: _____,
    exitCodes: ______,
    sites: _______,
    ...campaign
  } = file;
  return campaign;
}

/** Folders are relative to the file. */
export function siteOf({ url, folder, page, fallback, ...site }: GateSite, file: string): Target {
  if ((url === undefined) === (folder === undefined))
    throw new UsageError(
      `The gate's file ${file} has a site with ${url === undefined ? 'neither url nor' : 'url and'} folder; expected either url or folder.`,
    );
  if (folder === undefined) return { ...site, url: url as string };
  return { ...site, folder: resolve(dirname(file), folder), page: page ?? '/', ...(fallback === undefined ? {} : { fallback }) };
}

/** @throws UsageError for what a service can't measure */
export function inTheWorld(target: Target): SiteRequest {
  if ('url' in target) return target;
  throw new UsageError(
    `The folder ${target.folder} is on this machine, where the service's runners cannot read it: measure it here, without --api.`,
  );
}

const schemas = { file: GateFile, report: GateReport };

/** `./pronghorn gate --schema > docs/pronghorn.schema.json` updates the file, `--schema report > docs/gate-report.schema.json` the other. */
export const gateSchema = (of: GateSchema): string =>
  `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schemas[of] }, null, 2)}\n`;
