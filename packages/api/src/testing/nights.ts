// Campaigns of a schedule, one each night, with made numbers.
import type { Outcome, ScheduleRequest } from '@pronghorn/core/schemas';
import { sampleMetrics, sampleVisit } from './samples.ts';
import type { TestApi } from './test-api.ts';

export const campaign: ScheduleRequest['campaign'] = {
  sites: [
    { url: 'https://shop.example/', name: 'shop' },
    { url: 'https://blog.example/', name: 'blog' },
  ],
  conditions: ['native', 'latency-50'],
  protocols: ['h2', 'h3'],
  rounds: 3,
};

/** Nights differ by some per cent, in an order that is no trend. */
export const nights = [0, 1, -1, 2, -2, 1, 0];

export type Place = { site: string; condition: string; protocol: string };

/**
 * A night: the campaign is started and all of it performed.
 *
 * @param factorOf how much slower than usual something is; ∞: its loads fail. @param environmentId of one that is there
 */
export async function night(
  api: TestApi,
  scheduleId: string,
  noise: number,
  factorOf: (place: Place) => number = () => 1,
  environmentId: string | null = null,
): Promise<string> {
  api.clock.now += 86_400_000;
  const { id, progress } = (await api.post(`/schedules/${scheduleId}/start`)).body;
  for (let round = 0; round < progress.rounds; round++) {
    const lease = await api.lease();
    for (const slot of lease.round.order) {
      const place = { site: lease.site.name, condition: lease.round.condition, protocol: lease.spec.protocols[slot] ?? '' };
      const onLoad = 1000 * (1 + noise / 100) * factorOf(place) + lease.round.number;
      const outcome: Outcome = Number.isFinite(onLoad)
        ? { verdict: 'valid', metrics: sampleMetrics({ onLoad }) }
        : { verdict: 'invalid', reason: 'load-timeout', detail: 'No load event.' };
      await api.upload(lease, sampleVisit(lease, slot, { outcome, loadTimeoutMs: 300_000, environmentId }));
    }
    await api.complete(lease);
  }
  await api.app.scheduler.tick();
  return id;
}

/** A schedule of that campaign, started by `night` alone. */
export async function nightly(api: TestApi, given: Partial<ScheduleRequest> = {}): Promise<string> {
  return (await api.post('/schedules', { name: 'nightly', cron: '30 2 * * *', paused: true, campaign, ...given })).body.id;
}
