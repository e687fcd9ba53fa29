import { PassThrough } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { CampaignEvents, CampaignLogLine, Visit } from '@pronghorn/core/schemas';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { withoutRun } from '../../../plugins/app/visits/visit-rows.ts';
import { ProblemError } from '../../../problems.ts';
import { changedByOthers, othersMs } from '../../../storage/other-processes.ts';
import { rowId } from '../../../storage/row-id.ts';
import { allow, params } from '../route.ts';

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
/** A sign of life for proxies. */
const lookAgainMs = 15_000;
/** Of visits, and of lines. */
const atOnce = 100;
/** Of one token, or of one address without a token: each reads the database whenever something comes. A dashboard has one for each campaign in sight. */
const maxOpen = 50;

/** Server-sent events of a campaign. All comes from the database, so a stream can be taken up again at any api process. */
export default (async (app) => {
  const open = new Map<PassThrough, { lookSoon: () => void; request: FastifyRequest; who: string }>();
  const changed = changedByOthers(app.database);
  const others = setInterval(() => {
    if (open.size === 0) return;
    endUnknown();
    if (changed()) for (const { lookSoon } of open.values()) lookSoon();
  }, othersMs).unref();
  /** Those who may read no longer, since tokens are revoked by any process, and by the command line; who comes back is told why. */
  function endUnknown(): void {
    for (const [stream, { request }] of open) {
      try {
        if (!app.isStillKnown(request)) stream.end();
      } catch (error) {
        stream.destroy(error as Error);
      }
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
    clearInterval(others);
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
      app.campaigns.known(id);
      const who = app.countedAs(request);
      assertRoom(who);
      const { stream, lookSoon } = followCampaign(app, id, positionOf(request.headers['last-event-id'] ?? request.query.lastEventId));
      open.set(stream, { lookSoon, request, who });
      stream.once('close', () => open.delete(stream));
      return reply
        .header('content-type', 'text/event-stream')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(stream as unknown as string);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;

/** How far a stream is: the last visit and the last line of the log that it told. */
type Position = { seq: number; number: number };

/** What an event's id says, VISITS.LINES; `0` is before everything. Null where there is none: with what comes next. */
function positionOf(lastEventId: string | undefined): Position | null {
  if (lastEventId === undefined || lastEventId === '') return null;
  const [seq = '', number = ''] = lastEventId.split('.');
  return { seq: rowId(seq), number: rowId(number) };
}

/** @param from after which to begin; null: with what comes next. */
function followCampaign(app: FastifyInstance, id: string, from: Position | null): { stream: PassThrough; lookSoon: () => void } {
  const stream = new PassThrough();
  const campaignId = rowId(id);
  const at = from ?? { seq: app.visits.newestSeq(campaignId), number: app.campaignLog.newest(campaignId) };
  let said = '';
  let gathering: NodeJS.Timeout | undefined;

  const write = <Kind extends keyof CampaignEvents>(kind: Kind, content: CampaignEvents[Kind]) =>
    stream.write(`id: ${at.seq}.${at.number}\nevent: ${kind}\ndata: ${JSON.stringify(content)}\n\n`);

  /** All of one moment: no line is read that tells of a visit which was not. */
  const readOn = app.database.transaction(() => ({
    standing: app.campaigns.standingOf(campaignId),
    visits: app.visits.page(
      campaignId,
      { siteId: null, condition: null, protocol: null, view: null, verdict: null },
      { limit: atOnce, cursor: at.seq },
    ),
    lines: app.campaignLog.after(campaignId, at.number, atOnce),
  }));

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
    const { standing, visits, lines } = readOn();
    if (!standing) return void stream.end();
    const seqOf = ({ id: visitId }: { id: string }) => app.visits.findSeq(visitId) ?? at.seq;
    const steps = mergeSteps(
      visits.items.map((visit) => ({ visit: withoutRun(visit), seq: seqOf(visit) })),
      lines,
      { moreVisits: visits.nextCursor !== null, moreLines: lines.length === atOnce },
    );
    for (const step of steps) {
      if ('visit' in step) {
        at.seq = step.seq;
        write('visit', step.visit);
      } else {
        at.number = step.number;
        write('log', step.line);
      }
    }
    const { state, progress } = standing;
    const saying = JSON.stringify({ state, progress });
    if (saying !== said) write('progress', { state, progress });
    else if (steps.length === 0) stream.write(': still here\n\n');
    said = saying;
    if (visits.nextCursor !== null || lines.length === atOnce) lookSoon();
  }
  function lookSoon() {
    gathering ??= setTimeout(look, gatherMs);
  }

  const forget = app.campaignChanges.listen(campaignId, lookSoon);
  const again = setInterval(look, lookAgainMs);
  stream.on('drain', lookSoon);
  stream.once('close', () => {
    forget();
    clearInterval(again);
    clearTimeout(gathering);
  });
  look();
  return { stream, lookSoon };
}

type VisitStep = { visit: Visit; seq: number };
/** afterVisit: the newest visit when the line was written. */
type LineStep = { line: CampaignLogLine; number: number; afterVisit: number };

/**
 * Visits and lines of a campaign in the order in which they were stored.
 *
 * @param more whether there are visits or lines after these: what may come after one that is not here has to wait.
 */
function mergeSteps(
  visits: readonly VisitStep[],
  lines: readonly LineStep[],
  more: { moreVisits: boolean; moreLines: boolean },
): (VisitStep | LineStep)[] {
  const steps: (VisitStep | LineStep)[] = [];
  let [v, l] = [0, 0];
  for (;;) {
    const [visit, line] = [visits[v], lines[l]];
    if (line && (visit ? line.afterVisit < visit.seq : !more.moreVisits)) {
      steps.push(line);
      l += 1;
    } else if (visit && (line || !more.moreLines)) {
      steps.push(visit);
      v += 1;
    } else return steps;
  }
}
