import { randomInt } from 'node:crypto';
import type { CampaignRequest } from '@pronghorn/core/schemas';
import { looksOf } from '@pronghorn/core/verdict';
import { cellsOf } from '@pronghorn/core/vocabulary';
import { ProblemError } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import { type Creator, hasEnded } from '../../../tables/campaigns-repository.ts';
import { needsOf, rankOf } from '../../../tables/queue-entries-repository.ts';
import { assertOwn, creatorOf } from '../access/access.ts';
import { createAdmissionRules } from '../access/admission.ts';
import { assertInScope, assertMadeInScope } from '../access/scope.ts';
import { planRounds } from '../queue/next-rounds.ts';
import { assertRoom, createQueueReads } from '../queue/place-in-queue.ts';
import { createRoundTransitions } from '../queue/round-transitions.ts';
import { assertReferences, completeSpec } from '../spec/campaign-spec.ts';

/** @returns stores a campaign and its rounds, as part of a transaction, and answers its row. */
export function createSubmit(tables: Tables) {
  const { now, timeNow, settings, effects, campaigns, conditions, queueEntries, rounds } = tables;
  const { log } = createRoundTransitions(tables);
  const reads = createQueueReads(tables, settings.queue);

  /** @throws ProblemError invalid-campaign: what is the second run of nothing confirms nothing. */
  function assertRepeated(id: string | undefined): void {
    if (id === undefined || campaigns.stateOf(rowId(id)) !== undefined) return;
    const detail = `The campaign is the second run of campaign ${id}, which there is not; expected the id of one that is there.`;
    throw new ProblemError('invalid-campaign', detail, [{ pointer: '#/annotations/repeats', detail }]);
  }

  /** @param createdBy the token or schedule; null: this machine's own command. @throws ProblemError invalid-campaign, queue-full; as completeSpec. */
  return (request: CampaignRequest, createdBy: Creator | null): number => {
    const complete = completeSpec(request, randomInt(2 ** 31), conditions.all(), settings.calls);
    const { spec, sites } = complete;
    assertReferences(complete, settings.queue.localReferences ? ['env', 'file', 'secret'] : ['secret']);
    const { priority = 'interactive', location = null, annotations = {} } = request;
    assertRepeated(annotations.repeats);
    const { campaignId, siteIds } = campaigns.insert(spec, sites, { priority, location, annotations, createdBy }, timeNow());
    const last = looksOf(spec, sites.length)?.[0]?.rounds ?? spec.rounds;
    const planned = planRounds(spec, siteIds, cellsOf({ ...spec, sites: siteIds.map((id) => ({ id })) }), { first: 1, last });
    reads.assertRoom(planned.length);
    queueEntries.insert({ campaignId, rank: rankOf(priority), ...needsOf(spec, location) }, now());
    rounds.insertAll(campaignId, planned);
    log.made(campaignId, planned.length, createdBy?.name ?? null);
    effects.campaignChanged(campaignId);
    return campaignId;
  };
}

/** For so long a deletion can be taken back. */
export const restorableMs = 7 * 86_400_000;
/** For so long a resolved alert is listed, and a public link that ended. */
const rememberedMs = 365 * 86_400_000;

/** Refusals are ProblemErrors. */
export function campaignCommands(tables: Tables) {
  const {
    now,
    timeNow,
    clock,
    settings,
    effects,
    alerting,
    alerts,
    answers,
    audit,
    campaigns,
    keys,
    publicLinks,
    queueEntries,
    rounds,
    visits,
  } = tables;
  const submit = createSubmit(tables);
  const rules = createAdmissionRules(tables);
  const { log, settle } = createRoundTransitions(tables);

  /** @throws ProblemError not-found, forbidden, out-of-scope. */
  function changeable(id: string, { access }: Caller) {
    const campaign = campaigns.known(id);
    assertOwn(access, `Campaign ${id}`, campaigns.ownerOf(campaign.campaignId));
    assertInScope(access, campaigns.ledBy(campaign.campaignId));
    return campaign;
  }

  /** @throws ProblemError campaign-active. */
  function assertEnded(id: string): void {
    const { campaignId, state } = campaigns.known(id);
    if (state !== 'queued' && state !== 'running' && !rounds.anyOpen(campaignId)) return;
    const what = state === 'cancelled' ? 'is cancelled, and a round of it is still being performed' : `is ${state}`;
    const then = state === 'cancelled' ? 'Try again when it is over' : `Cancel it first: POST /api/v1/campaigns/${id}/cancel`;
    throw new ProblemError('campaign-active', `Campaign ${id} ${what}. ${then}.`);
  }

  return {
    /** For this machine's own command. @returns its id. */
    submit: (request: CampaignRequest, createdBy: Creator | null = null): string => String(submit(request, createdBy)),

    /** @param detail for the audit log. */
    create: (request: CampaignRequest, caller: Caller, detail: Readonly<Record<string, unknown>> = {}) =>
      keys.once(caller, () => {
        const campaignId = submit(request, creatorOf(caller.access));
        audit.of(caller, 'campaign.create', campaignId, detail);
        return campaignId;
      }),

    /** Takes all queued rounds out of the queue; a leased one may finish. A campaign that is done stays so. */
    cancel(id: string, caller: Caller): void {
      const { campaignId, state } = changeable(id, caller);
      assertMadeInScope(caller.access, id, answers.ofCampaign(campaignId, { limit: 1, cursor: null }).items[0]);
      if (hasEnded(state)) return;
      rounds.cancelQueued(campaignId, 'user', 'The campaign was cancelled.');
      campaigns.setState(campaignId, 'cancelled');
      effects.due('gates');
      log.cancelled(campaignId, caller.access.name);
      audit.of(caller, 'campaign.cancel', campaignId);
      effects.campaignChanged(campaignId);
    },

    /** Puts back what `cancel` took out. A campaign that is not cancelled stays as it is. */
    resume(id: string, caller: Caller): void {
      const { campaignId, state } = changeable(id, caller);
      if (state !== 'cancelled') return;
      rules.assertRoom(caller.access);
      const open = queueEntries.countOpen();
      assertRoom(rounds.requeueCancelled(campaignId, 'user'), open, settings.queue.maxOpenRounds);
      answers.reopen(campaignId);
      audit.of(caller, 'campaign.resume', campaignId);
      log.resumed(campaignId, caller.access.name);
      campaigns.setState(campaignId, rounds.anyAttempted(campaignId) ? 'running' : 'queued');
      settle(campaignId);
      effects.campaignChanged(campaignId);
    },

    /** From now on nobody finds the campaign. For a week it can be restored; then its rows and files go. */
    delete(id: string, caller: Caller): void {
      const { campaignId } = changeable(id, caller);
      assertEnded(id);
      campaigns.markDeleted(campaignId, timeNow());
      alerting.campaignGoneOrBack(campaignId);
      audit.of(caller, 'campaign.delete', id);
      effects.campaignChanged(campaignId); // who follows it learns that it is gone
    },

    /** Lets a campaign go at once and for good, also one that is deleted already. */
    purge(id: string, caller: Caller): void {
      if (!campaigns.isDeleted(rowId(id))) changeable(id, caller);
      assertOwn(caller.access, `Campaign ${id}`, campaigns.ownerOf(rowId(id)));
      assertInScope(caller.access, campaigns.ledBy(rowId(id)));
      if (!campaigns.isDeleted(rowId(id))) assertEnded(id);
      campaigns.markLeaving(rowId(id));
      alerting.campaignGoneOrBack(rowId(id));
      audit.of(caller, 'campaign.purge', id);
      effects.campaignChanged(rowId(id));
    },

    /** Takes a deletion back; a campaign that is not deleted stays as it is. */
    restore(id: string, caller: Caller): void {
      const campaignId = rowId(id);
      if (!campaigns.isDeleted(campaignId)) return;
      assertOwn(caller.access, `Campaign ${id}`, campaigns.ownerOf(campaignId));
      if (!campaigns.restore(campaignId, new Date(now() - restorableMs).toISOString())) {
        throw new ProblemError(
          'not-found',
          `There is no campaign ${id} that was deleted within the last ${restorableMs / 86_400_000} days.`,
        );
      }
      alerting.campaignGoneOrBack(campaignId);
      audit.of(caller, 'campaign.restore', id);
      effects.campaignChanged(campaignId);
    },

    /** What was deleted too long ago to be restored goes, and alerts and public links that ended a year ago. By a clock that is wrong nothing is too old. @returns whether there was any. */
    letGoDeleted(): void {
      if (clock.doubt() !== null) return;
      for (const id of campaigns.deletedBefore(new Date(now() - restorableMs).toISOString())) campaigns.markLeaving(id);
      const forgotten = new Date(now() - rememberedMs).toISOString();
      alerts.forgetBefore(forgotten);
      publicLinks.forgetBefore(forgotten);
    },

    /** @returns the ids of visits that went; fewer than `atMost`: none is left. */
    removeVisits(campaignId: number, atMost: number): number {
      const ids = visits.someOf(campaignId, atMost);
      if (ids.length > 0) visits.deleteAll(ids);
      return ids.length;
    },
    /** What a campaign has besides its visits. @returns how many rows went; fewer than `atMost`: none is left of this kind. */
    removeSome: (campaignId: number, kind: 'results' | 'siteResults' | 'linkChecks' | 'discoveries' | 'rounds', atMost: number): number =>
      tables[kind].deleteSome(campaignId, atMost),
    remove: (campaignId: number): void => campaigns.delete(campaignId),
    /** Environments that no visit refers to any more. */
    removeUnusedEnvironments: (atMost: number): void => void tables.environments.deleteUnused(atMost),
  };
}
