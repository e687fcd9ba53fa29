// A gate that a service decides: its runners measure, this process waits.
import { setTimeout as delay } from 'node:timers/promises';
import type { Campaign, GateAnswer, GateQuestion } from '@pronghorn/core';
import type { RemoteApi } from '../remote.ts';
import { duration, ProgressLine } from '../terminal.ts';

const pollMs = 2_000;

export class NotDecided extends Error {}

/**
 * Asks a service, and waits until its runners have measured.
 *
 * @param waitSeconds for the campaign, at most
 * @returns the answer, or null when the signal ended the waiting: then a campaign that was made for it is cancelled
 * @throws NotDecided when the campaign is cancelled or takes too long; and as `remoteApi`
 */
export async function askRemote(
  api: RemoteApi,
  question: GateQuestion,
  { waitSeconds, signal }: { waitSeconds: number; signal: AbortSignal },
): Promise<{ answer: GateAnswer; campaign: Campaign } | null> {
  const asked = await api.post<GateAnswer>('/gates/check', question);
  const path = `/campaigns/${encodeURIComponent(asked.campaignId)}`;
  let campaign = await api.get<Campaign>(path);
  const line = new ProgressLine('rounds', campaign.progress.rounds, campaign.progress.roundsDone);
  const giveUp = performance.now() + waitSeconds * 1_000;
  try {
    while (campaign.state !== 'done') {
      if (signal.aborted) {
        // Its runners would measure for nobody.
        if (question.campaignId === undefined) await api.post(`${path}/cancel`, undefined, true);
        return null;
      }
      if (campaign.state === 'cancelled') throw new NotDecided(`Campaign ${campaign.id} was cancelled.`);
      if (performance.now() > giveUp) {
        const { roundsDone, rounds } = campaign.progress;
        const how = `${roundsDone} of ${rounds} rounds of campaign ${campaign.id} are done after ${duration(waitSeconds)}`;
        throw new NotDecided(`${how}, and it goes on: ask later with --campaign ${campaign.id}, or wait longer with --wait.`);
      }
      line.update(campaign.progress.roundsDone, campaign.state);
      await delay(pollMs, undefined, { signal }).catch(() => undefined);
      campaign = await api.get<Campaign>(path);
    }
  } finally {
    line.end();
  }
  // The same question once more: the service answers it now, or has.
  const { campaign: _, ...rules } = question;
  const answer = await api.post<GateAnswer>('/gates/check', { ...rules, campaignId: campaign.id }, true);
  return { answer, campaign };
}
