import { PassThrough } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { CampaignEvents } from '@pronghorn/core/schemas';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { News } from '../../../plugins/app/campaigns/campaign-reads.ts';
import { ProblemError } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import { allow, params } from '../../route.ts';

const headers = Type.Object({ 'last-event-id': Type.Optional(Type.String()) });
const querystring = Type.Object(
  {
    lastEventId: Type.Optional(
      Type.String({ description: 'As the header, which takes precedence: for browsers, which can’t send it with a new stream.' }),
    ),
  },
  { additionalProperties: false },
);

/** Changes within so short a time make one message. */
const gatherMs = 100;
/** Tokens are revoked by any process, and by the command line. */
const checkAccessMs = 1_000;
/** A sign of life for proxies. */
const lookAgainMs = 15_000;
/** Of visits, and of lines. */
const atOnce = 100;
/** Of one token, or of one address without a token: each reads the database whenever something comes. A dashboard has one for each campaign in sight. */
const maxOpen = 50;

/** Server-sent events of a campaign. All comes from the database, so a stream can be taken up again at any api process. */
export default (async (app) => {
  const open = new Map<PassThrough, { request: FastifyRequest; who: string }>();
  let closing = false;
  let isChecking = false;
  const checking = setInterval(async () => {
    if (isChecking) return;
    isChecking = true;
    await Promise.all([...open].map(([stream, { request }]) => endUnknown(stream, request)));
    isChecking = false;
  }, checkAccessMs).unref();
  /** Those who may read no longer; who comes back is told why. */
  async function endUnknown(stream: PassThrough, request: FastifyRequest): Promise<void> {
    try {
      if (!(await app.isStillKnown(request))) stream.end();
    } catch (error) {
      stream.destroy(error as Error);
    }
  }
  /** @throws ProblemError too-many-waiting. */
  function assertRoom(who: string): void {
    const count = [...open.values()].filter((other) => other.who === who).length;
    if (count < maxOpen) return;
    throw new ProblemError(
      'too-many-waiting',
      `${count} event streams are open for the same token or address, which is the most. End one of them first.`,
    );
  }
  app.addHook('preClose', async () => {
    closing = true;
    clearInterval(checking);
    for (const stream of open.keys()) stream.end();
  });

  // Without HEAD: that would open a stream which nobody reads.
  app.get(
    '/campaigns/:id/events',
    allow('viewer', {
      summary: 'Visits, log lines and progress of a campaign as they come (server-sent events)',
      params,
      headers,
      querystring,
      produces: ['text/event-stream'],
      response: { 200: Type.String({ description: 'text/event-stream' }) },
      problems: ['too-many-waiting'],
      exposeHeadRoute: false,
    }),
    async (request, reply) => {
      const { id } = request.params;
      const { campaignId } = await app.store.campaigns.known(id);
      const who = app.countedAs(request);
      assertRoom(who);
      const stream = followCampaign(app, campaignId, positionOf(request.headers['last-event-id'] ?? request.query.lastEventId));
      open.set(stream, { request, who });
      stream.once('close', () => open.delete(stream));
      if (closing) stream.end();
      return reply
        .header('content-type', 'text/event-stream')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(stream as unknown as string);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;

/** The event after which to begin; `0` is before everything. Null where none is named: with what comes next. */
const positionOf = (lastEventId: string | undefined): number | null =>
  lastEventId === undefined || lastEventId === '' ? null : rowId(lastEventId);

/** @param from after which to begin; null: with what comes next. */
function followCampaign({ store, campaignChanges }: FastifyInstance, campaignId: number, from: number | null): PassThrough {
  const stream = new PassThrough();
  let at = from;
  let said = '';
  let gathering: NodeJS.Timeout | undefined;
  let [looking, again, signDue] = [false, false, false];

  /** One look after the other: each goes on where the one before it ended. */
  async function look(): Promise<void> {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    try {
      while (isWanted()) {
        again = false;
        const news = await store.campaigns.news(campaignId, at, atOnce);
        if (isWanted()) tell(news);
        if (!again) break;
      }
    } catch (error) {
      stream.destroy(error as Error); // the reader comes back, and begins where this ended
    }
    looking = false;
  }
  /** Once a reader who lags behind has caught up, it looks again. */
  const isWanted = () => !stream.destroyed && !stream.writableEnded && !stream.writableNeedDrain;

  function tell(news: News | undefined): void {
    if (news === undefined) return void stream.end();
    const { state, progress, events, through, more } = news;
    const write = <Kind extends keyof CampaignEvents>(eventId: number, kind: Kind, content: CampaignEvents[Kind]) =>
      stream.write(`id: ${eventId}\nevent: ${kind}\ndata: ${JSON.stringify(content)}\n\n`);

    for (const event of events) {
      if ('visit' in event) write(event.eventId, 'visit', event.visit);
      else write(event.eventId, 'log', event.line);
    }
    at = through;
    const saying = JSON.stringify({ state, progress });
    if (saying !== said) write(through, 'progress', { state, progress });
    else if (events.length === 0 && signDue) stream.write(': still here\n\n');
    said = saying;
    signDue = false;
    if (more) lookSoon();
  }
  function lookSoon(): void {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      void look();
    }, gatherMs);
  }

  const forget = campaignChanges.listen(campaignId, lookSoon);
  const lookingAgain = setInterval(() => {
    signDue = true;
    void look();
  }, lookAgainMs);
  stream.on('drain', lookSoon);
  stream.on('error', () => {}); // of a look that failed before the reply began, which then says so
  stream.once('close', () => {
    forget();
    clearInterval(lookingAgain);
    clearTimeout(gathering);
  });
  void look();
  return stream;
}
