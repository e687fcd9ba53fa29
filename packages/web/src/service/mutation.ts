// A change that a page makes in the service, and its state: busy, done, refused.
import { shallowRef } from 'vue';
import { isApiError } from './ask.ts';

/** One thing at a time: a second click does nothing. */
export function useMutation() {
  const isBusy = shallowRef(false);
  /** Why the last one failed; null when it didn't. */
  const problem = shallowRef<Error | null>(null);
  return {
    isBusy,
    problem,
    /** @returns what came of it; undefined when it failed, or another is still being done. */
    async run<Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> {
      if (isBusy.value) return undefined;
      isBusy.value = true;
      problem.value = null;
      try {
        return await work();
      } catch (error) {
        problem.value = error as Error;
        if (!isApiError(error)) console.error(error);
        return undefined;
      } finally {
        isBusy.value = false;
      }
    },
  };
}
