import type { Campaign, CampaignLogLine, CampaignRegressions, Round, Visit } from '@pronghorn/core/schemas';
import type { Tables } from '../../../store/tables.ts';
import { toRound } from '../rounds/rounds-repository.ts';
import { withoutRun } from '../visits/visit-rows.ts';

/** How far somebody has read a campaign: `seq` of the last visit, `number` of the last line of its log. */
export type Position = { seq: number; number: number };
/** What came after a position. Lists of `atMost` entries may go on. */
export type News = Pick<Campaign, 'state' | 'progress'> & {
  from: Position;
  visits: { visit: Visit; seq: number }[];
  /** afterVisit: `seq` of the newest visit when the line was written. */
  lines: { line: CampaignLogLine; number: number; afterVisit: number }[];
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

    /**
     * Where a campaign stands, and what came of it, all of one moment: no line is read that follows a visit which was not.
     * @param from null: with what comes next. @param atMost visits, and lines.
     * @returns undefined: there is no such campaign.
     */
    news: (campaignId: number, from: Position | null, atMost: number): News | undefined =>
      atOneMoment(() => {
        const standing = campaigns.standingOf(campaignId);
        if (standing === undefined) return undefined;
        const begin = from ?? { seq: visits.newestSeq(campaignId), number: campaignLog.newest(campaignId) };
        return {
          ...standing,
          from: begin,
          visits: visits.after(campaignId, begin.seq, atMost).map(({ visit, seq }) => ({ visit: withoutRun(visit), seq })),
          lines: campaignLog.after(campaignId, begin.number, atMost),
        };
      }),

    /** How it compares with the earlier campaigns of its schedule. @throws ProblemError not-found. */
    regressions(id: string): CampaignRegressions {
      const { campaignId, state } = campaigns.known(id);
      const schedule = schedules.ofCampaign(campaignId);
      const scheduleId = schedule ? String(schedule.id) : null;
      const findings = nights.findings(campaignId);
      if (findings) return { campaignId: id, scheduleId, ...findings };
      const none = { campaignId: id, scheduleId, comparedWith: [], regressions: [], unmeasured: [] };
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
