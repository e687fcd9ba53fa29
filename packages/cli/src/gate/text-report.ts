// A gate's answer for a terminal.
import { styleText } from 'node:util';
import type { GateOutcome } from '@pronghorn/core';
import { plain, wrap } from '../terminal.ts';
import { baselineWords, forcedWords, moreWords, placesOf, type Reported } from './reported.ts';

const marks: Record<GateOutcome, string> = { pass: 'pass', fail: 'FAIL', inconclusive: '?' };
const styles: Record<GateOutcome, 'green' | 'red' | 'yellow'> = { pass: 'green', fail: 'red', inconclusive: 'yellow' };

export function textReport(reported: Reported): string {
  const { result, url } = reported;
  const places = placesOf(reported).map(({ site, condition, view, checks }) => {
    const heading = styleText('bold', plain(site.name)) + styleText('dim', `  ${plain(site.url)}  ${plain(condition)}, ${view}`);
    const lines = checks.map((check) => {
      const [first = '', ...others] = wrap([check.words, moreWords(check)].join(' ').trim(), width() - indent).split('\n');
      const mark = styleText(styles[check.outcome], marks[check.outcome].padEnd(indent));
      return [mark + first, ...others.map((line) => ' '.repeat(indent) + line)].join('\n');
    });
    return [heading, ...lines].join('\n');
  });
  const answer = styleText(['bold', styles[result.outcome]], `Gate: ${result.outcome}.`);
  const notes = [baselineWords(result), forcedWords(reported), url === null ? '' : `All numbers: ${url}`].filter((line) => line !== '');
  return [...places, [`${answer} ${wrap(result.words)}`, ...notes.map((line) => styleText('dim', wrap(line)))].join('\n')].join('\n\n');
}

const indent = 6;
const width = () => Math.min(process.stdout.columns || 100, 100);
