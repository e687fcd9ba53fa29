// Measures pages that try to make a verdict err: by the clock, an error, a cache, another page. What may be said of each is known.
import type { Campaign, CellResults, Comparison, Condition } from '@pronghorn/core/schemas';
import { counted, doubtNames, protocolName } from '@pronghorn/core/text';
import { metricTitle, outcomeNames, type Protocol } from '@pronghorn/core/vocabulary';
import { shapeOf, type TrickSite, trickSets, trickSites, tricks } from '@pronghorn/origin';
import type { LocalService } from '../connection/local-service.ts';
import { labOf, openDemo } from '../measure/demo-origin.ts';
import { measure, type Scene } from '../measure/measure.ts';
import { measureOptions, requestOf } from '../measure/request.ts';
import type { MeasuringOptions } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import { dim, type TableCell, table, wrap } from '../program/terminal.ts';

/**
 * @param which names of tricks (`none`: pages without one), or a name of `trickSets` alone
 * @returns the worst of what `printTricks` returns; 130 when interrupted
 * @throws UsageError for a trick that is none
 */
export async function playTricks(which: readonly string[], given: MeasuringOptions): Promise<number> {
  const isSet = (one: string) => trickSets.includes(one);
  const unknown = which.find((one) => !(one === 'none' || Object.hasOwn(tricks, one) || (which.length === 1 && isSet(one))));
  if (unknown !== undefined)
    throw new UsageError(
      `${isSet(unknown) ? `"${unknown}" stands alone` : `"${unknown}" is no trick`}. Give ${trickSets.join(', ')}, or some of none, ${Object.keys(tricks).join(', ')}.`,
    );
  const chosen = { ...given, protocols: ['h2' as const, 'h3' as const], metric: 'speedIndex' as const };
  const [makeRequest, options] = [requestOf(chosen), measureOptions(chosen)];
  const codes: number[] = [];
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const stage = await openDemo(complete, options, { server: { name: 'nginx' }, port: undefined });
    const sites = trickSites(stage.origin.port, which);
    // A page with a cold edge is measured as its results advise: primed, which is of a whole campaign.
    const [plain, primed] = [false, true].map((prime) => sites.filter((site) => site.prime === prime)) as [TrickSite[], TrickSite[]];
    const requestOfThose = (those: readonly TrickSite[]) => ({
      name: 'Tricks',
      ...makeRequest(those.map(({ url, name }) => ({ url, name }))),
      ...(those === primed && { prime: true as const }),
    });
    return {
      ...stage,
      request: requestOfThose(plain.length > 0 ? plain : primed),
      next: async (service, { conditions = [] }) =>
        plain.length > 0 && primed.length > 0 ? await service.createCampaign({ ...requestOfThose(primed), conditions }) : null,
      lab: labOf(stage.origin),
      print: async (service, campaign) => {
        codes.push(await printTricks(sites, service, campaign));
        return [1, 3].find((worse) => codes.includes(worse)) ?? 0;
      },
    };
  };
  return await measure({ conditions: { list: ['native'], baseRttMs: undefined }, setScene }, options);
}

/** What a comparison of a page's times says, and whether that is right. */
interface Answer {
  words: string;
  isFalse: boolean;
  /** The real difference, or the doubt, is named. */
  isRight: boolean;
}

/**
 * @param expects `real`: HTTP/3 is faster where the page is slower over HTTP/2, and nothing else may be named. `doubt`: no winner may be named, unless one
 *   protocol does not load the page; and it must be said why.
 */
export function answerOf(
  { expects, isReal }: Pick<TrickSite, 'expects' | 'isReal'>,
  { verdict, failures, signedRank }: Comparison,
): Answer {
  const named = /-faster$/.test(verdict.outcome) ? verdict.outcome : null;
  const doubts = verdict.doubts.map(({ doubt }) => doubt);
  const failed = failures.candidate + failures.baseline > 0;
  const failedOver = (protocol: Protocol, rounds: number) =>
    rounds === 0 ? [] : [`failed over ${protocolName(protocol)} in ${counted(rounds, 'round')}`];
  const ahead = (signedRank?.rankBiserial ?? 0) < 0 ? 'h3' : 'h2';
  const words = [
    verdict.outcome === 'not-shown-yet' ? `${protocolName(ahead)} likely faster, not proven` : outcomeNames[verdict.outcome],
    ...doubts.map((doubt) => doubtNames[doubt]),
    ...failedOver('h3', failures.candidate),
    ...failedOver('h2', failures.baseline),
  ].join(', ');
  if (expects === 'doubt') {
    const isNotLoaded = failed && named === 'h2-faster';
    return { words, isFalse: named !== null && !isNotLoaded, isRight: failed || doubts.length > 0 };
  }
  return { words, isFalse: named !== null && !(isReal && named === 'h3-faster'), isRight: isReal ? named === 'h3-faster' : named === null };
}

/** Prints what is said of each page. @returns 1 when a winner is named that is none, 3 when a real one or a doubt is missing, else 0 */
async function printTricks(sites: readonly TrickSite[], service: LocalService, campaign: Campaign): Promise<number> {
  const { cells } = await service.results(campaign.id);
  const { text, falseWinners, missing } = tricksTable(sites, campaign, cells);
  console.log(text);
  console.log(
    dim(
      wrap(
        `${counted(falseWinners, 'false winner')}. ${missing === 1 ? '1 page lacks the result that it' : `${missing} pages lack the result that they`} should have.\n\n` +
          'real: every object comes 30 % later over HTTP/2, so HTTP/3 must win in at least one metric, and HTTP/2 in none. same: what a visitor sees ' +
          'comes equally late over both, so nobody may win. Fetches unseen: an answer that nobody sees, later over HTTP/2 unless named otherwise.',
      ),
    ),
  );
  console.log(dim(castOf(sites)));
  return falseWinners > 0 ? 1 : missing > 0 ? 3 : 0;
}

const whoMayWin = 'HTTP/2 may win where HTTP/3 failed, else nobody; the failures or a doubt must be told';

/** What the pages and tricks are that were played. */
function castOf(sites: readonly TrickSite[]): string {
  const isPlayed = (trick: string) => sites.some((site) => site.trick === trick);
  const shapes = [...new Set(sites.map(({ shape }) => shape))].map((name) => [name, shapeOf(name)?.standsFor ?? '']);
  const played = Object.entries(tricks).flatMap(([name, { does, expects }]) =>
    isPlayed(name) ? [[name, expects === 'doubt' ? `${does}: ${whoMayWin}` : does]] : [],
  );
  return [...shapes, ...played].map(([name, words]) => wrap(`${name}: ${words}`)).join('\n');
}

export function tricksTable(
  sites: readonly TrickSite[],
  campaign: Pick<Campaign, 'sites'>,
  cells: readonly CellResults[],
): { text: string; falseWinners: number; missing: number } {
  const rows: TableCell[][] = [];
  let [falseWinners, missing] = [0, 0];
  for (const { id, name } of campaign.sites) {
    const site = sites.find((one) => one.name === name);
    const cell = cells.find(({ siteId }) => siteId === id);
    if (site === undefined || cell === undefined) continue;
    const compared = cell.comparisons.filter(({ candidate, baseline }) => candidate === 'h3' && baseline === 'h2');
    const answers = compared.map((comparison) => ({ metric: comparison.metric, ...answerOf(site, comparison) }));
    const isRight = answers.some((answer) => answer.isRight) && (site.isReal || answers.every((answer) => answer.isRight));
    falseWinners += answers.filter(({ isFalse }) => isFalse).length;
    missing += isRight ? 0 : 1;
    const isShort = compared.some(
      ({ verdict: { doubts, moreRounds } }) => moreRounds !== null || doubts.some(({ doubt }) => doubt === 'too-few-rounds'),
    );
    for (const [index, { metric, words, isFalse }] of answers.entries()) {
      const first = index === 0;
      const mark = answers.some((answer) => answer.isFalse) ? '✗ false' : isRight ? '✓' : isShort ? '? too few rounds' : '? missing';
      rows.push([
        first ? site.shape : '',
        first ? site.trick : '',
        first ? (site.isReal ? 'real' : 'same') : '',
        first ? mark : '',
        metricTitle(metric),
        `${isFalse ? '✗ ' : ''}${words}`,
      ]);
    }
  }
  return { text: table(['page', 'trick', 'truth', 'result', 'metric', 'verdict'], rows, [0, 1, 2, 3, 4, 5]), falseWinners, missing };
}
