import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CampaignPreview, CampaignRequest, Problem, problemType } from '@pronghorn/core/schemas';
import type { FastifyError } from 'fastify';
import { noPreview } from '../../../plugins/app/preview/preview.ts';
import { explainValidation } from '../../../plugins/app/problems/validation-errors.ts';
import { campaignBodyLimit } from './body-limit.ts';

/** A campaign before it is made. */
export default (async (app) => {
  app.post(
    '/campaigns/preview',
    {
      config: { access: 'submitter', scopes: ['hosts'], problems: ['results-busy'] },
      bodyLimit: campaignBodyLimit,
      attachValidation: true, // what does not fit is among the problems: it is still being typed
      schema: {
        summary: 'Tell what would become of a campaign, without making it: faults, duration, what it can show',
        tags: ['campaigns'],
        body: CampaignRequest,
        response: { 200: CampaignPreview, '4xx': Problem },
      },
    },
    async (request) => {
      const { body, validationError, access } = request;
      if (!validationError) return app.preview(body, access);
      if (body === undefined || body === null) throw validationError; // nobody types that
      const { errors, kind } = explainValidation(validationError as FastifyError, request);
      return { ...noPreview, problems: errors.map((error) => ({ ...error, type: problemType(kind) })) };
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
