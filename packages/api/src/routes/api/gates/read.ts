import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { assertionsOf } from '@pronghorn/core/campaign';
import { type AssertionRequest, GateDraft, Problem, ReadRules } from '@pronghorn/core/schemas';
import { describeAssertion } from '@pronghorn/core/text';
import { assertGate, completingCampaigns } from '../../../plugins/app/gates/gate-question.ts';
import { ProblemError } from '../../../problems.ts';
import { campaignBodyLimit } from '../campaigns/body-limit.ts';

/** A gate while it is written. */
export default (async (app) => {
  const completing = completingCampaigns(() => app.conditions.all(), app.calls.policy);

  app.post(
    '/gates/read',
    {
      config: { access: 'viewer' },
      bodyLimit: campaignBodyLimit,
      schema: {
        summary: 'Read and check what a gate would assert; nothing is stored',
        tags: ['gates'],
        body: GateDraft,
        response: { 200: ReadRules, '4xx': Problem },
      },
    },
    async ({ body }): Promise<ReadRules> => ({ assertions: body.rules.assertions.map(readOne), problems: problemsOf(body) }),
  );

  function problemsOf(draft: GateDraft): ReadRules['problems'] {
    try {
      assertGate(draft, completing);
      return [];
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const whole = [{ pointer: error.kind === 'invalid-campaign' ? '#/campaign' : '#/rules', detail: error.message }];
      return error.errors.length > 0 ? error.errors : whole;
    }
  }
}) satisfies FastifyPluginAsyncTypebox;

/** Null where it can't be read: the problems say why. */
function readOne(request: AssertionRequest): ReadRules['assertions'][number] {
  try {
    const [assertion] = assertionsOf({ assertions: [request] });
    return assertion === undefined ? null : { assertion, line: describeAssertion(assertion) };
  } catch {
    return null;
  }
}
