// All that a campaign's page follows while it runs: its progress, its visits and its log, from lists and from the event stream.
import type { Campaign, CampaignEvents, CampaignLogLine, Page, Visit } from '@pronghorn/core/schemas';
import { type ComputedRef, computed, onScopeDispose, type ShallowRef, shallowRef, watch } from 'vue';
import { ApiError, read, readList } from '../../service/ask.ts';
import { useCampaignEvents } from '../../service/events.ts';
import { type Reading, useReading } from '../../service/reading.ts';
import { isOver } from '../campaigns/progress.ts';
import { createLiveVisits, type LiveVisits } from './live-visits.ts';

/** More dots than that are neither seen nor drawn quickly. */
export const mostVisits = 10_000;
/** As the service keeps. */
const mostLines = 5_000;
const pageOfVisits = 1000;
/** What comes is shown four times a second at most. */
const shownMs = 250;
/** The page looks for itself: seldom while the stream tells, soon where no stream comes through. */
const [lookMs, lookWithoutStreamMs] = [10_000, 4_000];
/** What a stream still has to tell of a campaign that is over comes within that time. */
const afterwardsMs = 5_000;

export interface LiveCampaign {
  reading: Reading<Campaign>;
  /** The newest that is known. */
  campaign: ComputedRef<Campaign | undefined>;
  visits: LiveVisits;
  /** Changes when visits came, as often as they may be drawn. */
  stamp: Readonly<ShallowRef<number>>;
  /** The oldest first. */
  lines: Readonly<ShallowRef<readonly CampaignLogLine[]>>;
  /** Whether what comes is told at once. */
  isFollowed: Readonly<ShallowRef<boolean>>;
  /** Whether what came before the page was opened is there. */
  isPastRead: Readonly<ShallowRef<boolean>>;
  /** Reads that; again does no harm. */
  readPast: () => Promise<void>;
}

export function useLiveCampaign(id: string): LiveCampaign {
  const path = (rest: string) => `campaigns/${encodeURIComponent(id)}${rest}`;
  const visits = createLiveVisits(mostVisits);
  const lines = shallowRef<readonly CampaignLogLine[]>([]);
  const stamp = shallowRef(0);
  const ending = new AbortController();

  let told = 0;
  const newest = shallowRef<{ number: number; progress: CampaignEvents['progress'] }>();
  const reading = useReading(
    () => id,
    async (_id, signal) => {
      const toldBefore = told;
      return { toldBefore, campaign: await read<Campaign>(path(''), { signal }) };
    },
    ({ campaign: found }) => (isOver(found.state) ? null : isFollowed?.value ? lookMs : lookWithoutStreamMs),
  );
  /** What the stream said while a reading was under way is newer than that. */
  const campaign = computed(() => {
    const found = reading.value.value;
    if (found === undefined) return undefined;
    const isNewer = newest.value !== undefined && newest.value.number > found.toldBefore;
    return isNewer ? { ...found.campaign, ...newest.value?.progress } : found.campaign;
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
  const isFollowed = useCampaignEvents(() => followed.value, {
    progress(progress) {
      const before = campaign.value?.state;
      newest.value = { number: ++told, progress };
      if (before !== undefined && before !== progress.state) void reading.again(); // when it was finished is not told
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
      else if (followed.value !== null) leaving = setTimeout(() => (followed.value = null), afterwardsMs);
    },
    { immediate: true },
  );

  const isPastRead = shallowRef(false);
  let past: Promise<void> | undefined;
  /** Whether all older visits are there: until then a page that is known says nothing about those behind it. */
  let isComplete = false;
  /** Of visits the newest first, until one page holds nothing new. */
  async function readNow(): Promise<void> {
    await Promise.all([readLog(), readVisits()]);
    isPastRead.value = true;
  }
  async function readLog(): Promise<void> {
    const { signal } = ending;
    await readList<CampaignLogLine>(path('/log'), { signal }, mostLines).then((found) => {
      waiting.push(...found);
      showSoon();
    });
  }
  async function readVisits(): Promise<void> {
    const { signal } = ending;
    for (let cursor: string | null = ''; cursor !== null && visits.all.length < mostVisits; ) {
      const query = { newest: true, limit: pageOfVisits, cursor };
      const page: Page<Visit> = await read(path('/visits'), { query, signal });
      const added = visits.add(page.items);
      showSoon();
      if (added === 0 && isComplete) break;
      cursor = page.nextCursor;
    }
    isComplete = true;
  }
  /** What fails is read again with the next look; that there is no answer, the campaign's own reading tells. */
  const readPast = () => {
    past ??= readNow()
      .catch(() => {})
      .finally(() => {
        past = undefined;
      });
    return past;
  };
  // Once the stream is open nothing falls between the two; where none comes, each look brings what is new.
  watch(isFollowed, (isNow) => {
    if (isNow) {
      void readPast();
      if (reading.problem.value !== null) void reading.again(); // the service is back
    } else if (followed.value !== null) void reading.again();
  });
  watch(reading.value, (found) => {
    if (found && !isFollowed.value && !isOver(found.campaign.state)) void readPast();
  });
  watch(reading.problem, (problem) => {
    if (problem instanceof ApiError && !problem.passes) followed.value = null; // such as: it was deleted
  });
  onScopeDispose(() => {
    ending.abort();
    clearTimeout(shown);
    clearTimeout(leaving);
  });

  const whole: Reading<Campaign> = {
    ...reading,
    value: campaign as unknown as Reading<Campaign>['value'],
  };
  return { reading: whole, campaign, visits, stamp, lines, isFollowed, isPastRead, readPast };
}

/** Each line once, in the order of the log, the newest so many. */
function joined(known: readonly CampaignLogLine[], more: readonly CampaignLogLine[]): CampaignLogLine[] {
  const last = Number(known.at(-1)?.id ?? 0);
  const isNext = more.every(({ id }, at) => Number(id) > (at === 0 ? last : Number(more[at - 1]?.id)));
  if (isNext) return [...known, ...more].slice(-mostLines);
  const byNumber = new Map([...known, ...more].map((line) => [Number(line.id), line]));
  return [...byNumber]
    .sort(([a], [b]) => a - b)
    .map(([, line]) => line)
    .slice(-mostLines);
}
