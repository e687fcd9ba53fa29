import type { CallsPolicy } from '@pronghorn/core/schemas';
import type { ApiOptions } from '../app.ts';
import type { CampaignLimits, LimitedRole } from '../plugins/app/access/access-options.ts';
import { limitsOf } from '../plugins/app/access/admission.ts';
import { callsPolicy } from '../plugins/app/calls/calls.ts';
import type { EvidenceSettings } from '../plugins/app/evidence/evidence-commands.ts';
import { defaultQueueOptions, type QueueOptions } from '../plugins/app/queue/queue.ts';
import { defaultRunnersOptions, lostAfterMs, type RunnersOptions } from '../plugins/app/runners/runner-commands.ts';
import { defaultSessionMs } from '../tables/tokens-repository.ts';

/** What an operator chose, as far as commands depend on it; plain data. */
export type StoreSettings = {
  /** Of the database; the key of sealed secrets lies beside it. */
  file: string;
  /** How long a browser stays signed in, milliseconds. */
  sessionMs: number;
  /** For how long results may be public; null: they may not. */
  publicLinkDays: number | null;
  calls: CallsPolicy;
  /** Of one campaign and of all that wait, by role; null: access is open. */
  limits: Record<LimitedRole, CampaignLimits> | null;
  evidence: EvidenceSettings;
  runners: RunnersOptions;
  queue: QueueOptions & { leaseMs: number; lostAfterMs: number };
  /** Where people find the dashboard, for links; null: unknown. */
  publicUrl: string | null;
};

type Chosen = Pick<
  ApiOptions,
  'database' | 'evidenceDirectory' | 'evidence' | 'access' | 'calls' | 'runners' | 'queue' | 'leaseMs' | 'notifications'
>;

/** @throws Error for a host of REST calls that is none. */
export function settingsOf({
  database,
  evidenceDirectory,
  evidence,
  access = { kind: 'open' },
  calls,
  runners,
  queue,
  leaseMs = 60_000,
  notifications,
}: Chosen): StoreSettings {
  return {
    file: database,
    sessionMs: (access.kind === 'tokens' && access.sessionMs) || defaultSessionMs,
    publicLinkDays: (access.kind === 'tokens' && access.publicLinkDays) || null,
    calls: callsPolicy(access, calls ?? {}),
    limits: limitsOf(access),
    evidence: { budgetBytes: null, ...evidence, directory: evidenceDirectory },
    runners: { ...defaultRunnersOptions, ...runners },
    queue: { ...defaultQueueOptions, ...queue, leaseMs, lostAfterMs: lostAfterMs(runners) },
    publicUrl: notifications?.publicUrl ?? null,
  };
}
