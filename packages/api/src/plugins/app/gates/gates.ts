// Gates at work: questions are stored, and answered when their campaigns are done or cancelled.
import type { GateAnswer, GateResult } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import { hasEnded } from '../campaigns/campaigns-repository.ts';
import { startLoop } from '../loop.ts';
import { failedGateContent } from './failed-gate.ts';
import { createGateAnswersRepository, type GateAnswersRepository, type Question } from './gate-answers-repository.ts';
import { createGatesRepository, type GatesRepository } from './gates-repository.ts';

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

export default fp<{ now: () => number }>(
  async (app, { now }) => {
    const gates = createGatesRepository(app.database);
    const answers = createGateAnswersRepository(app.database);
    const timeNow = () => new Date(now()).toISOString();
    let wake = () => {};

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

    const listening = app.campaignChanges.listenToAll((campaignId) => {
      if (hasEnded(app.campaigns.stateOf(campaignId)) && answers.waiting(campaignId).length > 0) wake();
    });
    let stop = async () => {};
    app.addHook('onReady', async () => {
      // Once a minute too: a campaign may have ended in another process.
      const loop = startLoop({ name: 'gates', tick, nextAt: () => null }, { now, log: app.log });
      wake = loop.wake;
      stop = loop.stop;
    });
    app.addHook('preClose', async () => {
      listening();
      await stop();
    });
  },
  {
    name: 'gates',
    dependencies: ['sqlite', 'results', 'notifications', 'schedules-repository', 'campaigns-repository', 'campaign-changes'],
  },
);
