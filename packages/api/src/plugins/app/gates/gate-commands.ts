import type {
  CampaignRequest,
  Gate,
  GateAnswer,
  GateDraft,
  GateQuestion,
  GateRequest,
  GateResult,
  ReadRules,
} from '@pronghorn/core/schemas';
import { assertNameFree, found, namedList, ProblemError } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import type { Question } from '../../../tables/gates-repository.ts';
import { assertOwn, creatorOf, type RequestAccess } from '../access/access.ts';
import { assertGateInScope, assertInScope } from '../access/scope.ts';
import { createSubmit } from '../campaigns/campaign-commands.ts';
import { assertUnchanged } from '../revalidation.ts';
import { completeSpec } from '../spec/campaign-spec.ts';
import { assertGate, type CompleteQuestion, completeQuestion, completingCampaigns } from './gate-question.ts';
import { failedGateContent } from './gates.ts';

/** Gates, questions and answers, read. */
export function createGateReads({ answers, campaigns, conditions, gates, settings }: Tables) {
  const byIdOrName = (gate: string) => gates.find(gate) ?? gates.findNamed(gate);
  return {
    find: gates.find,
    findByIdOrName: byIdOrName,
    page: gates.page,
    findAnswer: answers.find,
    answersOfCampaign: answers.ofCampaign,
    answersOfGate: answers.ofGate,
    newestOutcome: answers.newestOutcome,
    waiting: answers.waiting,
    answerable: answers.answerable,

    /** A question, complete, that may be put by whoever has this access. @throws ProblemError as `completeQuestion`; out-of-scope. */
    completeQuestion(question: GateQuestion, access: RequestAccess): CompleteQuestion {
      const complete = completeQuestion(question, {
        gateOf: gates.find,
        campaignOf: campaigns.find,
        completeSpec: (request) => completeSpec(request, 0, conditions.all(), settings.calls),
      });
      assertGateInScope(access, complete.gate, question.campaign);
      assertInScope(access, 'campaign' in complete ? campaigns.ledBy(rowId(complete.campaign.id)) : complete.request);
      return complete;
    },

    /** Reads and checks what a gate would assert. */
    problemsOf(draft: GateDraft): ReadRules['problems'] {
      try {
        assertGate(draft, completingCampaigns(conditions.all, settings.calls));
        return [];
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        const whole = [{ pointer: error.kind === 'invalid-campaign' ? '#/campaign' : '#/rules', detail: error.message }];
        return error.errors.length > 0 ? error.errors : whole;
      }
    },
  };
}

export function gateCommands(tables: Tables) {
  const { gates, answers, audit, campaigns, conditions, keys, schedules, settings, timeNow, effects } = tables;
  const completing = completingCampaigns(conditions.all, settings.calls);
  const submit = createSubmit(tables);

  /** @throws ProblemError invalid-gate, invalid-campaign, name-taken. */
  function assertStorable(gate: GateRequest, own?: string): void {
    assertGate(gate, completing);
    assertNameFree('gate', gate.name, gates.findNamed(gate.name)?.id, own);
  }

  /** A schedule whose gate is gone would not start. @param what is done to the gate. @throws ProblemError gate-in-use. */
  function assertUnused(gate: Gate, what: string, byItsId = true): void {
    const named = namedList(schedules.judgedBy(gate.name, byItsId ? gate.id : null));
    if (named === null) return;
    throw new ProblemError(
      'gate-in-use',
      `Gate ${gate.id} (${gate.name}) is named by schedule ${named}. Before it is ${what}, name another one there, or none, by PUT /api/v1/schedules/:id.`,
    );
  }

  /** The gate as it is. @throws ProblemError not-found, forbidden, out-of-scope, changed-meanwhile. */
  function changeable(id: string, caller: Caller): Gate {
    const gate = found(gates.find(id), `gate ${id}`);
    assertOwn(caller.access, `Gate ${id}`, gate.createdBy);
    assertInScope(caller.access, gate.campaign);
    assertUnchanged(caller, gate);
    return gate;
  }

  function tellFailure(answerId: string, result: GateResult): void {
    const campaignId = Number(result.campaignId);
    const schedule = schedules.ofCampaign(campaignId);
    const campaign = campaigns.findSpec(campaignId);
    const content = failedGateContent(result, {
      gate: answers.askedOf(answerId)?.gate ?? null,
      campaign: campaign?.spec.name ?? `campaign ${campaignId}`,
      siteName: (siteId) => campaign?.sites.find(({ id }) => id === siteId)?.name ?? siteId,
      answerUrl: tables.outbox.addressOf(`/api/v1/campaigns/${campaignId}/gates/${answerId}`),
    });
    effects.log('warn', { event: 'gate-failed', campaign: result.campaignId }, content.title);
    tables.outbox.enqueue({
      event: 'gate-failed',
      campaignId,
      scheduleId: schedule?.id ?? null,
      only: schedule?.spec.notifications ?? null,
      content,
    });
  }

  return {
    /** @throws ProblemError invalid-gate, invalid-campaign, name-taken, key-reused. */
    create: (gate: GateRequest, caller: Caller) =>
      keys.once(caller, () => {
        assertStorable(gate);
        const id = gates.insert(gate, timeNow(), caller.access.name);
        audit.of(caller, 'gate.create', id, { name: gate.name });
        return id;
      }),

    /** @throws ProblemError as `create`; not-found, forbidden, out-of-scope, changed-meanwhile, gate-in-use. */
    change(id: string, gate: GateRequest, caller: Caller): void {
      const before = changeable(id, caller);
      // Who names it by its id goes on to do so.
      if (before.name !== gate.name) assertUnused(before, 'called otherwise', false);
      assertStorable(gate, before.id);
      gates.update(before.id, gate, timeNow());
      audit.of(caller, 'gate.change', before.id, { name: gate.name });
    },

    /** Its answers stay. @throws ProblemError not-found, forbidden, out-of-scope, changed-meanwhile, gate-in-use. */
    delete(id: string, caller: Caller): void {
      const gate = changeable(id, caller);
      assertUnused(gate, 'deleted');
      gates.delete(gate.id);
      audit.of(caller, 'gate.delete', gate.id, { name: gate.name });
    },

    /** Makes a campaign and asks it: both or neither, since one that nobody asks would be measured for nothing. @returns the question. */
    askOfNew: (request: CampaignRequest, question: Omit<Question, 'campaignId'>, caller: Caller) =>
      keys.once(caller, () => {
        const campaignId = submit(request, creatorOf(caller.access));
        audit.of(caller, 'campaign.create', campaignId, { gate: question.gate?.name ?? null });
        return answers.ask({ ...question, campaignId }, timeNow()).id;
      }),

    /** Stores a question, to be answered when its campaign is done or cancelled. */
    ask: (question: Question): GateAnswer => answers.ask(question, timeNow()),

    /**
     * Stores an answer, and tells of one that fails. Each question is answered once, however many processes do so.
     * @returns false where another one was first, or the campaign was resumed meanwhile.
     */
    answer(id: string, campaignId: number, result: GateResult): boolean {
      if (campaigns.stateOf(campaignId) !== result.state) return false;
      if (!answers.answer(id, result, timeNow())) return false;
      if (result.outcome === 'fail') tellFailure(id, result);
      const asked = answers.askedOf(id);
      if (asked !== undefined) tables.alerting.gateAnswered(asked, result);
      effects.campaignChanged(campaignId); // somebody may wait for it
      return true;
    },
  };
}
