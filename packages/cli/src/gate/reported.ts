// What the reports of a gate share, and the exit codes of its outcomes.
import { caveatLines } from '@pronghorn/core/answer';
import type { Campaign, GateCheck, GateFile, GateResult, Site } from '@pronghorn/core/schemas';
import { forcedSentence } from '@pronghorn/core/text';
import type { GateOutcome } from '@pronghorn/core/vocabulary';
import { InvalidArgumentError } from 'commander';
import { quoted } from '../program/files.ts';
import { plain } from '../program/terminal.ts';

/** A gate's source: the path of its file, or the name under which a service stores it. */
export type GateSource = { file: string } | { gate: string };

/** Distinguishes the gate from others of the same pipeline. */
export const sourceName = (source: GateSource): string => ('file' in source ? source.file : source.gate);

export interface Reported {
  campaign: Campaign;
  result: GateResult;
  exitCodes: ExitCodes;
  source: GateSource;
  /** The campaign's page; null: no lasting one. */
  url: string | null;
}

/** The checks at one site, under one condition, in one view. */
interface CheckedCell {
  site: Pick<Site, 'name' | 'url'>;
  condition: string;
  view: string;
  checks: GateCheck[];
}

export function checkedCells({ campaign, result }: Pick<Reported, 'campaign' | 'result'>): CheckedCell[] {
  return campaign.sites.flatMap((site) =>
    campaign.spec.conditions.flatMap(({ name: condition }) =>
      campaign.spec.views.flatMap((view): CheckedCell[] => {
        const checks = result.checks.filter((check) => check.siteId === site.id && check.condition === condition && check.view === view);
        return checks.length === 0 ? [] : [{ site, condition, view, checks }];
      }),
    ),
  );
}

/** The result of a check, and how many more rounds would decide it. */
export const wordsOf = ({ words, moreRounds }: GateCheck): string => [words, moreRounds?.words ?? ''].join(' ').trim();

/** Distinguishes a check from the others in its cell. */
export const nameOf = ({ assertions }: GateResult, { assertion, protocol, min }: GateCheck): string =>
  `${assertions[assertion]} (${protocol}${min === null ? '' : ', at least'})`;

/** True where a second run would decide: a single run never fails against a baseline. */
export const needsSecondRun = ({ outcome, checks }: GateResult): boolean =>
  outcome !== 'fail' && checks.some(({ reasons }) => reasons.some(({ reason }) => reason === 'second-run'));

/**
 * The command that measures the second run of a campaign: the same pages, in the same data folder.
 *
 * @param options.sites of the gate
 * @param options.called how users call the command, such as ./pronghorn gate
 * @param options.connection options that name the data folder or the service, such as ` --data /tmp/x`
 */
export function secondRunCommand(
  { id, sites }: Pick<Campaign, 'id' | 'sites'>,
  { source, sites: ofFile = [], connection, called }: { source: GateSource; sites: GateFile['sites']; connection: string; called: string },
): string {
  const named = new Set(ofFile.map(({ url }) => URL.parse(url ?? '')?.href));
  const others = sites.filter(({ url }) => !named.has(url));
  // The URLs of folders, local servers and the demo differ from what the command named.
  const isLocal = others.some(({ url }) => URL.parse(url)?.hostname.endsWith('.pronghorn.test'));
  const urls = others.length === 0 || isLocal ? '' : sites.map(({ url }) => ` --url ${quoted(url)}`).join('');
  const asThen = isLocal && ofFile.length === 0 ? ' (and the --url or --sites of that run)' : '';
  return plain(
    `${called} ${'file' in source ? '--config' : '--gate'} ${quoted(sourceName(source))}${urls} --repeat ${id}${connection}${asThen}`,
  );
}

/** The campaigns that a baseline assertion was compared with. */
export function baselineWords({ baseline }: GateResult): string {
  if (baseline === null) return '';
  const { branch, campaigns, otherRun } = baseline;
  if (campaigns.length === 0) return `Baseline: no comparable campaign on ${branch} yet.`;
  const commits = campaigns.flatMap(({ commit }) => (commit === null ? [] : [commit.slice(0, 10)]));
  const listed = campaigns.map(({ campaignId }) => campaignId).join(', ');
  const second = otherRun === null ? '' : ` The other run is campaign ${otherRun}.`;
  return `Baseline: ${campaigns.length === 1 ? 'campaign' : 'campaigns'} ${listed} on ${branch}${commits.length > 0 ? ` (${commits.join(', ')})` : ''}.${second}`;
}

/** What limits the campaign's answer, as a gate's reader must know it: warnings alone. */
export const warningsOf = ({ campaign, result }: Pick<Reported, 'campaign' | 'result'>): string[] =>
  caveatLines(result.caveats ?? [], campaign).flatMap(({ isWarning, words }) => (isWarning ? [words] : []));

export const forcedWords = ({ campaign, result }: Pick<Reported, 'campaign' | 'result'>): string =>
  campaign.spec.discovery === 'forced' && result.checks.some(({ protocol }) => protocol === 'h3') ? `${forcedSentence}.` : '';

/** error: undecided, since the service or this machine could not measure. */
export type ExitCodes = Record<GateOutcome | 'error', number>;

/** Every command uses 2 for wrong usage and 130 for an interruption. */
export const defaultExitCodes: ExitCodes = { pass: 0, fail: 1, inconclusive: 3, unmeasured: 5, error: 4 };
const outcomeNames = Object.keys(defaultExitCodes);

/** Unmeasured checks pass only where `unmeasured` itself has exit code 0: waived failures or inconclusive checks do not cover them. */
export const exitCodeOf = ({ outcome, counts }: Pick<GateResult, 'outcome' | 'counts'>, exitCodes: ExitCodes): number =>
  exitCodes[outcome] === 0 && counts.unmeasured > 0 ? exitCodes.unmeasured : exitCodes[outcome];

/** Reads "inconclusive=0,fail=10". @throws InvalidArgumentError */
export function exitCodesFrom(text: string, before: Partial<ExitCodes> = {}): Partial<ExitCodes> {
  const codes = { ...before };
  for (const part of text.split(',')) {
    const [, outcome = '', code = ''] = /^\s*(\w+)\s*=\s*(\d{1,3})\s*$/.exec(part) ?? [];
    if (!outcomeNames.includes(outcome) || Number(code) > 125)
      throw new InvalidArgumentError(
        `"${part}" is not valid; expected OUTCOME=CODE, with ${outcomeNames.slice(0, -1).join(', ')} or ${outcomeNames.at(-1)}, and a code from 0 to 125.`,
      );
    codes[outcome as keyof ExitCodes] = Number(code);
  }
  return codes;
}
