// What a page reads from the service, and its state: loading, read, outdated, refused.
import type { Answer, Given, Route } from '@pronghorn/core/client';
import { onScopeDispose, type Ref, type ShallowRef, shallowRef, watch } from 'vue';
import { ask, type ItemOf, isApiError, type ListRoute, mayPass, readList } from './ask.ts';

export interface Reading<Value> {
  /** The newest that was read of this question; undefined before that. It stays while a newer one is read. */
  readonly value: Readonly<Ref<Value | undefined>>;
  /** The newest that was read of any question: it stays while the answer to another one is read. */
  readonly latest: Readonly<Ref<Value | undefined>>;
  /** Why there is nothing newer; it is tried again where that may help. */
  readonly problem: Readonly<ShallowRef<Error | null>>;
  readonly isReading: Readonly<ShallowRef<boolean>>;
  /** Reads now. */
  again: () => Promise<void>;
}

/** Waits before the first and later retries. */
const [minRetryMs, maxRetryMs] = [1000, 30_000];
/** Asking takes at most a twentieth of the time, however slow the answers are: visits may be measured on the machine that answers. */
const costRatio = 20;
/** One answer that was late, as while the service starts, must not stop a page for long. */
const maxCostMs = 300_000;

/**
 * When a reading is due again.
 * @param wishedMs after how long the page would like it; null: never.
 * @param tookMs how long reading it took just now.
 */
export const pollIntervalMs = (wishedMs: number | null, tookMs: number): number | null =>
  wishedMs === null ? null : Math.max(wishedMs, Math.min(costRatio * tookMs, maxCostMs));

/**
 * Reads at once, again whenever the question changes, and again after a while when the service doesn't answer. A change of the question
 * forgets the old answer.
 * @param question what is current for, such as an id and a filter; null: nothing yet.
 * @param read asks the service; its signal ends when the question changes or the page is left.
 * @param everyMs how often it is read anew while the answer may change and the page is seen, less often where reading it took long
 *   (`pollIntervalMs`); null or nothing: never.
 */
export function useReading<Question, Value>(
  question: () => Question | null,
  read: (question: Question, signal: AbortSignal) => Promise<Value>,
  everyMs: (value: Value, tookMs: number) => number | null = () => null,
): Reading<Value> {
  const value = shallowRef<Value>();
  const latest = shallowRef<Value>();
  const problem = shallowRef<Error | null>(null);
  const isReading = shallowRef(false);
  let asking = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  async function again(): Promise<void> {
    asking.abort();
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', whenSeen);
    const current = question();
    if (current === null) {
      isReading.value = false;
      return;
    }
    asking = new AbortController();
    const { signal } = asking;
    isReading.value = true;
    let nextMs: number | null = null;
    const askedAt = performance.now();
    try {
      const answer = await read(current, signal);
      if (signal.aborted) return;
      const tookMs = performance.now() - askedAt;
      value.value = answer;
      latest.value = answer;
      problem.value = null;
      failures = 0;
      nextMs = pollIntervalMs(everyMs(answer, tookMs), tookMs);
    } catch (error) {
      if (signal.aborted) return;
      problem.value = error as Error;
      if (!isApiError(error)) console.error(error);
      else if (mayPass(error)) nextMs = Math.min(maxRetryMs, minRetryMs * 2 ** failures++);
    } finally {
      if (!signal.aborted) isReading.value = false;
    }
    if (nextMs !== null) timer = setTimeout(whenSeen, nextMs);
  }

  /** Hidden pages don't read: this machine may be measuring. */
  function whenSeen(): void {
    document.removeEventListener('visibilitychange', whenSeen);
    if (document.hidden) document.addEventListener('visibilitychange', whenSeen);
    else void again();
  }

  watch(
    () => JSON.stringify(question()),
    () => {
      value.value = undefined;
      problem.value = null;
      failures = 0;
      void again();
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    asking.abort();
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', whenSeen);
  });
  return { value, latest, problem, isReading, again };
}

/** The answer of one route. @param given values of the route and its query; null: nothing to read yet. @param everyMs as of `useReading` */
export const useGet = <R extends Route>(
  route: R,
  given: () => Given<R> | null = () => ({}) as Given<R>,
  everyMs?: (value: Answer<R>['body'], tookMs: number) => number | null,
): Reading<Answer<R>['body']> => useReading(given, (current, signal) => ask(route, { ...current, signal }), everyMs);

/** A whole list of the API. Parameters as of `useGet`. */
export const useList = <R extends ListRoute>(
  route: R,
  given: () => Given<R> | null = () => ({}) as Given<R>,
  everyMs?: (items: ItemOf<R>[]) => number | null,
): Reading<ItemOf<R>[]> => useReading(given, (current, signal) => readList(route, { ...current, signal }), everyMs);
