// A gate's answer for a terminal: the answer first, then what keeps it from passing.
import { styleText } from 'node:util';
import type { GateCheck, GateResult } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import type { GateOutcome } from '@pronghorn/core/vocabulary';
import { plain, wrap } from '../terminal.ts';
import { baselineWords, forcedWords, nameOf, placesOf, type Reported, wordsOf } from './reported.ts';

const marks: Record<GateOutcome, string> = { pass: 'pass', fail: 'FAIL', inconclusive: '?', unmeasured: '!' };
const styles: Record<GateOutcome, 'green' | 'red' | 'yellow'> = { pass: 'green', fail: 'red', inconclusive: 'yellow', unmeasured: 'red' };

/** Where the word alone could be overlooked. */
const answers: Partial<Record<GateOutcome, string>> = { fail: marks.fail, unmeasured: 'UNMEASURED' };

export function textReport(reported: Reported): string {
  const { result, campaign, url } = reported;
  const answer = styleText(['bold', styles[result.outcome]], `Gate: ${answers[result.outcome] ?? result.outcome}`);
  // What the counts do not tell.
  const more = result.state !== 'done' || result.decide === 'point' || result.outcome === 'unmeasured' ? [wrap(result.words)] : [];
  const sites =
    campaign.sites.length > mostSites ? [] : campaign.sites.map((site) => styleText('dim', `${plain(site.name)}  ${plain(site.url)}`));
  const notes = [baselineWords(result), forcedWords(reported), url === null ? '' : `All numbers: ${url}`].filter((line) => line !== '');
  const parts = [
    [`${answer} (${countsOf(result)})`, ...more, ...sites],
    (['fail', 'unmeasured', 'inconclusive', 'pass'] as const).flatMap((outcome) => linesOf(reported, outcome)),
    notes.map((line) => styleText('dim', wrap(line))),
  ];
  return parts.flatMap((lines) => (lines.length === 0 ? [] : [lines.join('\n')])).join('\n\n');
}

const mostSites = 5;
const indent = 6;
const width = () => Math.min(process.stdout.columns || 100, 100);

/** 1 of 5 checks, 1 unmeasured, 1 inconclusive. */
function countsOf({ outcome, counts }: GateResult): string {
  const all = counts.pass + counts.fail + counts.inconclusive + counts.unmeasured;
  const of = counts[outcome] === all ? (all === 1 ? '1 check' : `all ${all} checks`) : `${counts[outcome]} of ${counted(all, 'check')}`;
  const others = (['unmeasured', 'inconclusive'] as const).filter((one) => one !== outcome && counts[one] > 0);
  return [of, ...others.map((one) => `${counts[one]} ${one}`)].join(', ');
}

type Placed = { where: string; check: GateCheck };

/** The checks of an outcome. Those that pass the same assertion are one line, and so are those of which the same is said. */
function linesOf(reported: Reported, outcome: GateOutcome): string[] {
  const placed = placesOf(reported).flatMap(({ site, condition, view, checks }) =>
    checks.filter((check) => check.outcome === outcome).map((check): Placed => ({ where: `${site.name}, ${condition}, ${view}`, check })),
  );
  const alike = Map.groupBy(placed, ({ check }) =>
    outcome === 'pass' ? `${check.assertion} ${check.min === null}` : `${nameOf(reported.result, check)} ${check.words}`,
  );
  return [...alike.values()].map((those) => {
    const words = wrap(toldOf(reported.result, outcome, those), width() - indent).split('\n');
    const mark = styleText(styles[outcome], marks[outcome].padEnd(indent));
    return words.map((line, place) => (place === 0 ? mark : ' '.repeat(indent)) + line).join('\n');
  });
}

function toldOf(result: GateResult, outcome: GateOutcome, placed: readonly Placed[]): string {
  // Of those that pass the one that is nearest to its limit.
  const [first] = outcome === 'pass' ? [...placed].sort((a, b) => b.check.pPass - a.check.pPass) : placed;
  if (first === undefined) return '';
  const { where, check } = first;
  const others = placed.length - 1;
  if (others === 0) return `${nameOf(result, check)} at ${where}\n${wordsOf(check)}`;
  return outcome === 'pass'
    ? `${result.assertions[check.assertion]} at ${placed.length} places\nNearest to the limit: ${where}: ${wordsOf(check)}`
    : `${nameOf(result, check)} at ${where} and ${others} more\n${wordsOf(check)}`;
}
