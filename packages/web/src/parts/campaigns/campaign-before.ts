// Which campaign one is most likely to be compared with: the last that asked the same before it.
import type { Campaign } from '@pronghorn/core/schemas';

type Asked = Pick<Campaign, 'createdBy' | 'createdByKind' | 'progress' | 'sites' | 'spec'>;

/**
 * The last of the same schedule, else the last of the same pages and conditions; undefined where there is none.
 * @param older campaigns from before it, the newest first.
 */
export function campaignBefore<Older extends Asked>(campaign: Asked, older: readonly Older[]): Older | undefined {
  const measured = older.filter(({ progress }) => progress.visitsValid > 0);
  const isOfSchedule = ({ createdBy, createdByKind }: Asked) => createdByKind === 'schedule' && createdBy === campaign.createdBy;
  return (
    (campaign.createdByKind === 'schedule' ? measured.find(isOfSchedule) : undefined) ??
    measured.find((one) => question(one) === question(campaign))
  );
}

const question = ({ sites, spec }: Asked): string =>
  JSON.stringify([sites.map(({ url }) => url).sort(), spec.conditions.map(({ name }) => name).sort()]);
