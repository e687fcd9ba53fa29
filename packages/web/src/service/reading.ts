// What a page reads from the service: loading, there, old, refused.
import { onScopeDispose, type ShallowRef, shallowRef, watch } from 'vue';
import { session } from '../state/session.ts';
import { ApiError, readList } from './ask.ts';
import { dueAfter } from './pace.ts';

export interface Reading<Value> {
  /** The newest that was read of this question; undefined before that. It stays while a newer one is read. */
  readonly value: Readonly<ShallowRef<Value | undefined>>;
  /** Why there is nothing newer; it is tried again where that may help. */
  readonly problem: Readonly<ShallowRef<Error | null>>;
  readonly isReading: Readonly<ShallowRef<boolean>>;
  /** Reads now. */
  again: () => Promise<void>;
}

const soonestMs = 1000;
const latestMs = 30_000;

/**
 * Reads at once, again whenever the question changes, and again after a while when the service doesn't answer. A change of the question
 * forgets the old answer.
 * @param question what is asked for, such as an id and a filter; null: nothing yet.
 * @param read asks the service; its signal ends when the question changes or the page is left.
 * @param everyMs how often it is read anew while the answer may change and the page is seen, less often where reading it took long
 *   (`dueAfter`); null or nothing: never.
 */
export function useReading<Question, Value>(
  question: () => Question | null,
  read: (question: Question, signal: AbortSignal) => Promise<Value>,
  everyMs: (value: Value, tookMs: number) => number | null = () => null,
): Reading<Value> {
  const value = shallowRef<Value>();
  const problem = shallowRef<Error | null>(null);
  const isReading = shallowRef(false);
  let asking = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  async function again(): Promise<void> {
    asking.abort();
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', whenSeen);
    const asked = question();
    if (asked === null) {
      isReading.value = false;
      return;
    }
    asking = new AbortController();
    const { signal } = asking;
    isReading.value = true;
    let nextMs: number | null = null;
    const askedAt = performance.now();
    try {
      const found = await read(asked, signal);
      if (signal.aborted) return;
      const tookMs = performance.now() - askedAt;
      value.value = found;
      problem.value = null;
      failures = 0;
      nextMs = dueAfter(everyMs(found, tookMs), tookMs);
    } catch (error) {
      if (signal.aborted) return;
      problem.value = error as Error;
      if (!(error instanceof ApiError)) console.error(error);
      else if (error.status === 401) session.lose();
      else if (error.passes) nextMs = Math.min(latestMs, soonestMs * 2 ** failures++);
    } finally {
      if (!signal.aborted) isReading.value = false;
    }
    if (nextMs !== null) timer = setTimeout(whenSeen, nextMs);
  }

  /** What nobody sees is not read: the visits may be measured on this very machine. */
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
  return { value, problem, isReading, again };
}

/** A whole list of the API. @param path null: nothing yet. @param everyMs null: read once. */
export const useList = <Item>(path: string | (() => string | null), everyMs: number | null = null): Reading<Item[]> =>
  useReading(
    () => (typeof path === 'string' ? path : path()),
    (asked, signal) => readList<Item>(asked, { signal }),
    () => everyMs,
  );
