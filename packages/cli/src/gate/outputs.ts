// Writes a gate’s answer: one form to standard output, any to files, Markdown to GitHub’s job summary, the outcome for later steps. Also the forms
// for people: text for a terminal, GitHub-flavoured Markdown for a job’s summary or a comment.

import { appendFileSync, writeFileSync } from 'node:fs';
import { styleText } from 'node:util';
import type { GateCheck, GateReport, GateResult } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import type { GateOutcome } from '@pronghorn/core/vocabulary';
import { mustBeWritable } from '../program/files.ts';
import { dim, plain, wrap, yellow } from '../program/terminal.ts';
import type { GateFormat } from './gate-options.ts';
import { baselineWords, checkedCells, exitCodeOf, forcedWords, nameOf, type Reported, warningsOf, wordsOf } from './reported.ts';
import { codeQualityReport, junitReport, sarifReport } from './tool-reports.ts';

export interface Outputs {
  format: GateFormat;
  json?: string;
  junit?: string;
  markdown?: string;
  codequality?: string;
  sarif?: string;
  /** Appends to the file that GITHUB_STEP_SUMMARY names, if any. */
  summary: boolean;
}

const fileForms = {
  json: ({ campaign, result, exitCodes, url }: Reported): string => {
    const report: GateReport = { outcome: result.outcome, exitCode: exitCodeOf(result, exitCodes), url, result, campaign };
    return `${JSON.stringify(report, null, 2)}\n`;
  },
  junit: junitReport,
  markdown: markdownReport,
  codequality: codeQualityReport,
  sarif: sarifReport,
};
const forms: Record<GateFormat, (reported: Reported) => string> = { text: (reported) => `${textReport(reported)}\n`, ...fileForms };
const fileFormNames = Object.keys(fileForms) as (keyof typeof fileForms)[];

/** Called before anything is measured. @throws UsageError naming the option and the path that can't be written */
export function checkOutputs(outputs: Outputs): void {
  for (const form of fileFormNames) mustBeWritable(form, outputs[form]);
}

/** For later steps of a GitHub job, whose variable names the file. Values are kept to one line, so that a service's text can't add outputs. */
export function writeStepOutputs(outcome: string, campaign: string, url: string | null, file = process.env.GITHUB_OUTPUT): void {
  if (file) appendFileSync(file, `outcome=${outcome}\ncampaign=${plain(campaign)}\nreport=${plain(url ?? '')}\n`);
}

export function writeOutputs(outputs: Outputs, reported: Reported, summaryFile = process.env.GITHUB_STEP_SUMMARY): void {
  for (const form of fileFormNames) {
    const path = outputs[form];
    if (path !== undefined) writeFileSync(path, fileForms[form](reported));
  }
  if (outputs.summary && summaryFile) appendFileSync(summaryFile, markdownReport(reported));
  process.stdout.write(forms[outputs.format](reported));
}

const marks: Record<GateOutcome, string> = { pass: 'pass', fail: 'FAIL', inconclusive: '?', unmeasured: '!' };
const styles: Record<GateOutcome, 'green' | 'red' | 'yellow'> = { pass: 'green', fail: 'red', inconclusive: 'yellow', unmeasured: 'red' };

const answers: Partial<Record<GateOutcome, string>> = { fail: marks.fail, unmeasured: 'UNMEASURED' };

export function textReport(reported: Reported): string {
  const { result, campaign, url } = reported;
  const answer = styleText(['bold', styles[result.outcome]], `Gate: ${answers[result.outcome] ?? result.outcome}`);
  // The counts don't say this.
  const more = result.state !== 'done' || result.decide === 'point' || result.outcome === 'unmeasured' ? [wrap(result.words)] : [];
  const sites =
    campaign.sites.length > maxSites ? [] : campaign.sites.map((site) => styleText('dim', `${plain(site.name)}  ${plain(site.url)}`));
  const notes = [baselineWords(result), forcedWords(reported), url === null ? '' : `All numbers: ${url}`].filter((line) => line !== '');
  const parts = [
    [`${answer} (${countsOf(result)})`, ...more, ...sites],
    (['fail', 'unmeasured', 'inconclusive', 'pass'] as const).flatMap((outcome) => linesOf(reported, outcome)),
    warningsOf(reported).map(yellow),
    notes.map(dim),
  ];
  return parts.flatMap((lines) => (lines.length === 0 ? [] : [lines.join('\n')])).join('\n\n');
}

const maxSites = 5;
const indent = 6;
const width = () => Math.min(process.stdout.columns || 100, 100);

/** 1 of 5 checks, 1 unmeasured, 1 inconclusive. */
function countsOf({ outcome, counts }: GateResult): string {
  const all = counts.pass + counts.fail + counts.inconclusive + counts.unmeasured;
  const of = counts[outcome] === all ? (all === 1 ? '1 check' : `all ${all} checks`) : `${counts[outcome]} of ${counted(all, 'check')}`;
  const others = (['unmeasured', 'inconclusive'] as const).filter((one) => one !== outcome && counts[one] > 0);
  return [of, ...others.map((one) => `${counts[one]} ${one}`)].join(', ');
}

type CheckAt = { where: string; check: GateCheck };

/** The checks of an outcome. Checks that pass the same assertion share a line, and so do checks with the same text. */
function linesOf(reported: Reported, outcome: GateOutcome): string[] {
  const located = checkedCells(reported).flatMap(({ site, condition, view, checks }) =>
    checks.filter((check) => check.outcome === outcome).map((check): CheckAt => ({ where: `${site.name}, ${condition}, ${view}`, check })),
  );
  const alike = Map.groupBy(located, ({ check }) =>
    outcome === 'pass' ? `${check.assertion} ${check.min === null}` : `${nameOf(reported.result, check)} ${check.words}`,
  );
  return [...alike.values()].map((those) => {
    const words = wrap(lineOf(reported.result, outcome, those), width() - indent).split('\n');
    const mark = styleText(styles[outcome], marks[outcome].padEnd(indent));
    return words.map((line, place) => (place === 0 ? mark : ' '.repeat(indent)) + line).join('\n');
  });
}

function lineOf(result: GateResult, outcome: GateOutcome, located: readonly CheckAt[]): string {
  // Of passing checks, the one nearest to its limit.
  const [first] = outcome === 'pass' ? [...located].sort((a, b) => b.check.pPass - a.check.pPass) : located;
  if (first === undefined) return '';
  const { where, check } = first;
  const others = located.length - 1;
  if (others === 0) return `${nameOf(result, check)} at ${where}\n${wordsOf(check)}`;
  return outcome === 'pass'
    ? `${result.assertions[check.assertion]} in ${located.length} cells\nNearest to the limit: ${where}: ${wordsOf(check)}`
    : `${nameOf(result, check)} at ${where} and ${others} more\n${wordsOf(check)}`;
}

const emojis: Record<GateOutcome, string> = {
  pass: '✅ pass',
  fail: '❌ fail',
  inconclusive: '❔ inconclusive',
  unmeasured: '🚫 unmeasured',
};

export function markdownReport(reported: Reported): string {
  const { campaign, result, url } = reported;
  const { commit, branch, buildUrl } = campaign.annotations;
  const rows = checkedCells(reported).flatMap(({ site, condition, view, checks }) =>
    checks.map((check) => {
      const where = [site.name, condition, view].map(text);
      return `| ${[emojis[check.outcome], ...where, text(result.assertions[check.assertion] ?? ''), text(wordsOf(check))].join(' | ')} |`;
    }),
  );
  const about = [
    ...(url === null ? [`campaign ${text(campaign.id)}`] : [`[campaign ${text(campaign.id)}](${address(url)})`]),
    ...(commit === undefined ? [] : [`commit ${text(commit.slice(0, 10))}`]),
    ...(branch === undefined ? [] : [`branch ${text(branch)}`]),
    ...(buildUrl === undefined ? [] : [`[build](${address(buildUrl)})`]),
  ];
  return [
    `### ${emojis[result.outcome]}: ${text(campaign.spec.name)}`,
    [result.words, baselineWords(result), forcedWords(reported)]
      .filter((part) => part !== '')
      .map(text)
      .join(' '),
    ...warningsOf(reported).map((words) => `⚠️ ${text(words)}`),
    ['| | site | condition | view | assertion | measured |', '| --- | --- | --- | --- | --- | --- |', ...rows].join('\n'),
    `${about.join(', ')}\n`,
  ].join('\n\n');
}

export const undecidedReport = (why: string): string => `### ⚠️ nothing was decided\n\n${text(why)}\n`;

/**
 * Text that stays text: no markup, no HTML, no further table row, no notification by @name, no link to issue #1. Special characters are written as
 * references, and a zero-width space separates a name from its @, since a reference does not.
 */
const text = (given: string): string =>
  given
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[&<>|`*_~[\]()\\#!$:{}]/g, (mark) => `&#${mark.codePointAt(0)};`)
    .replaceAll('@', '@\u200b');

/** Only http and https, with the characters encoded that would end the link. */
function address(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return '';
  return parsed.href.replace(/[()<>\\|\s]/g, (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`);
}
