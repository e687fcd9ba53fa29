// A gate's answer as GitHub-flavoured Markdown: for a job's summary, or a comment on a change.
import type { GateOutcome } from '@pronghorn/core/vocabulary';
import { baselineWords, forcedWords, placesOf, type Reported, wordsOf } from './reported.ts';

const marks: Record<GateOutcome, string> = {
  pass: '✅ pass',
  fail: '❌ fail',
  inconclusive: '❔ inconclusive',
  unmeasured: '🚫 unmeasured',
};

export function markdownReport(reported: Reported): string {
  const { campaign, result, url } = reported;
  const { commit, branch, buildUrl } = campaign.annotations;
  const rows = placesOf(reported).flatMap(({ site, condition, view, checks }) =>
    checks.map((check) => {
      const where = [site.name, condition, view].map(text);
      return `| ${[marks[check.outcome], ...where, text(result.assertions[check.assertion] ?? ''), text(wordsOf(check))].join(' | ')} |`;
    }),
  );
  const about = [
    ...(url === null ? [`campaign ${text(campaign.id)}`] : [`[campaign ${text(campaign.id)}](${address(url)})`]),
    ...(commit === undefined ? [] : [`commit ${text(commit.slice(0, 10))}`]),
    ...(branch === undefined ? [] : [`branch ${text(branch)}`]),
    ...(buildUrl === undefined ? [] : [`[build](${address(buildUrl)})`]),
  ];
  return [
    `### ${marks[result.outcome]}: ${text(campaign.spec.name)}`,
    [result.words, baselineWords(result), forcedWords(reported)]
      .filter((part) => part !== '')
      .map(text)
      .join(' '),
    ['| | site | condition | view | assertion | measured |', '| --- | --- | --- | --- | --- | --- |', ...rows].join('\n'),
    `${about.join(', ')}\n`,
  ].join('\n\n');
}

/** Of a gate that decided nothing. */
export const undecidedReport = (why: string): string => `### ⚠️ nothing was decided\n\n${text(why)}\n`;

/**
 * Text that stays text: no markup, no HTML, no row of the table more, nobody told of it by @name, no issue linked by #1. Characters
 * that mean something are written as references, and a name is cut from its @ by a zero-width space, which references are not.
 */
const text = (given: string): string =>
  given
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[&<>|`*_~[\]()\\#!$:{}]/g, (mark) => `&#${mark.codePointAt(0)};`)
    .replaceAll('@', '@\u200b');

/** http and https alone, with what would end the link encoded. */
function address(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return '';
  return parsed.href.replace(/[()<>\\|\s]/g, (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`);
}
