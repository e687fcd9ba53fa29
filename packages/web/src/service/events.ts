// A campaign as it happens: server-sent events, taken up again where they broke off.
import type { CampaignEvents } from '@pronghorn/core/schemas';
import { onScopeDispose, type ShallowRef, shallowRef, watch } from 'vue';
import { addressOf } from './ask.ts';

const againMs = 3000;
/** A browser has few connections to an HTTP/1.1 service: hidden pages close theirs. */
const unseenMs = 30_000;

export type CampaignListener = { [Kind in keyof CampaignEvents]?: (event: CampaignEvents[Kind]) => void };

/**
 * Follows a campaign while the page is shown. A broken connection is taken up by the browser itself, after the last event that came; where
 * it gives up (the service answered with an error), it is tried anew.
 * @param campaignId null: nothing to follow.
 * @returns whether the stream is open now.
 */
export function useCampaignEvents(campaignId: () => string | null, listener: CampaignListener): Readonly<ShallowRef<boolean>> {
  const isOpen = shallowRef(false);
  let source: EventSource | undefined;
  let retrying: ReturnType<typeof setTimeout> | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  /** The id of the latest event; empty before the first: the stream then begins with the next event. */
  let lastEventId = '';

  function close(): void {
    clearTimeout(retrying);
    source?.close();
    source = undefined;
    isOpen.value = false;
  }
  function open(id: string): void {
    close();
    const opened = new EventSource(addressOf('GET /campaigns/{id}/events', { id, query: { lastEventId } }));
    source = opened;
    opened.onopen = () => {
      isOpen.value = true;
    };
    opened.onerror = () => {
      isOpen.value = false;
      if (opened.readyState === EventSource.CLOSED) retrying = setTimeout(() => open(id), againMs);
    };
    for (const kind of ['progress', 'visit', 'log'] as const) {
      opened.addEventListener(kind, (event) => {
        ({ lastEventId } = event as MessageEvent<string>);
        (listener[kind] as ((content: unknown) => void) | undefined)?.(JSON.parse((event as MessageEvent<string>).data));
      });
    }
  }

  function onSight(): void {
    clearTimeout(leaving);
    const id = campaignId();
    if (id === null) return;
    if (document.hidden) leaving = setTimeout(close, unseenMs);
    else if (source === undefined || source.readyState === EventSource.CLOSED) open(id);
  }
  document.addEventListener('visibilitychange', onSight);

  watch(
    campaignId,
    (id) => {
      lastEventId = '';
      if (id === null) close();
      else open(id);
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    document.removeEventListener('visibilitychange', onSight);
    clearTimeout(leaving);
    close();
  });
  return isOpen;
}
