import type { CampaignRegressions } from '@pronghorn/core/schemas';
import type { Database } from '../../../storage/database.ts';

/** What was found of a campaign. */
export type Findings = Pick<CampaignRegressions, 'state' | 'words' | 'comparedWith' | 'regressions' | 'unmeasured'>;

/** Owns the tables schedule_medians and schedule_regressions. */
export type NightsRepository = ReturnType<typeof createNightsRepository>;

export function createNightsRepository(database: Database) {
  const selectWaiting = database.prepare<[], { campaignId: number; scheduleId: number }>(
    `SELECT campaignId, scheduleId FROM schedule_starts JOIN campaigns ON campaigns.id = campaignId
     WHERE state = 'done' AND deletedAt IS NULL AND NOT EXISTS (SELECT 1 FROM schedule_regressions AS found WHERE found.campaignId = campaigns.id)
     ORDER BY campaignId`,
  );
  const selectBefore = database.prepare<[number, number, number], { campaignId: number }>(
    `SELECT campaignId FROM schedule_starts JOIN campaigns ON campaigns.id = campaignId
     WHERE scheduleId = ? AND campaignId < ? AND deletedAt IS NULL AND EXISTS (SELECT 1 FROM schedule_medians AS known WHERE known.campaignId = schedule_starts.campaignId)
     ORDER BY campaignId DESC LIMIT ?`,
  );
  const insertMedian = database.prepare<[number, string, number]>(
    'INSERT INTO schedule_medians (campaignId, series, median) VALUES (?, ?, ?)',
  );
  const selectMedians = database.prepare<[number], { series: string; median: number }>(
    'SELECT series, median FROM schedule_medians WHERE campaignId = ?',
  );
  const insertFindings = database.prepare<[number, string]>('INSERT INTO schedule_regressions (campaignId, document) VALUES (?, ?)');
  const selectFindings = database.prepare<[number], { document: string }>('SELECT document FROM schedule_regressions WHERE campaignId = ?');

  return {
    /** Campaigns of schedules that are done and were not looked at, the oldest first. */
    waiting: (): { campaignId: number; scheduleId: number }[] => selectWaiting.all(),
    /** Campaigns of a schedule before one, that have any number; the oldest first, at most so many. */
    before: (scheduleId: number, campaignId: number, most: number): number[] =>
      selectBefore
        .all(scheduleId, campaignId, most)
        .map((row) => row.campaignId)
        .reverse(),
    insertMedians(campaignId: number, medians: ReadonlyMap<string, number>): void {
      for (const [series, median] of medians) insertMedian.run(campaignId, series, median);
    },
    /** By series. */
    medians: (campaignId: number): Map<string, number> =>
      new Map(selectMedians.all(campaignId).map(({ series, median }) => [series, median])),
    insertFindings: (campaignId: number, findings: Findings): void => void insertFindings.run(campaignId, JSON.stringify(findings)),
    findings(campaignId: number): Findings | undefined {
      const row = selectFindings.get(campaignId);
      return row && (JSON.parse(row.document) as Findings);
    },
  };
}
