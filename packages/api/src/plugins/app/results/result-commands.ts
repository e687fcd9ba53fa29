import type { Tables } from '../../../store/tables.ts';
import { type JobKind, perform } from './computation.ts';
import type { CampaignVersion } from './results-version.ts';

export const resultCommands = ({ computation, now }: Pick<Tables, 'computation' | 'now'>) => ({
  /** Does a job at once: for a database in memory, which no thread sees. @param args as of the job, without `asOf`. */
  compute: (kind: JobKind, args: object): unknown => perform(computation(), kind, { ...args, asOf: now() }),
});

export const createResultReads = ({ resultVersionOf }: Pick<Tables, 'resultVersionOf'>) => ({
  version: resultVersionOf,
  /** Without campaigns that are not there. */
  versions: (campaignIds: readonly number[]): Map<number, CampaignVersion> =>
    new Map(campaignIds.flatMap((id) => [resultVersionOf(id)].flatMap((version) => (version ? [[id, version] as const] : [])))),
});
