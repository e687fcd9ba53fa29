// The file that says what is measured and what must hold: pronghorn.json.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type GateCampaign, GateFile, type GateRules, type GateSite, gateProblems, type SiteRequest } from '@pronghorn/core';
import Value from 'typebox/value';
import { reasonOf, UsageError } from '../data.ts';
import type { Target } from '../local/targets.ts';

/**
 * Reads and checks a gate's file.
 *
 * @throws UsageError that names the file, the place in it, what was found and what was expected
 */
export function readGateFile(file: string): GateFile {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? `it is not JSON: ${error.message}` : reasonOf(error);
    throw new UsageError(`The gate's file ${file} can't be read: ${why}. Name another with --config; docs/gates.md shows one.`);
  }
  const faults = Value.Check(GateFile, content)
    ? gateProblems(rulesOf(content)).map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`)
    : faultsOf(content);
  if (faults.length > 0) throw new UsageError(`The gate's file ${file} is wrong at ${faults.slice(0, 5).join('; at ')}`);
  return content as GateFile;
}

/** Of an assertion, in which every form is wrong in its own way, only the faults of its kind are told. */
function faultsOf(content: unknown): string[] {
  const errors = [...Value.Errors(GateFile, content)];
  const precise = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'const' && keyword !== 'type');
  return (precise.length > 0 ? precise : errors).map(({ instancePath, message, keyword, params }) => {
    const unknown =
      keyword === 'additionalProperties'
        ? ` (${[(params as { additionalProperties?: unknown }).additionalProperties].flat().join(', ')})`
        : '';
    return `${instancePath === '' ? 'its top' : instancePath}: it ${message}${unknown}`;
  });
}

/** What of a file decides. */
export function rulesOf({ assertions, baseline, confidence, decide }: GateFile): GateRules {
  return {
    assertions,
    ...(baseline === undefined ? {} : { baseline }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(decide === undefined ? {} : { decide }),
  };
}

/** What of a file is measured, but for its sites. */
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

/** A folder of the file is meant from where the file is. */
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
    `The folder ${target.folder} is on this machine alone, where a service's runners are not: measure it here, without --api.`,
  );
}
