// A running campaign: its progress, its visits and its log, from lists and from the event stream.
import { ApiRefusal } from '@pronghorn/core/client';
import type { Campaign, CampaignEvents, CampaignLogLine, Page, Visit } from '@pronghorn/core/schemas';
import { computed, onScopeDispose, shallowRef, watch } from 'vue';
import { ask, readList } from '../../service/ask.ts';
import { useCampaignEvents } from '../../service/events.ts';
import { type Reading, useReading } from '../../service/reading.ts';
import { isOver } from '../../text/campaign.ts';

/** Readers can't see more dots, and drawing them takes long. */
export const maxVisits = 10_000;
/** The service keeps the same number. */
const maxLines = 5_000;
const pageOfVisits = 1000;
/** Redraws at most four times per second. */
const shownMs = 250;
/** Poll intervals: with the event stream open, and without one. */
const [pollMs, pollWithoutStreamMs] = [10_000, 4_000];
/** The last events of a finished campaign arrive within this time. */
const lastEventsMs = 5_000;

export type LiveCampaign = ReturnType<typeof useLiveCampaign>;

export function useLiveCampaign(id: string) {
  const visits = createLiveVisits(maxVisits);
  /** The oldest first. */
  const lines = shallowRef<readonly CampaignLogLine[]>([]);
  /** Changes when visits arrive, at most as often as they are drawn. */
  const stamp = shallowRef(0);
  const ending = new AbortController();

  let events = 0;
  const newest = shallowRef<{ number: number; progress: CampaignEvents['progress'] }>();
  const reading = useReading(
    () => id,
    async (_id, signal) => {
      const eventsBefore = events;
      return { eventsBefore, campaign: await ask('GET /campaigns/{id}', { id, signal }) };
    },
    ({ campaign: { state } }) => (isOver(state) ? null : isFollowed?.value ? pollMs : pollWithoutStreamMs),
  );
  /** Events that arrive during a reading are newer than its answer. */
  const campaign = computed(() => {
    const answer = reading.value.value;
    if (answer === undefined) return undefined;
    const isNewer = newest.value !== undefined && newest.value.number > answer.eventsBefore;
    return isNewer ? { ...answer.campaign, ...newest.value?.progress } : answer.campaign;
  });

  let shown: ReturnType<typeof setTimeout> | undefined;
  let waiting: CampaignLogLine[] = [];
  function showSoon(): void {
    shown ??= setTimeout(() => {
      shown = undefined;
      stamp.value++;
      if (waiting.length > 0) lines.value = joined(lines.value, waiting);
      waiting = [];
    }, shownMs);
  }

  const followed = shallowRef<string | null>(null);
  /** Whether the event stream is open. */
  const isFollowed = useCampaignEvents(() => followed.value, {
    progress(progress) {
      const before = campaign.value?.state;
      newest.value = { number: ++events, progress };
      if (before !== undefined && before !== progress.state) void reading.again(); // the event does not say when it finished
    },
    visit(visit) {
      if (visits.add([visit]) > 0) showSoon();
    },
    log(line) {
      waiting.push(line);
      showSoon();
    },
  });

  let leaving: ReturnType<typeof setTimeout> | undefined;
  watch(
    () => campaign.value?.state,
    (state) => {
      clearTimeout(leaving);
      if (state === undefined) return;
      if (!isOver(state)) followed.value = id;
      else if (followed.value !== null) leaving = setTimeout(() => (followed.value = null), lastEventsMs);
    },
    { immediate: true },
  );

  /** True once the state from before the page was opened has been read. */
  const isPastRead = shallowRef(false);
  let past: Promise<void> | undefined;
  /** True once all older visits have been read: before that, a page of known visits doesn't mean that the pages behind it are known. */
  let isComplete = false;
  /** Reads the newest visits first, until a page has nothing new. */
  async function readNow(): Promise<void> {
    await Promise.all([readLog(), readVisits()]);
    isPastRead.value = true;
  }
  async function readLog(): Promise<void> {
    const { signal } = ending;
    waiting.push(...(await readList('GET /campaigns/{id}/log', { id, signal }, maxLines)));
    showSoon();
  }
  async function readVisits(): Promise<void> {
    const { signal } = ending;
    for (let cursor: string | null = ''; cursor !== null && visits.all.length < maxVisits; ) {
      const query = { newest: true, limit: pageOfVisits, cursor };
      const page: Page<Visit> = await ask('GET /campaigns/{id}/visits', { id, query, signal });
      const added = visits.add(page.items);
      showSoon();
      if (added === 0 && isComplete) break;
      cursor = page.nextCursor;
    }
    isComplete = true;
  }
  /** Reads earlier lines and visits; repeating it does no harm. The next poll repeats a reading that failed; the campaign's own reading shows the problem. */
  const readPast = () => {
    past ??= readNow()
      .catch(() => {})
      .finally(() => {
        past = undefined;
      });
    return past;
  };
  // An open stream misses nothing from here on; without a stream, each poll reads the news.
  watch(isFollowed, (isNow) => {
    if (isNow) {
      void readPast();
      if (reading.problem.value !== null) void reading.again(); // the service is back
    } else if (followed.value !== null) void reading.again();
  });
  watch(reading.value, (answer) => {
    if (answer && !isFollowed.value && !isOver(answer.campaign.state)) void readPast();
  });
  watch(reading.problem, (problem) => {
    if (problem instanceof ApiRefusal) followed.value = null; // such as: it was deleted
  });
  onScopeDispose(() => {
    ending.abort();
    clearTimeout(shown);
    clearTimeout(leaving);
  });

  const whole: Reading<Campaign> = { ...reading, value: campaign, latest: campaign };
  return { reading: whole, campaign, visits, stamp, lines, isFollowed, isPastRead, readPast };
}

/** The newest lines, each once, in the order of the log. */
function joined(known: readonly CampaignLogLine[], more: readonly CampaignLogLine[]): CampaignLogLine[] {
  const last = Number(known.at(-1)?.id ?? 0);
  const isNext = more.every(({ id }, at) => Number(id) > (at === 0 ? last : Number(more[at - 1]?.id)));
  if (isNext) return [...known, ...more].slice(-maxLines);
  const byNumber = new Map([...known, ...more].map((line) => [Number(line.id), line]));
  return [...byNumber]
    .sort(([a], [b]) => a - b)
    .map(([, line]) => line)
    .slice(-maxLines);
}

export type LiveVisit = Pick<Visit, 'id' | 'siteId' | 'condition' | 'view' | 'slot' | 'protocol' | 'roundNumber' | 'startedAt' | 'outcome'>;

/** The newest visits that the page knows, each once. */
export interface LiveVisits {
  /** In the order of arrival. New visits are appended; once old ones are dropped, it is another array. */
  readonly all: readonly LiveVisit[];
  /** Changes when `all` is another array. */
  readonly generation: number;
  /** Leaves out extra visits, which record a netlog and never count. @returns how many are new */
  add(some: readonly (LiveVisit & Pick<Visit, 'netlog'>)[]): number;
}

/** Drops this many at a time, so that it seldom happens. */
const spare = 500;

/** @param most readers can't see more dots, and drawing them takes long */
export function createLiveVisits(most: number): LiveVisits {
  const known = new Set<string>();
  let all: LiveVisit[] = [];
  let generation = 0;
  return {
    get all() {
      return all;
    },
    get generation() {
      return generation;
    },
    add(some) {
      const before = known.size;
      for (const { id, siteId, condition, view, slot, protocol, roundNumber, startedAt, outcome, netlog } of some) {
        if (known.has(id) || netlog !== undefined) continue;
        known.add(id);
        all.push({ id, siteId, condition, view, slot, protocol, roundNumber, startedAt, outcome });
      }
      const added = known.size - before;
      if (all.length > most + spare) {
        // The ids of dropped visits stay known, so that reading them again adds nothing.
        all = all.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1)).slice(-most);
        generation++;
      }
      return added;
    },
  };
}
