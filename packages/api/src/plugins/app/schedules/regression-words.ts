// A regression with its numbers, in a sentence: the same for API, dashboard and messages.
import type { Regression } from '@pronghorn/core/schemas';
import { falseAlarmShare, fewestNeighbourRuns } from '@pronghorn/core/verdict';
import { metricTitle } from '@pronghorn/core/vocabulary';

const protocolNames = { h1: 'HTTP/1.1', h2: 'HTTP/2', h3: 'HTTP/3' } as const;

/** @param compared how many medians were compared together. */
export function regressionWords(regression: Omit<Regression, 'words'>, compared: number): string {
  const { siteName, condition, view, protocol, metric, medians, baseline, baselineRuns, change, spread, p } = regression;
  const where = `${siteName}, ${condition}${view === 'warm' ? ', warm' : ''}, over ${protocolNames[protocol]}`;
  const [before, now] = medians.map(figure);
  const corrected = compared > 1 ? ` corrected for ${compared} comparisons` : '';
  return (
    `${where}: ${metricTitle(metric)} is at least ${percent(change)} higher in the last two campaigns (${before} and ${now}) ` +
    `than in the ${baselineRuns} before (${figure(baseline)}, which differ by ${percent(spread)} anyway); p = ${Number(p.toPrecision(2))}${corrected}.`
  );
}

/** How often a regression is told where there is none. @param baselineRuns campaigns before the last two. */
export function falseAlarmWords(baselineRuns: number): string {
  const share = falseAlarmShare(baselineRuns);
  const often = `By chance about one campaign in ${Math.round(1 / share)} says so where nothing changed, ${Math.round(365 * share)} in a year of nights`;
  return baselineRuns < fewestNeighbourRuns
    ? `${often}; more where nights resemble their neighbours, until there are ${fewestNeighbourRuns} campaigns before.`
    : `${often}.`;
}

const figure = (value: number) => Number(value.toPrecision(4)).toLocaleString('en-US');
const percent = (share: number) => `${share >= 0.0995 ? Math.round(share * 100) : (share * 100).toFixed(1)} %`;
