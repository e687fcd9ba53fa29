// Follows a service's campaign by its events, or by polling where events do not come through.
import { setTimeout as delay } from 'node:timers/promises';
import type { Campaign, CampaignEvents, CampaignLogLine } from '@pronghorn/core/schemas';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { RemoteApi } from '../connection/remote-service.ts';
import { Busy, UsageError } from '../program/errors.ts';

/** A campaign's progress, or a line of its log. */
export type CampaignNews = { campaign: CampaignEvents['progress'] } | { line: CampaignLogLine };

export interface FollowTimings {
  /** A stream reports progress at once: a proxy holds back one that is silent for this long. */
  firstMs: number;
  /** A stream gives a sign of life every 15 s: one without for this long is broken. */
  silentMs: number;
  pauseMs: number;
  /** How long a service may be away, since it is restarted or updated. */
  awayMs: number;
}

export const defaultFollowTimings: FollowTimings = { firstMs: 5_000, silentMs: 40_000, pauseMs: 2_000, awayMs: 180_000 };

/** After this many silent streams in a row no other is opened. */
const maxMute = 2;

export const hasEnded = ({ state }: Pick<Campaign, 'state'>): boolean => state === 'done' || state === 'cancelled';

interface Following {
  /** The event after which the campaign is followed; undefined: from the next one on. */
  lastEventId: string | undefined;
  signal: AbortSignal;
  report: (words: string) => void;
  timings?: FollowTimings;
}

/**
 * Follows a campaign until it is done or cancelled, or the signal ends it. A broken stream continues after its last event, at whichever process of
 * the service answers then: no line comes twice, and none is lost.
 *
 * @throws Error as `remoteApi` when the service is away for too long; Refusal when there is no such campaign (any more)
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
        const progress = JSON.parse(data) as CampaignEvents['progress'];
        yield { campaign: progress };
        if (hasEnded(progress)) return;
      }
    } catch (error) {
      if (error instanceof UsageError) throw error;
      if (error instanceof Busy) {
        watch.end();
        await pause(error.retryAfterMs);
        continue; // a busy service says nothing about proxies
      }
    } finally {
      watch.end();
    }
    mute = spoke && !watch.wasSilent() ? 0 : mute + 1;
    if (mute === maxMute && !signal.aborted)
      report(`pronghorn: no events arrive from ${api.url} (a proxy may hold them back); asking every ${pauseMs / 1_000} s instead.`);
  }
}

/**
 * Asks until there is an answer: a service may be away for a while.
 *
 * @param ask may run several times; the signal ends it too
 * @returns null when the signal ended it
 * @throws what `ask` throws: at once where the service refuses, else when it is away for too long
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

/** Ends a stream that is silent for too long, or when `stop` says so. */
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
