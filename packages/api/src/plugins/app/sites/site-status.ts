// How sites do, read together: what was measured last, what was measured before, and what is wrong.
import type { SiteStatus, SiteStatusPage } from '@pronghorn/core/schemas';
import { regressionWords } from '@pronghorn/core/text';
import { ProblemError } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import type { Tables } from '../../../store/tables.ts';
import type { NewestResult, ResultFilter } from '../../../tables/site-results-repository.ts';
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
    const findings = new Map<number, ReturnType<typeof nights.findings>>();
    const findingsOf = (campaignId: number) => {
      if (!findings.has(campaignId)) findings.set(campaignId, nights.findings(campaignId));
      return findings.get(campaignId);
    };

    function pointsOf(siteId: number, { setup }: NewestResult): SiteStatus['points'] {
      const all = siteResults.points(siteId, setup, new Date(since).toISOString());
      const part = (at: string) => Math.floor(((Date.parse(at) - since) / (end - since)) * maxPoints);
      const shown = all.length <= maxPoints ? all : all.filter(({ at }, n) => part(at) !== part(all[n + 1]?.at ?? '9999'));
      return shown.map(({ campaignId, ...point }) => ({ campaignId: String(campaignId), ...point }));
    }

    function changeOf(siteId: number, name: string): SiteStatus['change'] {
      const none = { condition: null, protocol: null, share: null, ms: null, since: null };
      const worse = alerts
        .standingOf<RegressionFacts>('regression', { siteId, scheduleId: null })
        .flatMap(({ facts }) => facts.series)
        .filter(({ condition }) => filter.condition === null || condition === filter.condition)
        .sort((one, other) => other.level / other.before - one.level / one.before);
      const [worst] = worse;
      if (worst !== undefined) {
        const { condition, protocol, before, level, failing, since } = worst;
        const size = failing ? { share: null, ms: null } : { share: level / before - 1, ms: level - before };
        const change = { ...size, since: alerts.sinceNow(since) };
        return { state: 'worse', words: regressionWords(worst), condition, protocol, ...change };
      }
      const judged = scheduleOf.get(siteId)?.judged ?? null;
      if (!scheduleOf.has(siteId)) return null;
      const found = judged === null ? undefined : findingsOf(judged);
      if (found === undefined) return { ...none, state: 'not-compared', words: 'No campaign of its schedule is done.' };
      if (found.unmeasured.includes(name)) return { ...none, state: 'not-compared', words: 'Not measured in the last campaign.' };
      return {
        ...none,
        state: found.state === 'too-few-runs' || found.comparedWith.length === 0 ? 'not-compared' : 'steady',
        words: found.words,
      };
    }

    return {
      place(site: ListedSite): Placed {
        const result = siteResults.newest(site.id, filter);
        const rank = open.has(site.id) ? 0 : result !== undefined && result.notLoaded !== null ? 1 : 2;
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
              : { campaignId: String(campaignId), doneAt, condition, view, metric, ...siteResults.answer(id, result) },
          notLoaded: result?.notLoaded ?? null,
          points: result === undefined ? [] : pointsOf(id, result),
          change: changeOf(id, name),
          gate: gate ?? null,
          alerts: open.get(id) ?? 0,
          active: activeOf.get(id) ?? null,
          schedule: schedule === undefined ? null : { id: String(schedule.id), name: schedule.name },
        };
      },
    };
  }

  /** Those with open alerts first, then those whose page was not loaded, then the others; by name. */
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
    const [, rank = '', id = ''] = /^([012])-(\d+)$/.exec(cursor) ?? [];
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
