// How far a service's campaign is, as it happens: by its events, and by asking again where these do not come through.
import { setTimeout as delay } from 'node:timers/promises';
import type { Campaign, CampaignEvents, CampaignLogLine } from '@pronghorn/core/schemas';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { RemoteApi } from '../connection/remote-service.ts';
import { Busy, UsageError } from '../program/errors.ts';

/** Of a campaign: how far it is, or a line of its log. */
export type CampaignNews = { campaign: CampaignEvents['progress'] } | { line: CampaignLogLine };

export interface FollowTimings {
  /** A stream says how far the campaign is at once: one that says nothing for so long is held back by a proxy. */
  firstMs: number;
  /** A stream gives a sign of life every 15 s: one that gives none for so long is broken, though nobody said so. */
  silentMs: number;
  pauseMs: number;
  /** How long a service may be away: it is restarted, or brought up to date. */
  awayMs: number;
}

export const defaultFollowTimings: FollowTimings = { firstMs: 5_000, silentMs: 40_000, pauseMs: 2_000, awayMs: 180_000 };

/** After so many streams in a row that said nothing no other is opened. */
const maxMute = 2;

export const hasEnded = ({ state }: Pick<Campaign, 'state'>): boolean => state === 'done' || state === 'cancelled';

interface Following {
  /** Where the campaign's log and visits are taken up; undefined: with what comes next. */
  lastEventId: string | undefined;
  signal: AbortSignal;
  report: (words: string) => void;
  timings?: FollowTimings;
}

/**
 * Follows a campaign until it is done or cancelled, or the signal ends it. A stream that breaks off is taken up after the last event that
 * came, at whatever process of the service answers then: no line is told twice, and none is lost.
 *
 * @throws Error as `remoteApi`, when the service is away for longer than it may be; Refusal when there is no such campaign (any more).
 */
export async function* followCampaign(
  api: RemoteApi,
  campaignId: string,
  { lastEventId, signal, report, timings = defaultFollowTimings }: Following,
): AsyncGenerator<CampaignNews> {
  const { pauseMs } = timings;
  const pause = (ms = pauseMs) => pauseFor(ms, signal);
  let at = lastEventId;

  for (let mute = 0; !signal.aborted; await pause()) {
    const campaign = await retrying((stop) => api.ask('GET /campaigns/{id}', { id: campaignId, signal: stop }), signal, timings);
    if (campaign === null) return;
    yield { campaign };
    if (hasEnded(campaign)) return;
    if (mute === maxMute) continue;

    const watch = watchdog(timings, signal);
    let spoke = false;
    try {
      const bytes = await api.events(campaignId, at, watch.signal);
      const parser = new EventSourceParserStream({ onComment: watch.seen });
      for await (const { id, event, data } of bytes.pipeThrough(new TextDecoderStream()).pipeThrough(parser)) {
        watch.seen();
        spoke = true;
        at = id ?? at;
        if (event === 'log') yield { line: JSON.parse(data) as CampaignLogLine };
        if (event !== 'progress') continue;
        const told = JSON.parse(data) as CampaignEvents['progress'];
        yield { campaign: told };
        if (hasEnded(told)) return;
      }
    } catch (error) {
      if (error instanceof UsageError) throw error;
      if (error instanceof Busy) {
        watch.end();
        await pause(error.retryAfterMs);
        continue; // that the service has no time says nothing of what lets events through
      }
    } finally {
      watch.end();
    }
    mute = spoke && !watch.wasSilent() ? 0 : mute + 1;
    if (mute === maxMute && !signal.aborted)
      report(`pronghorn: no events come from ${api.url} (a proxy may hold them back); asking every ${pauseMs / 1_000} s instead.`);
  }
}

/**
 * Asks until there is an answer: a service may be away for a while.
 *
 * @param ask may be done twice; the signal ends it too.
 * @returns null when the signal ended it.
 * @throws what `ask` throws: at once where the service says no, else when it is away for longer than it may be.
 */
export async function retrying<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  { pauseMs, awayMs }: Pick<FollowTimings, 'pauseMs' | 'awayMs'> = defaultFollowTimings,
): Promise<T | null> {
  for (const giveUp = performance.now() + awayMs; !signal.aborted; await pauseFor(pauseMs, signal)) {
    try {
      return await ask(signal);
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof UsageError || performance.now() > giveUp) throw error;
    }
  }
  return null;
}

const pauseFor = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);

/** Ends a stream that says nothing for too long, or when it is told to. */
function watchdog({ firstMs, silentMs }: FollowTimings, stop: AbortSignal) {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), firstMs);
  return {
    signal: AbortSignal.any([silent.signal, stop]),
    wasSilent: () => silent.signal.aborted,
    seen(): void {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), silentMs);
    },
    end(): void {
      clearTimeout(timer);
    },
  };
}
