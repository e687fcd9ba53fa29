import { randomBytes } from 'node:crypto';
import type { NotificationChange, NotificationRequest, NotificationTarget } from '@pronghorn/core/schemas';
import { usualEvents } from '@pronghorn/core/vocabulary';
import { assertNameFree, found, namedList, ProblemError } from '../../../shared/problems.ts';
import { rowId, type Slice } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import { type Claimed, shown } from '../../../tables/notifications-repository.ts';
import { assertUnchanged } from '../revalidation.ts';
import type { MessageContent } from './notifications.ts';

/** After each try, until the next one: when the sixth has passed without luck, nine hours have. */
const [second, minute, hour] = [1_000, 60_000, 3_600_000];
export const pausesMs = [10 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour];
/** How long the list of deliveries goes back: 30 days. */
const keptMs = 30 * 24 * hour;
/** Longer than a try takes: what a process claimed and never finished is another's by then. */
const claimMs = minute;

/** Notification targets as clients see them. */
export function createTargetReads({ targets, deliveries }: Pick<Tables, 'targets' | 'deliveries'>) {
  return {
    findTarget(id: string): NotificationTarget | undefined {
      const target = targets.find(rowId(id));
      return target && shown(target, deliveries.countsOf(target.id));
    },
    targets: (slice: Slice, name: string | null) => targets.page(slice, name, deliveries.countsOf),
    /** Which of these ids targets have. */
    exist: (ids: readonly string[]): string[] => ids.filter((id) => targets.find(rowId(id)) !== undefined),
    /** Where a target is told and what signs it; not for clients. */
    addressOf: (id: number) => targets.find(id),
    deliveriesOf: (id: string, slice: Slice) => deliveries.page(found(targets.find(rowId(id)), `notification target ${id}`).id, slice),
    findDelivery: deliveries.find,
    earliest: deliveries.earliest,
  };
}

/** Refusals are ProblemErrors. */
export function notificationCommands({ now, timeNow, clock, audit, keys, outbox, schedules, targets, deliveries }: Tables) {
  const stored = (id: string) => found(targets.find(rowId(id)), `notification target ${id}`);
  const secretFor = (kind: NotificationTarget['kind']) => (kind === 'webhook' ? `whsec_${randomBytes(32).toString('base64url')}` : '');
  const defaults = { events: [...usualEvents], campaigns: 'all', enabled: true } as const;
  const assertSame = (id: number, caller: Caller) => assertUnchanged(caller, shown(stored(String(id)), deliveries.countsOf(id)));

  return {
    create: (request: NotificationRequest, caller: Caller) =>
      keys.once(caller, () => {
        const { name, kind } = request;
        assertNameFree('notification', name, targets.idNamed(name));
        const id = targets.insert({ ...defaults, events: [...defaults.events], ...request }, secretFor(kind), timeNow());
        audit.of(caller, 'notification.create', id, { name });
        return id;
      }),

    /** @returns the secret of another kind of target; null: it is as before, or there is none. */
    change(id: string, change: NotificationChange, caller: Caller): string | null {
      const before = stored(id);
      assertSame(before.id, caller);
      assertNameFree('notification', change.name, targets.idNamed(change.name), before.id);
      const isOtherKind = change.kind !== before.kind;
      const secret = isOtherKind ? secretFor(change.kind) : before.secret;
      targets.update(before.id, { ...defaults, events: [...defaults.events], ...change, url: change.url ?? before.url }, secret);
      audit.of(caller, 'notification.change', before.id, { name: change.name });
      return (isOtherKind && secret) || null;
    },

    /** @throws ProblemError target-in-use: a schedule whose only target is gone would fail in silence. */
    delete(id: string, caller: Caller): void {
      const target = stored(id);
      assertSame(target.id, caller);
      const named = namedList(schedules.telling(target.id));
      if (named !== null) {
        throw new ProblemError(
          'target-in-use',
          `Notification target ${id} is named by schedule ${named}. Take it out of their notifications first, by PUT /api/v1/schedules/:id.`,
        );
      }
      targets.delete(target.id);
      audit.of(caller, 'notification.delete', target.id, { name: target.name });
    },

    /** @returns the delivery. */
    sendTest: (id: string, caller: Caller) =>
      keys.once(caller, () => {
        const target = stored(id);
        if (target.enabled) return outbox.enqueueTest(target);
        throw new ProblemError(
          'invalid-request',
          `Notification target ${id} is not enabled, so that nothing is sent to it. Enable it first.`,
        );
      }),

    /** Takes on the delivery that waits longest. */
    claim: (): Claimed | undefined => deliveries.claim(now(), now() + claimMs),
    /** What a delivery says; making it may have taken long. @returns whether it is still this claim's to send. */
    setContent: (claimed: Claimed, content: MessageContent): boolean => deliveries.setContent(claimed, content, now() + claimMs),
    setDelivered: (id: string): void => deliveries.setDelivered(id, timeNow()),
    /** A try failed. @param words why. @returns whether there is another one. */
    setFailed({ id, attempts }: Claimed, words: string): boolean {
      const pause = pausesMs[attempts - 1];
      deliveries.setFailed(id, attempts, pause === undefined ? null : now() + pause, words.slice(0, 500));
      return pause !== undefined;
    },
    /** Forgets old deliveries; what waits for longer than any pause was put off by a clock that was ahead, and becomes due. */
    tidy(): void {
      if (clock.doubt() === null) deliveries.forgetBefore(now() - keptMs);
      deliveries.hasten(now() + Math.max(...pausesMs) + claimMs, now());
    },
  };
}
