// What the queue tells of itself.
import { priorities, type QueueDepth } from '@pronghorn/core/schemas';
import { found } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';
import type { LeasesRepository } from '../leases/leases-repository.ts';
import type { RunnersRepository } from '../runners/runners-repository.ts';
import { assertRoom } from './choose-round.ts';
import { placeInQueue } from './place-in-queue.ts';
import type { Queue } from './queue.ts';
import type { DepthRow, QueueEntriesRepository } from './queue-entries-repository.ts';

/** So many rounds tell how long one takes now; more would tell of last week. */
const latestRounds = 500;

type Parts = { queueEntries: QueueEntriesRepository; leases: LeasesRepository; runners: RunnersRepository };

/** @param clock.lostAfterMs a runner without a sign for so long is lost. */
export function createQueueReads(
  { queueEntries, leases, runners }: Parts,
  { now, agingMs, lostAfterMs, maxOpenRounds }: { now: () => number; agingMs: number; lostAfterMs: number; maxOpenRounds: number },
): Pick<Queue, 'place' | 'foresee' | 'assertRoom' | 'depths' | 'countLost'> {
  const around = () => ({
    ...{ now: now(), agingMs, waiting: queueEntries.waiting(), runners: runners.working(now() - lostAfterMs) },
    completed: leases.latestCompleted(latestRounds),
  });
  return {
    async place(id) {
      const campaignId = rowId(id);
      const entry = found(queueEntries.find(campaignId), `campaign ${id}`);
      return placeInQueue({ ...around(), entry, unregistered: leases.countUnregistered(campaignId) });
    },
    async foresee({ shapes, ...needs }, rank, rounds) {
      const unmade = { campaignId: 0, rank, ...needs, shapes: shapes ? (1 as const) : (0 as const), queued: rounds, leased: 0 };
      const entry = { ...unmade, queuedAt: now(), waitingSince: now() };
      return placeInQueue({ ...around(), entry, unregistered: 0 });
    },
    assertRoom: (rounds) => assertRoom(rounds, queueEntries.countOpen(), maxOpenRounds),
    depths: async () => queueEntries.depths().map(toDepth),
    countLost: async () => leases.countLost(),
  };
}

function toDepth({ rank, location, campaigns, queued, leased, oldest, longest }: DepthRow): QueueDepth {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    priority: priorities[rank] ?? 'schedule',
    location,
    campaigns,
    queued,
    leased,
    oldestQueuedAt: time(oldest),
    longestWaitSince: time(longest),
  };
}
