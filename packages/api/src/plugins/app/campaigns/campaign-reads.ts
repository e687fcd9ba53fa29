import { previousCampaign } from '@pronghorn/core/campaign';
import type {
  Campaign,
  CampaignLogLine,
  CampaignRegressions,
  CampaignSetup,
  PreviousCampaign,
  Round,
  Visit,
} from '@pronghorn/core/schemas';
import type { Tables } from '../../../store/tables.ts';
import { toRound } from '../../../tables/rounds-repository.ts';
import { withoutRun } from '../../../tables/visit-rows.ts';

/** A visit or a line of the log, in the order in which they were stored. */
export type CampaignEvent = { eventId: number } & ({ visit: Visit } | { line: CampaignLogLine });
/** Where a campaign stands and what came after an event: all of one moment. */
export type News = Pick<Campaign, 'state' | 'progress'> & {
  events: CampaignEvent[];
  /** The last one of them, or the one before them. */
  through: number;
  /** Whether others follow that were left off. */
  more: boolean;
};

type Parts = Pick<Tables, 'atOneMoment' | 'campaigns' | 'campaignLog' | 'environments' | 'nights' | 'schedules' | 'visits'>;

export function createCampaignReads({ atOneMoment, campaigns, campaignLog, environments, nights, schedules, visits }: Parts) {
  return {
    find: campaigns.find,
    findSpec: campaigns.findSpec,
    known: campaigns.known,
    ledBy: campaigns.ledBy,
    leaving: campaigns.leaving,
    momentOf: campaigns.momentOf,
    page: campaigns.page,
    siteOf: campaigns.siteOf,
    specOf: campaigns.specOf,
    stateOf: campaigns.stateOf,
    anyUnusedEnvironment: environments.anyUnused,

    /** @param after an event; null: what comes next. @param atMost visits, and lines. @returns undefined: there is no such campaign. */
    news: (campaignId: number, after: number | null, atMost: number): News | undefined =>
      atOneMoment(() => {
        const standing = campaigns.standingOf(campaignId);
        if (standing === undefined) return undefined;
        const from = after ?? campaigns.newestEventId(campaignId);
        const stored = visits.after(campaignId, from, atMost);
        const lines = campaignLog.after(campaignId, from, atMost);
        // Of two lists that were cut off, the one that ends first says how far both are known.
        const ends = [stored, lines].filter((list) => list.length === atMost).map((list) => list.at(-1)?.eventId ?? 0);
        const known = Math.min(...ends, Number.MAX_SAFE_INTEGER);
        const events = [...stored.map(({ visit, eventId }) => ({ visit: withoutRun(visit), eventId })), ...lines]
          .filter(({ eventId }) => eventId <= known)
          .sort((one, other) => one.eventId - other.eventId);
        return { ...standing, events, through: events.at(-1)?.eventId ?? from, more: ends.length > 0 };
      }),

    /** @throws ProblemError not-found. */
    setup(id: string): CampaignSetup {
      const all = environments.ofCampaign(campaigns.known(id).campaignId);
      const each = (texts: readonly string[]) => [...new Set(texts)].sort();
      return {
        browsers: each(all.map(({ browser }) => browser.product)),
        runners: each(all.map(({ runner }) => runner.version)),
        links: each(all.map(({ link }) => link.backend)),
      };
    },
    /** The one to compare it with: the last of its schedule, else the last that is most alike. @throws ProblemError not-found. */
    previous: (id: string): PreviousCampaign =>
      atOneMoment(() => {
        const { campaignId } = campaigns.known(id);
        const campaign = campaigns.find(id);
        const ofSchedule = campaigns.runBefore(campaignId);
        function* read(ids: readonly number[]) {
          for (const earlier of ids) {
            const one = campaigns.find(String(earlier));
            if (one) yield one;
          }
        }
        const most = (ids: readonly number[]) => (campaign ? previousCampaign(campaign, read(ids)) : undefined);
        const found = (ofSchedule === undefined ? undefined : most([ofSchedule])) ?? most(campaigns.earlier(campaignId));
        if (found === undefined) return { campaign: null };
        const { id: previousId, createdAt, spec } = found.campaign;
        return { campaign: { id: previousId, name: spec.name, createdAt, isSameSetup: found.isSameSetup } };
      }),

    /** How it compares with the earlier campaigns of its schedule. @throws ProblemError not-found. */
    regressions(id: string): CampaignRegressions {
      const { campaignId, state } = campaigns.known(id);
      const schedule = schedules.ofCampaign(campaignId);
      const scheduleId = schedule ? String(schedule.id) : null;
      const findings = nights.findings(campaignId);
      if (findings) return { campaignId: id, scheduleId, ...findings };
      const none = { campaignId: id, scheduleId, comparedWith: [], compared: [], regressions: [], unmeasured: [] };
      if (!schedule)
        return { ...none, state: 'not-scheduled', words: 'No schedule started this campaign: there is nothing to compare it with.' };
      const words =
        state === 'done'
          ? 'The campaign is done, and is looked at within a minute.'
          : `The campaign is ${state}; it is compared when it is done.`;
      return { ...none, state: 'waiting', words };
    },
  };
}

export const createRoundReads = ({ campaigns, rounds }: Pick<Tables, 'campaigns' | 'rounds'>) => ({
  /** Not of a campaign that is deleted. */
  find(id: number): Round | undefined {
    const round = rounds.find(id);
    return round && campaigns.stateOf(round.campaignId) && toRound(round);
  },
  page: rounds.page,
});
