// What the API says of a condition while it is edited.
import type { Condition, ConditionPreview } from '@pronghorn/core/schemas';
import { onScopeDispose, shallowRef, watch } from 'vue';
import { ApiError, ask } from '../../service/ask.ts';
import { noNumberWords, notNumbers } from '../../text/typed-number.ts';
import type { FieldProblem } from '../campaign-form/field-problems.ts';

/** What is asked with while it has no name: the rest can be told nonetheless. */
const unnamed = 'unnamed';
const noName = { pointer: '#/name', detail: 'Give it a name of lower-case letters, digits, dots and hyphens.' };

const pauseMs = 300;

/** @returns the newest answer, and what is wrong with which field. */
export function useConditionPreview(condition: () => Condition) {
  const preview = shallowRef<ConditionPreview | null>(null);
  const problems = shallowRef<readonly FieldProblem[]>([]);
  let asking = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    const body = condition();
    const wrong = notNumbers(body);
    if (wrong.length > 0) {
      problems.value = wrong.map((pointer) => ({ pointer, detail: `${noNumberWords} Empty means that it doesn’t happen.` }));
      return;
    }
    asking = new AbortController();
    const { signal } = asking;
    try {
      const asked = body.name === '' ? { ...body, name: unnamed } : body;
      const found = await ask<ConditionPreview>('POST', 'conditions/preview', { body: asked, signal });
      if (signal.aborted) return;
      preview.value = found;
      problems.value =
        body.name === ''
          ? [
              noName,
              ...found.problems.map((problem) => ({
                ...problem,
                detail: problem.detail.replace(`Condition ${unnamed}`, 'This condition'),
              })),
            ]
          : found.problems;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      // Where nothing answers, saving will say so.
      problems.value = error.errors;
    }
  }
  watch(
    () => JSON.stringify(condition(), (_, value: unknown) => (Number.isNaN(value) ? 'no number' : value)),
    () => {
      asking.abort();
      clearTimeout(timer);
      timer = setTimeout(() => void look(), pauseMs);
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    asking.abort();
    clearTimeout(timer);
  });
  return { preview, problems };
}
