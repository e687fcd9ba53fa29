// What a form asks the service while it is filled in, and how it is stored.
import { computed, nextTick, onScopeDispose, type ShallowRef, shallowRef, watch } from 'vue';
import { ask } from '../../service/ask.ts';
import { useMutation } from '../../service/mutation.ts';
import { useReading } from '../../service/reading.ts';

/** A copy of what is typed, once the typing rests. */
export function useRested<Value>(value: () => Value, restMs: number): Readonly<ShallowRef<Value>> {
  const copy = (): Value => JSON.parse(JSON.stringify(value()));
  const rested = shallowRef(copy());
  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(
    () => JSON.stringify(value()),
    () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        rested.value = copy();
      }, restMs);
    },
  );
  onScopeDispose(() => clearTimeout(timer));
  return rested;
}

/** Between two letters of one word, hardly between two words. */
const pauseMs = 350;

/** The service's answer to what a form says, asked for anew once typing rests. @param body null: nothing to ask. */
export function useAnswer<Answer>(path: string, body: () => object | null) {
  const asked = useRested(body, pauseMs);
  const reading = useReading(
    () => asked.value,
    (body, signal) => ask<Answer>('POST', path, { body, signal }),
  );
  const isCurrent = computed(() => JSON.stringify(body()) === JSON.stringify(asked.value));
  const latest = shallowRef<Answer>();
  watch([reading.value, asked], ([found]) => {
    if (found !== undefined || asked.value === null) latest.value = found;
  });
  return {
    /** The newest one, perhaps to an earlier question; undefined before the first. */
    latest,
    /** To what the form says now; undefined while it is not known. */
    answer: computed(() => (isCurrent.value ? reading.value.value : undefined)),
    /** Why there is no answer to what the form says now. */
    problem: computed(() => (isCurrent.value ? reading.problem.value : null)),
  };
}

/** Stores a form at `path` and puts the reader where something is wrong. */
export function useSaving<Stored>(path: string, element: Readonly<ShallowRef<HTMLElement | null>>) {
  const doing = useMutation();
  const problem = shallowRef<Error | null>(null);
  async function focusProblem(): Promise<void> {
    await nextTick();
    element.value?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]:not(:empty)')?.focus();
  }
  return {
    isBusy: doing.isBusy,
    /** Why it was not stored; the form may forget it. */
    problem,
    focusProblem,
    /** @param id null: a new one. @returns undefined when it was refused. */
    async save(body: object, id: string | null): Promise<Stored | undefined> {
      const [method, target] = id === null ? ['POST', path] : ['PUT', `${path}/${encodeURIComponent(id)}`];
      const stored = await doing.run(() => ask<Stored>(method, target, { body }));
      problem.value = doing.problem.value;
      if (stored === undefined) await focusProblem();
      return stored;
    },
  };
}
