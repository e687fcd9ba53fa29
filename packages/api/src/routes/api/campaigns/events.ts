import { PassThrough } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { CampaignEvents } from '@pronghorn/core';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { found } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';

const params = Type.Object({ id: Type.String() });
const headers = Type.Object({ 'last-event-id': Type.Optional(Type.String()) });

/** Changes within so short a time make one message. */
const gatherMs = 100;
/** A sign of life for proxies; and what another process changed, of which nobody tells this one, is seen then. */
const lookAgainMs = 15_000;
const visitsAtOnce = 100;

/** Server-sent events of a campaign. All comes from the database, so a stream can be taken up again at any api process. */
export default (async (app) => {
  const open = new Set<PassThrough>();
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end();
  });

  // Without HEAD: that would open a stream which nobody reads.
  app.get('/campaigns/:id/events', { exposeHeadRoute: false, schema: { params, headers } }, async (request, reply) => {
    const { id } = request.params;
    found(app.campaigns.findSpec(rowId(id)), `campaign ${id}`);
    const lastEventId = request.headers['last-event-id'];
    const stream = followCampaign(app, id, lastEventId === undefined ? null : rowId(lastEventId));
    open.add(stream);
    stream.once('close', () => open.delete(stream));
    return reply
      .header('content-type', 'text/event-stream')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .send(stream);
  });
}) satisfies FastifyPluginAsyncTypebox;

/** @param after the visit after which to begin; null: with the next that arrives. */
function followCampaign(app: FastifyInstance, id: string, after: number | null): PassThrough {
  const stream = new PassThrough();
  let seq = after ?? app.visits.newestSeq(rowId(id));
  let said = '';
  let gathering: NodeJS.Timeout | undefined;

  const write = <Kind extends keyof CampaignEvents>(kind: Kind, content: CampaignEvents[Kind]) =>
    stream.write(`id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify(content)}\n\n`);

  function look() {
    gathering = undefined;
    if (stream.writableEnded || stream.writableNeedDrain) return; // once the reader has caught up, it looks again
    try {
      tell();
    } catch (error) {
      stream.destroy(error as Error); // the reader comes back, and begins where this ended
    }
  }
  function tell() {
    const campaign = app.campaigns.find(id);
    if (!campaign) return void stream.end();
    const { items, nextCursor } = app.visits.page(
      rowId(id),
      { siteId: null, condition: null, protocol: null, view: null, verdict: null },
      { limit: visitsAtOnce, cursor: seq },
    );
    for (const visit of items) {
      seq = app.visits.findSeq(visit.id) ?? seq;
      write('visit', visit);
    }
    const { state, progress } = campaign;
    const saying = JSON.stringify({ state, progress });
    if (saying !== said) write('progress', { state, progress });
    else if (items.length === 0) stream.write(': still here\n\n');
    said = saying;
    if (nextCursor !== null) lookSoon();
  }
  function lookSoon() {
    gathering ??= setTimeout(look, gatherMs);
  }

  const forget = app.campaignChanges.listen(rowId(id), lookSoon);
  const again = setInterval(look, lookAgainMs);
  stream.on('drain', lookSoon);
  stream.once('close', () => {
    forget();
    clearInterval(again);
    clearTimeout(gathering);
  });
  look();
  return stream;
}
