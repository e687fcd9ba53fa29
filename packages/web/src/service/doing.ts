// What a page changes in the service: being done, done, refused.
import { type ShallowRef, shallowRef } from 'vue';
import { session } from '../state/session.ts';
import { ApiError } from './ask.ts';

export interface Doing {
  readonly isBusy: Readonly<ShallowRef<boolean>>;
  /** Why the last one failed; null when it didn't. */
  readonly problem: Readonly<ShallowRef<Error | null>>;
  /** @returns what came of it; undefined when it failed, or another is still being done. */
  run<Answer>(work: () => Promise<Answer>): Promise<Answer | undefined>;
}

/** One thing at a time: a second click does nothing. */
export function useDoing(): Doing {
  const isBusy = shallowRef(false);
  const problem = shallowRef<Error | null>(null);
  return {
    isBusy,
    problem,
    async run(work) {
      if (isBusy.value) return undefined;
      isBusy.value = true;
      problem.value = null;
      try {
        return await work();
      } catch (error) {
        problem.value = error as Error;
        if (!(error instanceof ApiError)) console.error(error);
        else if (error.status === 401) session.lose();
        return undefined;
      } finally {
        isBusy.value = false;
      }
    },
  };
}
