// A gate that a service decides: its runners measure, this process waits.
import type { Campaign, CampaignQueue, GateAnswer, GateQuestion } from '@pronghorn/core';
import { Refusal, type RemoteApi } from '../remote.ts';
import { counted, duration, ProgressLine } from '../terminal.ts';
import { defaultPatience, followCampaign, hasEnded, type Patience, patiently } from './follow-campaign.ts';
import { plain } from './text-report.ts';

export class NotDecided extends Error {}

/** How often it is said anew how long it will take, and what the campaign waits for. */
const redrawMs = 10_000;

/**
 * Asks a service, and waits until its runners have measured. Once it has the question, it may be away for a while.
 *
 * @param waitSeconds for the campaign, at most
 * @returns the answer, or null when the signal ended the waiting: then a campaign that was made for it is cancelled
 * @throws NotDecided when the campaign is deleted or takes too long; and as `remoteApi`
 */
export async function askRemote(
  api: RemoteApi,
  question: GateQuestion,
  { waitSeconds, signal, patience = defaultPatience }: { waitSeconds: number; signal: AbortSignal; patience?: Patience },
): Promise<{ answer: GateAnswer; campaign: Campaign } | null> {
  const { campaign: made, ...rules } = question;
  let answer = await api.post<GateAnswer>('/gates/check', question, made === undefined);
  const { campaignId } = answer;
  const path = `/campaigns/${encodeURIComponent(campaignId)}`;
  const tooLong = AbortSignal.timeout(waitSeconds * 1_000);
  const warned = new Set<string>();
  const look = () => patiently(() => api.get<Campaign>(path), signal, patience);
  try {
    let campaign = await look();
    while (campaign !== null) {
      if (answer.result !== null) return { answer, campaign };
      const end = { lastEventId: made === undefined ? undefined : '0', signal: AbortSignal.any([signal, tooLong]), patience, warned };
      const ended = await untilEnded(api, campaign, path, end);
      if (signal.aborted) break;
      if (!hasEnded(ended)) throw new NotDecided(tooLongWords(ended, waitSeconds));
      // The same question once more: the service answers it now, or has. A campaign that was resumed meanwhile is waited for again.
      const again = await patiently(() => api.post<GateAnswer>('/gates/check', { ...rules, campaignId }, true), signal, patience);
      if (again === null) break;
      answer = again;
      campaign = await look();
      if (answer.result === null && campaign !== null && hasEnded(campaign))
        throw new NotDecided(
          `Campaign ${campaignId} is ${ended.state}, and ${api.url} has no answer. Ask later with --campaign ${campaignId}.`,
        );
    }
    // Told to stop: its runners would measure for nobody.
    if (made !== undefined) await api.post(`${path}/cancel`, undefined, true);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal && error.problem.status === 404)) throw error;
    throw new NotDecided(
      `Campaign ${campaignId} was deleted while its gate waited, so nothing is decided. Ask anew: it is measured again.`,
    );
  }
}

/** Shows how far the campaign is. @param following.warned ids of the lines that were told. @returns it when it ended, or the signal ended the waiting. */
async function untilEnded(
  api: RemoteApi,
  campaign: Campaign,
  path: string,
  { warned, ...following }: { lastEventId: string | undefined; signal: AbortSignal; patience: Patience; warned: Set<string> },
): Promise<Campaign> {
  const line = new ProgressLine('rounds', campaign.progress.rounds, campaign.progress.roundsDone);
  let [now, waitsFor, asking] = [campaign, '', false];
  const draw = () => line.update(now.progress.roundsDone, now.state === 'queued' && waitsFor !== '' ? `queued, ${waitsFor}` : now.state);
  const redrawing = setInterval(() => {
    draw();
    if (now.state !== 'queued' || asking) return;
    asking = true;
    const answered = api.get<CampaignQueue>(`${path}/queue`).then(
      (queue) => {
        waitsFor = plain(queue.why ?? `${counted(queue.position, 'round')} of others before it`);
      },
      () => undefined, // the service is away: who follows the campaign says so
    );
    answered.finally(() => {
      asking = false;
    });
  }, redrawMs);
  try {
    draw();
    for await (const news of followCampaign(api, campaign.id, { ...following, tell: (words) => line.say(words) })) {
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

const tooLongWords = ({ id, progress: { roundsDone, rounds } }: Campaign, waitSeconds: number): string =>
  `${roundsDone} of ${rounds} rounds of campaign ${id} are done after ${duration(waitSeconds)}, and it goes on: ask later with --campaign ${id}, or wait longer with --wait.`;
