// A gate’s answer for tools: JUnit XML, and SARIF and GitLab Code Quality, with a path and a line for each check.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { type GateOutcome, version } from '@pronghorn/core/vocabulary';
import { create } from 'xmlbuilder2';
import { checkedCells, nameOf, type Reported, sourceName, warningsOf, wordsOf } from './reported.ts';

/**
 * A test suite for each site, condition and view, a test case for each check. JUnit has no schema of its own; elements, attributes and their order are
 * those that Jenkins and GitLab read alike (github.com/testmoapp/junitxml). Unmeasured checks are failures of that type, since no other test reports
 * that a page is down; they are skipped where their exit code is that of a pass. Inconclusive checks are skipped; they are failures of that type
 * where their exit code is that of a failure.
 */
export function junitReport(reported: Reported): string {
  const { campaign, result, exitCodes } = reported;
  const cells = checkedCells(reported);
  const stopping = {
    ...{ pass: false, fail: true, inconclusive: exitCodes.inconclusive === exitCodes.fail },
    unmeasured: exitCodes.unmeasured !== exitCodes.pass,
  };
  const countsOf = (checks: typeof result.checks) => {
    const failures = checks.filter(({ outcome }) => stopping[outcome]).length;
    const passes = checks.filter(({ outcome }) => outcome === 'pass').length;
    return { tests: checks.length, failures, errors: 0, skipped: checks.length - failures - passes };
  };
  const invalidCharReplacement = '\ufffd';
  const root = create({ version: '1.0', encoding: 'UTF-8', invalidCharReplacement }).ele('testsuites', {
    name: `Pronghorn gate: ${campaign.spec.name}`,
    ...countsOf(result.checks),
  });
  const warnings = warningsOf(reported).join('\n');
  for (const { site, condition, view, checks } of cells) {
    const suite = root.ele('testsuite', {
      name: `${site.name}, ${condition}, ${view}`,
      ...countsOf(checks),
      timestamp: (campaign.finishedAt ?? campaign.createdAt).replace(/\.\d+Z$/, ''),
    });
    const properties = suite.ele('properties');
    const { commit, branch, buildUrl } = campaign.annotations;
    for (const [name, value] of Object.entries({
      url: site.url,
      campaign: campaign.id,
      commit,
      branch,
      buildUrl,
      decide: result.decide,
      gate: result.words,
    }))
      if (value !== undefined) properties.ele('property', { name, value });
    for (const check of checks) {
      const test = suite.ele('testcase', { name: nameOf(result, check), classname: `${site.name}.${condition}.${view}` });
      outcomeOf(test, check, stopping[check.outcome]);
    }
    if (warnings !== '') suite.ele('system-err').txt(warnings);
  }
  return `${root.end({ prettyPrint: true })}\n`;
}

type Element = ReturnType<typeof create>;

function outcomeOf(test: Element, check: Reported['result']['checks'][number], stops: boolean): void {
  const words = wordsOf(check);
  if (check.outcome === 'pass') test.ele('system-out').txt(words);
  else if (!stops) test.ele('skipped', { message: words });
  else test.ele('failure', { message: words, type: check.outcome }).txt(words);
}

interface LocatedCheck {
  outcome: Exclude<GateOutcome, 'pass'>;
  /** The assertion's text. */
  assertion: string;
  /** The result, and where. */
  words: string;
  /** The gate's file, relative to the working folder; the name of a stored gate. */
  path: string;
  /** From 1. */
  line: number;
  /** The same for the same check in every run. */
  fingerprint: string;
}

/** All checks that do not pass. */
function locatedChecks(reported: Reported): LocatedCheck[] {
  const { source, result } = reported;
  const name = sourceName(source);
  const path = ('file' in source && isAbsolute(name) ? relative(process.cwd(), name) : name).replace(/^\.\//, '');
  const lines = 'file' in source ? assertionLines(name, result.assertions.length) : [];
  return checkedCells(reported).flatMap(({ site, condition, view, checks }) =>
    checks.flatMap((check): LocatedCheck[] => {
      if (check.outcome === 'pass') return [];
      const named = nameOf(result, check);
      const key = [path, site.name, condition, view, named].join('\0');
      return [
        {
          outcome: check.outcome,
          assertion: result.assertions[check.assertion] ?? named,
          words: `${site.name}, ${condition}, ${view}: ${wordsOf(check)}`,
          ...{ path, line: lines[check.assertion] ?? 1 },
          fingerprint: createHash('sha256').update(key).digest('hex'),
        },
      ];
    }),
  );
}

/** The lines of the file's assertions, in order; 1 where unknown. */
function assertionLines(file: string, count: number): number[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  const { assertions = [] } = JSON.parse(text) as { assertions?: unknown[] };
  let from = Math.max(0, text.indexOf('"assertions"') + '"assertions"'.length);
  return assertions.slice(0, count).map((assertion) => {
    // An object starts at its brace.
    const written = typeof assertion === 'string' ? JSON.stringify(assertion) : '{';
    const at = text.indexOf(written, from);
    if (at === -1) return 1;
    from = at + (typeof assertion === 'string' ? written.length : lengthOfObject(text.slice(at)));
    return text.slice(0, at).split('\n').length;
  });
}

/** Up to its closing brace; braces within strings don't count. */
function lengthOfObject(text: string): number {
  let depth = 0;
  for (const { 0: mark, index } of text.matchAll(/"(?:\\.|[^"\\])*"|[{}]/g)) {
    depth += mark === '{' ? 1 : mark === '}' ? -1 : 0;
    if (depth === 0) return index + 1;
  }
  return text.length;
}

const levels = { fail: 'error', unmeasured: 'error', inconclusive: 'note' } as const;

export function sarifReport(reported: Reported): string {
  const checks = locatedChecks(reported);
  const rules = [...new Set(checks.map(({ assertion }) => assertion))];
  const run = {
    tool: {
      driver: {
        ...{ name: 'Pronghorn gate', version, semanticVersion: version },
        rules: rules.map((id) => ({ id, shortDescription: { text: id }, properties: { tags: ['performance'] } })),
      },
    },
    invocations: [
      {
        executionSuccessful: true,
        toolExecutionNotifications: warningsOf(reported).map((words) => ({ level: 'warning', message: { text: words } })),
      },
    ],
    automationDetails: { id: `pronghorn-gate/${sourceName(reported.source)}` },
    results: checks.map(({ outcome, assertion, words, path, line, fingerprint }) => ({
      ...{ ruleId: assertion, ruleIndex: rules.indexOf(assertion), level: levels[outcome], message: { text: words } },
      locations: [{ physicalLocation: { artifactLocation: { uri: encodeURI(path) }, region: { startLine: line } } }],
      partialFingerprints: { 'pronghornGate/v1': fingerprint },
    })),
  };
  return `${JSON.stringify({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

/** GitLab's widget sorts by them. */
const severities = { fail: 'major', unmeasured: 'major', inconclusive: 'info' } as const;

export const codeQualityReport = (reported: Reported): string =>
  `${JSON.stringify(
    locatedChecks(reported).map(({ outcome, assertion, words, path, line, fingerprint }) => ({
      ...{ type: 'issue', check_name: 'pronghorn-gate', description: `${outcome}: ${assertion}: ${words}`, severity: severities[outcome] },
      ...{ categories: ['Performance'], fingerprint, location: { path, lines: { begin: line } } },
    })),
    null,
    2,
  )}\n`;
