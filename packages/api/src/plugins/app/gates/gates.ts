// Gates at work: questions are stored, and answered when their campaigns are done or cancelled.
import { type GateAnswer, type GateFailure, type GateResult, maxFailedChecks } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import { hasEnded } from '../campaigns/campaigns-repository.ts';
import { runLoop } from '../loop.ts';
import { cut } from '../notifications/messages.ts';
import type { MessageContent } from '../notifications/notifications.ts';
import {
  createGateAnswersRepository,
  createGatesRepository,
  type GateAnswersRepository,
  type GatesRepository,
  type Question,
} from './gates-repository.ts';

declare module 'fastify' {
  interface FastifyInstance {
    gates: GatesRepository & {
      readonly answers: GateAnswersRepository;
      /** ISO 8601. */
      timeNow(): string;
      /**
       * Stores a question, to be answered as soon as its campaign is done or cancelled. May be part of a transaction, such as that in which the campaign is
       * made.
       */
      ask(question: Question): GateAnswer;
      /** The same for a stored gate, by its id or its name. @returns null where there is no such gate. */
      askNamed(gate: string, campaignId: number, askedBy: string | null): GateAnswer | null;
      /** Stores a question, and answers it at once where the campaign is done or cancelled: else result is null. */
      check(question: Question): Promise<GateAnswer>;
      /** Answers what can be answered by now. The loop calls it. */
      tick(): Promise<void>;
    };
  }
}

export default fp(async (app) => {
  const gates = createGatesRepository(app.database);
  const answers = createGateAnswersRepository(app.database);
  const timeNow = () => new Date(app.now()).toISOString();

  /** Each question once, however many processes do so: who writes the answer first tells of it. */
  async function answerAll(campaignId: number): Promise<void> {
    for (const { id, rules } of answers.waiting(campaignId)) {
      const result = await app.results.gate(campaignId, rules);
      const isFirst = await app.write(() => {
        if (app.campaigns.stateOf(campaignId) !== result.state) return false; // resumed meanwhile: it is answered when it is done
        if (!answers.answer(id, result, timeNow())) return false;
        if (result.outcome === 'fail') tell(id, result);
        return true;
      });
      if (isFirst) app.campaignChanges.announce(campaignId); // somebody may wait for it
    }
  }

  /** Part of the transaction in which the answer is stored. */
  function tell(answerId: string, result: GateResult): void {
    const campaignId = Number(result.campaignId);
    const schedule = app.schedules.ofCampaign(campaignId);
    const campaign = app.campaigns.findSpec(campaignId);
    const content = failedGateContent(result, {
      gate: answers.find(answerId)?.gate ?? null,
      campaign: campaign?.spec.name ?? `campaign ${campaignId}`,
      siteName: (siteId) => campaign?.sites.find(({ id }) => id === siteId)?.name ?? siteId,
      answerUrl: app.notifications.addressOf(`/api/v1/campaigns/${campaignId}/gates/${answerId}`),
    });
    app.log.warn({ event: 'gate-failed', campaign: result.campaignId }, content.title);
    app.notifications.enqueue({
      event: 'gate-failed',
      campaignId,
      scheduleId: schedule?.id ?? null,
      only: schedule?.spec.notifications ?? null,
      content,
    });
  }

  async function tick(): Promise<void> {
    for (const campaignId of answers.answerable()) {
      try {
        await answerAll(campaignId);
      } catch (error) {
        if (app.campaigns.stateOf(campaignId) === undefined) continue; // it was deleted meanwhile, and its questions with it
        app.log.error({ err: error, campaignId }, 'a gate could not be checked; it is tried again');
      }
    }
  }

  const ask = (question: Question) => answers.ask(question, timeNow());
  app.decorate('gates', {
    ...gates,
    answers,
    timeNow,
    ask,
    askNamed(given, campaignId, askedBy) {
      const gate = gates.find(given) ?? gates.findNamed(given);
      return gate === undefined ? null : ask({ campaignId, gate, rules: gate.rules, askedBy });
    },
    async check(question) {
      const asked = await app.write(() => ask(question));
      if (asked.checkedAt !== null || !hasEnded(app.campaigns.stateOf(question.campaignId))) return asked;
      await answerAll(question.campaignId);
      return answers.find(asked.id) ?? asked;
    },
    tick,
  });

  // Once a minute too: a campaign may have ended in another process.
  const wake = runLoop(app, { name: 'gates', tick });
  app.campaignChanges.listenToAll((campaignId) => {
    if (hasEnded(app.campaigns.stateOf(campaignId)) && answers.waiting(campaignId).length > 0) wake();
  });
});

type FailureCircumstances = {
  /** Its name; null: its rules came with the question. */
  gate: string | null;
  /** Its name. */
  campaign: string;
  siteName(siteId: string): string;
  answerUrl: string;
};

export function failedGateContent(result: GateResult, { gate, campaign, siteName, answerUrl }: FailureCircumstances): MessageContent {
  const { words, counts } = result;
  const all = result.checks.filter(({ outcome }) => outcome === 'fail');
  const failed = all.slice(0, maxFailedChecks).map(({ siteId, condition, view, protocol, metric, value, max, min, words }) => {
    return { site: siteName(siteId), condition, view, protocol, metric, value, max, min, words: cut(words) };
  });
  const more = all.length - failed.length;
  const details: GateFailure = { outcome: 'fail', words, counts, failed, more, answerUrl };
  return {
    title: `${gate === null ? 'A gate' : `Gate ${gate}`} failed: ${campaign}`,
    lines: [
      words,
      ...failed.map((check) => `${check.site}, ${check.condition}, ${check.view}: ${check.words}`),
      ...(more > 0 ? [`… and ${more} more.`] : []),
    ],
    details,
  };
}
