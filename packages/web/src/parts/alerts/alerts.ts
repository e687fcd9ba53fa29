// What got worse, and how many of it nobody has seen yet.
import type { Alert } from '@pronghorn/core/schemas';
import { readonly, shallowRef, watch } from 'vue';
import { ask } from '../../service/ask.ts';
import { type Reading, useReading } from '../../service/reading.ts';
import { session } from '../../state/session.ts';

const everyMs = 30_000;
/** Grows whenever this tab acknowledges something, so that whatever shows alerts reads them anew. */
const changes = shallowRef(0);

const openCount = shallowRef(0);
/** Open alerts of the whole service. */
export const openAlerts = readonly(openCount);

/** Keeps `openAlerts`; for the navigation, which every page has. */
export function useOpenAlerts(): void {
  const reading = useReading(
    () => (session.may('viewer') ? 'alerts' : null),
    async (_, signal) => (await ask('GET /alerts', { query: { state: 'open', limit: 1 }, signal })).open,
    () => everyMs,
  );
  watch(reading.value, (open) => {
    openCount.value = open ?? 0;
  });
  watch(changes, () => void reading.again());
}

/** What of an alert's subject is asked for; empty: all. */
export type AlertSubject = { siteId?: string; scheduleId?: string; campaignId?: string; gateId?: string };
export type CurrentAlerts = { alerts: Alert[] /** How many there are, beyond those that were read. */; open: number };

/** Alerts that are not resolved: open ones first, of each state regressions first. Null: nothing to ask yet. */
export function useAlerts(of: () => AlertSubject | null): Reading<CurrentAlerts> {
  const reading = useReading(
    of,
    async (subject, signal): Promise<CurrentAlerts> => {
      const [open, seen] = await Promise.all(
        (['open', 'acknowledged'] as const).map((state) => ask('GET /alerts', { query: { ...subject, state, limit: 20 }, signal })),
      );
      return { alerts: [...(open?.items ?? []), ...(seen?.items ?? [])], open: open?.open ?? 0 };
    },
    () => everyMs,
  );
  watch(changes, () => void reading.again());
  return reading;
}

export async function acknowledge(alert: Pick<Alert, 'id' | 'state'>): Promise<void> {
  if (alert.state === 'open') await ask('POST /alerts/{id}/acknowledge', { id: alert.id });
  else await ask('DELETE /alerts/{id}/acknowledge', { id: alert.id });
  changes.value++;
}
