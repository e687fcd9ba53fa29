// Gates at work: questions are stored, and answered when their campaigns are done or cancelled.
import { type GateAnswer, type GateFailure, type GateResult, maxFailedChecks } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import { runLoop } from '../../../shared/loop.ts';
import { hasEnded } from '../../../tables/campaigns-repository.ts';
import type { Question } from '../../../tables/gates-repository.ts';
import { cut } from '../notifications/messages.ts';
import type { MessageContent } from '../notifications/notifications.ts';

declare module 'fastify' {
  interface FastifyInstance {
    gates: {
      /** Stores a question, and answers it at once where the campaign is done or cancelled: else result is null. */
      check(question: Question): Promise<GateAnswer>;
      /** Answers what can be answered by now. The loop calls it. */
      tick(): Promise<void>;
    };
  }
}

export default fp(async (app) => {
  const { store } = app;

  async function answerAll(campaignId: number): Promise<void> {
    for (const { id, rules } of await store.gates.waiting(campaignId)) {
      await store.gates.answer(id, campaignId, await app.results.gate(campaignId, rules));
    }
  }

  async function tick(): Promise<void> {
    for (const campaignId of await store.gates.answerable()) {
      try {
        await answerAll(campaignId);
      } catch (error) {
        if ((await store.campaigns.stateOf(campaignId)) === undefined) continue; // it was deleted meanwhile, and its questions with it
        app.log.error({ err: error, campaignId }, 'a gate could not be checked; it is tried again');
      }
    }
  }

  app.decorate('gates', {
    async check(question) {
      const asked = await store.gates.ask(question);
      if (asked.checkedAt !== null || !hasEnded(await store.campaigns.stateOf(question.campaignId))) return asked;
      await answerAll(question.campaignId);
      return (await store.gates.findAnswer(asked.id)) ?? asked;
    },
    tick,
  });

  // Once a minute too: a campaign may have ended in another process.
  app.whenDue('gates', runLoop(app, { name: 'gates', tick }));
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
