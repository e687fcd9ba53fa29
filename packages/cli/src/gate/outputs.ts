// Where a gate's answer goes: one form to standard output, any to files, Markdown to GitHub's job summary, its outcome to the steps behind.
import { appendFileSync, closeSync, openSync, writeFileSync } from 'node:fs';
import type { GateReport } from '@pronghorn/core/schemas';
import { reasonOf, UsageError } from '../data.ts';
import { plain } from '../terminal.ts';
import { codeQualityReport } from './codequality-report.ts';
import { exitCodeOf } from './exit-codes.ts';
import { junitReport } from './junit-report.ts';
import { markdownReport } from './markdown-report.ts';
import type { Reported } from './reported.ts';
import { sarifReport } from './sarif-report.ts';
import { textReport } from './text-report.ts';

export const gateFormats = ['text', 'json', 'junit', 'markdown'] as const;
export type GateFormat = (typeof gateFormats)[number];

export interface Outputs {
  format: GateFormat;
  json?: string;
  junit?: string;
  markdown?: string;
  codequality?: string;
  sarif?: string;
  /** Whether to append to the file that GITHUB_STEP_SUMMARY names; nothing where it names none. */
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

/** Before anything is measured. @throws UsageError naming the option and the path that can't be written */
export function checkOutputs(outputs: Outputs): void {
  for (const form of fileFormNames) {
    const path = outputs[form];
    if (path === undefined) continue;
    try {
      // For appending: a file that is there stays as it is until there is something to write.
      closeSync(openSync(path, 'a'));
    } catch (error) {
      throw new UsageError(`--${form} ${path} can't be written (${reasonOf(error)}). Name another path.`);
    }
  }
}

/** For the steps behind of a job on GitHub, which names the file. A line each: what a service says is no other output. */
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
