// A gate that a service decides: its runners measure, and this process waits.
import type { Campaign, GateAnswer, GateQuestion } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { gateOutcomes } from '@pronghorn/core/vocabulary';
import type { RemoteApi } from '../connection/remote-service.ts';
import { NotYet, Refusal } from '../program/errors.ts';
import { duration, ProgressLine, plain } from '../program/terminal.ts';
import { defaultFollowTimings, type FollowTimings, followCampaign, hasEnded, retrying } from './follow-campaign.ts';

class NotDecided extends Error {}

/** How often the remaining time, and what the campaign waits for, are shown again. */
const redrawMs = 10_000;
/** After a stop, how long the service may take to cancel the campaign. */
const defaultCancelMs = 5_000;

interface Waiting {
  waitSeconds: number;
  signal: AbortSignal;
  timings?: FollowTimings;
  /** How long the service may take to cancel a campaign that nobody waits for any more. */
  cancelMs?: number;
}

/**
 * Asks a service, and waits until its runners have measured. After it took the question, it may be away for a while.
 *
 * @returns the answer; null when the signal ended the waiting: then a campaign created for it is cancelled, or an error says that it could not be
 * @throws NotDecided when the campaign or the gate is deleted, NotYet when it takes too long; and as `remoteApi`
 */
export async function askRemote(
  api: RemoteApi,
  question: GateQuestion,
  { waitSeconds, signal, timings = defaultFollowTimings, cancelMs = defaultCancelMs }: Waiting,
): Promise<{ answer: GateAnswer; campaign: Campaign } | null> {
  const { campaign: made, ...rules } = question;
  const first = await askOnce(api, question, signal);
  if (first === null) return null;
  let answer = first;
  const { campaignId } = answer;
  const tooLong = AbortSignal.timeout(waitSeconds * 1_000);
  const end = AbortSignal.any([signal, tooLong]);
  const warned = new Set<string>();
  let seen: Campaign | null = null;
  const look = async () => {
    const campaign = await retrying((stop) => api.ask('GET /campaigns/{id}', { id: campaignId, signal: stop }), end, timings);
    seen = campaign ?? seen;
    return campaign;
  };
  try {
    let campaign = await look();
    while (campaign !== null) {
      if (answer.result !== null) {
        assertKnown(answer.result.outcome, api.url);
        return { answer, campaign };
      }
      const following = { lastEventId: made === undefined ? undefined : '0', signal: end, timings, warned };
      const ended = await untilEnded(api, campaign, following);
      seen = ended;
      if (!hasEnded(ended)) break;
      // Now the service can answer. If the campaign was resumed meanwhile, wait again.
      const question = { ...rules, campaignId };
      const again = await retrying((stop) => api.ask('POST /gates/check', { body: question, signal: stop }), end, timings);
      if (again === null) break;
      answer = again;
      campaign = await look();
      if (answer.result === null && campaign !== null && hasEnded(campaign))
        throw new NotYet(
          `Campaign ${campaignId} is ${ended.state}, and ${api.url} has no answer. Ask later with --campaign ${campaignId}.`,
        );
    }
    if (!signal.aborted) throw new NotYet(tooLongWords(campaignId, seen, waitSeconds));
    if (made !== undefined) await cancel(api, campaignId, cancelMs);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal && error.problem.status === 404)) throw error;
    if (rules.gateId !== undefined && (await isThere(api, campaignId)))
      throw new NotDecided(
        `The gate was deleted while campaign ${campaignId} was measured, so nothing is decided. Judge the campaign by another gate with --campaign ${campaignId}.`,
      );
    throw new NotDecided(`Campaign ${campaignId} was deleted while its gate waited, so nothing is decided. Ask again, to measure it anew.`);
  }
}

async function isThere(api: RemoteApi, campaignId: string): Promise<boolean> {
  try {
    await api.ask('GET /campaigns/{id}', { id: campaignId });
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.problem.status === 404) return false;
    throw error;
  }
}

/** A newer service may have outcomes that this command has no exit code for. */
function assertKnown(outcome: string, service: string): void {
  if (gateOutcomes.some((known) => known === outcome)) return;
  throw new Error(`${service} answered with the outcome "${outcome}"; expected ${anyOf.format(gateOutcomes)}. Update this command.`);
}
const anyOf = new Intl.ListFormat('en', { type: 'disjunction' });

/** @returns null when the signal ended it */
async function askOnce(api: RemoteApi, question: GateQuestion, signal: AbortSignal): Promise<GateAnswer | null> {
  try {
    return await api.ask('POST /gates/check', { body: question, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    if (question.campaign !== undefined)
      console.error(`pronghorn: stopped before ${api.url} answered. It may have created the campaign: check there, and cancel it.`);
    return null;
  }
}

/** Without this, runners would measure for nobody. Says so when it fails. */
async function cancel(api: RemoteApi, campaignId: string, cancelMs: number): Promise<void> {
  try {
    await api.ask('POST /campaigns/{id}/cancel', { id: campaignId, signal: AbortSignal.timeout(cancelMs) });
  } catch (error) {
    console.error(
      `pronghorn: campaign ${campaignId} could not be cancelled (${plain((error as Error).message)}). Cancel it at ${api.url}.`,
    );
  }
}

/** Shows the campaign's progress. @param following.warned ids of the log lines shown so far. @returns it when it ended, or the signal ended the waiting */
async function untilEnded(
  api: RemoteApi,
  campaign: Campaign,
  { warned, ...following }: { lastEventId: string | undefined; signal: AbortSignal; timings: FollowTimings; warned: Set<string> },
): Promise<Campaign> {
  const line = new ProgressLine('rounds', campaign.progress.rounds, campaign.progress.roundsDone);
  let [now, waitsFor, asking] = [campaign, '', false];
  const draw = () => line.update(now.progress.roundsDone, now.state === 'queued' && waitsFor !== '' ? `queued, ${waitsFor}` : now.state);
  const redrawing = setInterval(() => {
    draw();
    if (now.state !== 'queued' || asking) return;
    asking = true;
    const answered = api.ask('GET /campaigns/{id}/queue', { id: campaign.id, signal: following.signal }).then(
      (queue) => {
        waitsFor = plain(queue.why ?? `${counted(queue.position, 'round')} of other campaigns first`);
      },
      () => undefined, // followCampaign reports that the service is away
    );
    answered.finally(() => {
      asking = false;
    });
  }, redrawMs);
  try {
    draw();
    for await (const news of followCampaign(api, campaign.id, { ...following, report: (words) => line.say(words) })) {
      if ('line' in news) {
        const { id, level, text } = news.line;
        if (level === 'warn' && !warned.has(id)) line.say(plain(text));
        warned.add(id);
        continue;
      }
      now = { ...now, ...news.campaign };
      draw();
    }
    return now;
  } finally {
    clearInterval(redrawing);
    line.end();
  }
}

function tooLongWords(campaignId: string, seen: Campaign | null, waitSeconds: number): string {
  const [after, later] = [duration(waitSeconds), `ask later with --campaign ${campaignId}, or wait longer with --wait.`];
  if (seen === null || hasEnded(seen)) return `The service did not answer for campaign ${campaignId} within ${after}: ${later}`;
  const { roundsDone, rounds } = seen.progress;
  return `${roundsDone} of ${rounds} rounds of campaign ${campaignId} are done after ${after}, and it continues: ${later}`;
}
