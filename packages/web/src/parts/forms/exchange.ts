// A form's requests to the service during typing, and storing it.
import type { Answer, Route } from '@pronghorn/core/client';
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

/** The service's answer to a form's content, requested again once typing rests. @param body null: no request */
export function useAnswer<R extends 'POST /campaigns/preview' | 'POST /conditions/preview' | 'POST /gates/read'>(
  route: R,
  body: () => object | null,
) {
  const rested = useRested(body, pauseMs);
  const reading = useReading(
    () => rested.value,
    (body, signal) => ask(route, { body, signal } as never),
  );
  const isCurrent = computed(() => JSON.stringify(body()) === JSON.stringify(rested.value));
  const latest = shallowRef<Answer<R>['body']>();
  watch([reading.value, rested], ([newest]) => {
    if (newest !== undefined || rested.value === null) latest.value = newest;
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

/** Moves the focus to the first problem of a form, out of whatever is folded around it. A problem without a control has it itself. */
export async function focusProblemIn(form: HTMLElement | null): Promise<void> {
  await nextTick();
  const first = form?.querySelector<HTMLElement>('[aria-invalid="true"], [tabindex]:is(.problem-text:has(p), [role="alert"]:not(:empty))');
  for (let fold = first?.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true;
  first?.focus();
}

type Stored = 'conditions' | 'gates' | 'notifications' | 'schedules' | 'tokens';

/** Stores a form, and moves the focus to what is wrong. */
export function useSaving<Kind extends Stored>(kind: Kind, element: Readonly<ShallowRef<HTMLElement | null>>) {
  type Saved = Answer<`POST /${Kind}`>['body'];
  const doing = useMutation();
  const problem = shallowRef<Error | null>(null);
  const focusProblem = (): Promise<void> => focusProblemIn(element.value);
  return {
    isBusy: doing.isBusy,
    /** Why it was not stored; the form may forget it. */
    problem,
    focusProblem,
    /** @param id null: a new one. @returns undefined when it was refused. */
    async save(body: object, id: string | null): Promise<Saved | undefined> {
      const route = id === null ? `POST /${kind}` : `PUT /${kind}/{id}`;
      const stored = await doing.run(() => ask(route as Route, { body, id } as never) as Promise<Saved>);
      problem.value = doing.problem.value;
      if (stored === undefined) await focusProblem();
      return stored;
    },
  };
}
