// What the API says of a request while it is typed: nothing is made by asking.
import type { CampaignPreview, CampaignRequest } from '@pronghorn/core/schemas';
import { onScopeDispose, type ShallowRef, shallowRef, watch } from 'vue';
import { ApiError, ask } from '../../service/ask.ts';
import { session } from '../../state/session.ts';
import type { FieldProblem } from './field-problems.ts';

/** Between two letters of one word, hardly between two words. */
const pauseMs = 350;
const againMs = 5000;

export interface Previewing {
  /** The newest answer, of this request or, while `isOld`, of one before; null: there is none. */
  readonly preview: Readonly<ShallowRef<CampaignPreview | null>>;
  readonly isOld: Readonly<ShallowRef<boolean>>;
  readonly isAsking: Readonly<ShallowRef<boolean>>;
  /** What the body has that the API can't read. */
  readonly problems: Readonly<ShallowRef<readonly FieldProblem[]>>;
  /** Why there is no answer, other than by the request. */
  readonly trouble: Readonly<ShallowRef<Error | null>>;
}

/** @param request null: nothing that could be asked. */
export function usePreview(request: () => CampaignRequest | null): Previewing {
  const preview = shallowRef<CampaignPreview | null>(null);
  const isOld = shallowRef(true);
  const isAsking = shallowRef(false);
  const problems = shallowRef<readonly FieldProblem[]>([]);
  const trouble = shallowRef<Error | null>(null);
  let asking = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    const body = request();
    if (body === null) return;
    asking = new AbortController();
    const { signal } = asking;
    try {
      const found = await ask<CampaignPreview>('POST', 'campaigns/preview', { body, signal });
      if (signal.aborted) return;
      preview.value = found;
      isOld.value = false;
      problems.value = [];
      trouble.value = null;
      isAsking.value = false;
    } catch (error) {
      if (signal.aborted) return;
      isAsking.value = false;
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) return session.lose();
      problems.value = error.errors;
      trouble.value = error.errors.length > 0 ? null : error;
      if (error.passes) timer = setTimeout(() => void look(), againMs);
    }
  }
  watch(
    () => JSON.stringify(request()),
    (_, before) => {
      asking.abort();
      clearTimeout(timer);
      isOld.value = true;
      problems.value = [];
      isAsking.value = request() !== null;
      if (!isAsking.value) preview.value = null;
      else timer = setTimeout(() => void look(), before === undefined ? 0 : pauseMs);
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    asking.abort();
    clearTimeout(timer);
  });
  return { preview, isOld, isAsking, problems, trouble };
}
