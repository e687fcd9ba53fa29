// How sites do, read together: what was measured last, what was measured before, and what is wrong.
import type { SiteStatus, SiteStatusPage } from '@pronghorn/core/schemas';
import { listed, protocolName, regressionWords } from '@pronghorn/core/text';
import { outcomeNames } from '@pronghorn/core/vocabulary';
import { ProblemError } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import type { Tables } from '../../../store/tables.ts';
import { type CellResult, lostProtocols, type NewestResult, type ResultFilter } from '../../../tables/site-results-repository.ts';
import type { ListedSite } from '../../../tables/sites-repository.ts';
import type { RegressionFacts } from '../alerts/alerts.ts';

type Shown = ResultFilter & { days: number };
/** Null: any. */
type Wanted = Shown & { search: string | null; tag: string | null };

/** What is found first: it says where a site stands in the order. */
type Placed = ListedSite & { result: NewestResult | undefined; rank: number };

const maxPoints = 30;
const [hourMs, dayMs] = [3_600_000, 86_400_000];
const byName = new Intl.Collator('en', { numeric: true });

type Parts = Pick<Tables, 'atOneMoment' | 'now' | 'alerts' | 'answers' | 'campaigns' | 'nights' | 'schedules' | 'siteResults' | 'sites'>;

export function createSiteStatusReads({ atOneMoment, now, alerts, answers, campaigns, nights, schedules, siteResults, sites }: Parts) {
  /** What the sites of one answer have in common. */
  function createReader({ days, ...filter }: Shown) {
    // To the hour, so that an answer stays what it is for a while.
    const end = Math.ceil(now() / hourMs) * hourMs;
    const since = end - days * dayMs;
    const open = alerts.openOfSites();
    const scheduleOf = schedules.ofSites();
    const activeOf = campaigns.activeOfSites();
    const judged = new Map<number, ReturnType<typeof readJudged>>();
    const judgedIn = (campaignId: number) => {
      const its = judged.get(campaignId) ?? readJudged(campaignId);
      judged.set(campaignId, its);
      return its;
    };

    function pointsOf(siteId: number, { setup }: NewestResult): SiteStatus['points'] {
      const all = siteResults.points(siteId, setup, new Date(since).toISOString());
      const part = ({ at }: { at: string }) => Math.min(maxPoints - 1, Math.floor(((Date.parse(at) - since) / (end - since)) * maxPoints));
      const isLastOfPart = (one: (typeof all)[number], n: number) => {
        const next = all[n + 1];
        return next === undefined || part(one) !== part(next);
      };
      const shown = all.length <= maxPoints ? all : all.filter(isLastOfPart);
      return shown.map(({ campaignId, ...point }) => ({ campaignId: String(campaignId), ...point }));
    }

    function changeOf(siteId: number, result: NewestResult | undefined): SiteStatus['change'] {
      const standing = alerts
        .standingOf<RegressionFacts>('regression', { siteId, scheduleId: null })
        .flatMap(({ facts }) => facts.series)
        .filter(({ condition }) => filter.condition === null || condition === filter.condition)
        .filter(({ metric }) => filter.metric === null || metric === filter.metric)
        .sort((one, other) => other.level / other.before - one.level / one.before);
      const [worst] = standing;
      const schedule = scheduleOf.get(siteId);
      if (worst === undefined && schedule === undefined) return null;
      const last = schedule === undefined || schedule.judged === null ? null : judgedIn(schedule.judged);
      const compared = last === null || result === undefined ? [] : comparedIn(last, siteId, result);
      const worse = standing.map((one) => {
        const { condition, view, protocol, metric, before, level, failing } = one;
        return { condition, view, protocol, metric, before, level, failing, words: regressionWords(one) };
      });
      const common = { at: compared.length === 0 || last === null ? null : last.at, compared, worse };
      if (worst !== undefined) {
        const { condition, protocol, before, level, failing, since } = worst;
        const size = failing ? { share: null, ms: null } : { share: level / before - 1, ms: level - before };
        const change = { ...size, since: alerts.sinceNow(since) };
        return { ...common, state: 'worse', words: regressionWords(worst), condition, protocol, ...change };
      }
      const none = { ...common, condition: null, protocol: null, share: null, ms: null, since: null };
      const unlike = (words: string) => ({ ...none, state: 'not-compared' as const, words });
      if (last === null) return unlike('No campaign of its schedule is done.');
      if (result === undefined || !compared.includes(result.condition)) return unlike(last.words);
      const later = result.campaignId === last.campaignId ? '' : ` Campaign ${result.campaignId} was not compared.`;
      const words = `No regression under ${listed(compared)}: compared with the ${last.runs} campaigns before.${later}`;
      return { ...none, state: 'steady', words };
    }

    /** The conditions under which a site was compared there, and is measured in the same way by what is shown. */
    function comparedIn({ campaignId, conditionsOf }: ReturnType<typeof readJudged>, siteId: number, result: NewestResult): string[] {
      const compared = conditionsOf.get(String(siteId)) ?? [];
      if (campaignId === result.campaignId || compared.length === 0) return compared;
      const alike = siteResults.alike(siteId, campaignId, result.campaignId);
      return compared.filter((condition) => alike.has(condition));
    }

    /** Its cell that is shown, and how the others differ. */
    function answerOf(siteId: number, { campaignId, place }: NewestResult) {
      const cells = siteResults
        .cells(siteId, campaignId)
        .filter(({ condition }) => filter.condition === null || condition === filter.condition);
      const said = cells.map(({ condition, view, ...cell }) => ({ condition, view, ...inShort(cell) }));
      const own = cells.findIndex((cell) => cell.place === place);
      const { medians = {}, comparison = null } = cells[own]?.answer ?? {};
      return {
        ...{ medians, comparison, failures: summed(cells.map(({ answer }) => answer.failures)) },
        otherCells: said.filter(({ words }) => words !== said[own]?.words).sort((one, other) => urgency(one) - urgency(other)),
      };
    }

    return {
      place(site: ListedSite): Placed {
        const result = siteResults.newest(site.id, filter);
        const alerts = open.get(site.id);
        const rank = alerts ? 1 - alerts.isWorse : result !== undefined && result.lost === 1 ? 2 : 3;
        return { ...site, result, rank };
      },
      read({ id, url, name, newest, result }: Placed, tags: readonly string[]): SiteStatus {
        const { condition = '', view = 'cold', metric = 'onLoad', campaignId = 0 } = result ?? {};
        const doneAt = campaigns.doneAt(campaignId);
        const gate = answers.newestOfSite(id);
        const schedule = scheduleOf.get(id);
        return {
          ...{ siteId: String(id), url, name, tags: [...tags], engine: sites.engineOf(newest) },
          now:
            result === undefined || doneAt === undefined
              ? null
              : { campaignId: String(campaignId), doneAt, condition, view, metric, ...answerOf(id, result) },
          notLoaded: result?.notLoaded ?? null,
          points: result === undefined ? [] : pointsOf(id, result),
          change: changeOf(id, result),
          gate: gate ?? null,
          alerts: open.get(id)?.alerts ?? 0,
          active: activeOf.get(id) ?? null,
          schedule: schedule === undefined ? null : { id: String(schedule.id), name: schedule.name },
        };
      },
    };
  }

  /** What a campaign of a schedule was compared by. `words`: why a site was not. */
  function readJudged(campaignId: number) {
    const { state, words: said = '', comparedWith = [], compared = [] } = nights.findings(campaignId) ?? {};
    const isNothing = comparedWith.length === 0 && state !== 'unmeasured';
    const words = isNothing
      ? said
      : 'Not compared: its schedule’s newest campaign did not measure it in this way, or fewer than four before it did.';
    const conditionsOf = new Map<string, string[]>();
    for (const { siteId, condition } of compared) conditionsOf.set(siteId, [...(conditionsOf.get(siteId) ?? []), condition]);
    return { campaignId, words, runs: comparedWith.length, at: campaigns.doneAt(campaignId) ?? null, conditionsOf };
  }

  /** Those with an open regression first, then those with another open alert, then those whose page was not loaded somewhere, then the others; by name. */
  const compare = (one: Placed, other: Placed): number =>
    one.rank - other.rank || byName.compare(one.name, other.name) || one.id - other.id;

  return {
    /** Worst first. @param cursor of a page before. @throws ProblemError invalid-request. */
    statusPage: ({ search, tag, ...shown }: Wanted, limit: number, cursor: string | null): SiteStatusPage =>
      atOneMoment(() => {
        const reader = createReader(shown);
        const tagsOf = sites.tagsOfAll();
        const [all, part] = [sites.listed(), search?.toLowerCase() ?? null];
        const placed = all
          .filter(({ id, name, url }) => {
            const isFound = part === null || name.toLowerCase().includes(part) || url.toLowerCase().includes(part);
            return isFound && (tag === null || tagsOf.get(id)?.includes(tag) === true);
          })
          .map(reader.place)
          .sort(compare);
        const start = cursor === null ? 0 : placeAfter(placed, cursor, all);
        const onPage = placed.slice(start, start + limit);
        const last = onPage.at(-1);
        const choices = choicesOf(placed);
        return {
          items: onPage.map((site) => reader.read(site, tagsOf.get(site.id) ?? [])),
          nextCursor: last !== undefined && placed.length > start + limit ? `${last.rank}-${last.id}` : null,
          sites: placed.length,
          conditions: [...new Set(choices.map(({ condition }) => condition))],
          metrics: [...new Set(choices.map(({ metric }) => metric))],
        };
      }),

    /** Undefined: there is no such site. */
    statusOf: (siteId: number, shown: Shown): SiteStatus | undefined =>
      atOneMoment(() => {
        const site = sites.listedOne(siteId);
        if (site === undefined) return undefined;
        const reader = createReader(shown);
        return reader.read(reader.place(site), sites.tagsOf(siteId));
      }),
  };

  /** Behind the site of a cursor, where it stood then: others may have changed their place. */
  function placeAfter(placed: readonly Placed[], cursor: string, all: readonly ListedSite[]): number {
    const [, rank = '', id = ''] = /^([0-3])-(\d+)$/.exec(cursor) ?? [];
    const last = all.find((site) => site.id === rowId(id));
    if (last === undefined) {
      throw new ProblemError(
        'invalid-request',
        `The cursor is "${cursor}"; expected the nextCursor of a page before. Without it, the list starts anew.`,
      );
    }
    const start = placed.findIndex((site) => compare(site, { ...last, rank: Number(rank), result: undefined }) > 0);
    return start === -1 ? placed.length : start;
  }

  /** What the newest campaigns measured under, each looked at once. */
  function choicesOf(placed: readonly Placed[]) {
    const siteOf = new Map(placed.flatMap(({ id, result }) => (result === undefined ? [] : [[result.campaignId, id] as const])));
    return [...siteOf].sort(([one], [other]) => other - one).flatMap(([campaignId, siteId]) => siteResults.choices(siteId, campaignId));
  }
}

type Said = { words: string; lost: boolean };

/** What a cell says, as words beside others. */
function inShort({ notLoaded, answer: { comparison, failures } }: Pick<CellResult, 'notLoaded' | 'answer'>): Said {
  const lost = lostProtocols(failures);
  if (notLoaded !== null || (lost.length > 0 && lost.length === Object.keys(failures).length))
    return { words: 'does not load', lost: true };
  if (lost.length > 0) return { words: `${listed(lost.map(protocolName))} fails`, lost: true };
  if (comparison === null) return { words: 'not compared', lost: false };
  return { words: comparison.unfinished ? 'unfinished' : outcomeNames[comparison.outcome], lost: false };
}

/** What is lost first, then winners. */
const urgency = ({ words, lost }: Said): number => (lost ? 0 : words.endsWith(' faster') ? 1 : 2);

function summed(all: readonly CellResult['answer']['failures'][]): CellResult['answer']['failures'] {
  const sums: CellResult['answer']['failures'] = {};
  for (const [protocol, { failed, loads }] of all.flatMap(Object.entries<{ failed: number; loads: number }>)) {
    const { failed: before = 0, loads: of = 0 } = sums[protocol] ?? {};
    sums[protocol] = { failed: before + failed, loads: of + loads };
  }
  return sums;
}
