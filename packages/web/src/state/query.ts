// A page's state in its address: a link shares it, the back button undoes it.
import { computed, type WritableComputedRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';

/** Changes of one turn are made together: each alone would undo the one before. */
const waiting = new Map<string, string | undefined>();

/**
 * One parameter of the address, such as `metric` in `#/campaigns/7?metric=speedIndex`.
 * @param fallback what is meant where it is absent; it is then left out of the address.
 * @param allowed anything else counts as absent; default: any text.
 * @param history `push`: the back button undoes a change; `replace`: it doesn't, as for what is typed.
 */
export function useQuery<Value extends string>(
  name: string,
  fallback: Value,
  allowed: readonly Value[] | null = null,
  history: 'push' | 'replace' = 'push',
): WritableComputedRef<Value> {
  const [route, router] = [useRoute(), useRouter()];
  return computed({
    get: () => {
      const values = route.query[name];
      const text = (Array.isArray(values) ? values[0] : values) as Value | null | undefined;
      return text === null || text === undefined || (allowed !== null && !allowed.includes(text)) ? fallback : text;
    },
    set: (value) => {
      if (waiting.size === 0) {
        queueMicrotask(() => {
          const query = { ...route.query };
          for (const [key, text] of waiting) {
            if (text === undefined) delete query[key];
            else query[key] = text;
          }
          waiting.clear();
          void router[history]({ query, hash: route.hash });
        });
      }
      waiting.set(name, value === fallback ? undefined : value);
    },
  });
}

/** The same for a list, which the address joins by commas. */
export function useQueryList<Value extends string>(name: string, allowed: readonly Value[] | null = null): WritableComputedRef<Value[]> {
  const text = useQuery<string>(name, '');
  return computed({
    get: () => (text.value === '' ? [] : (text.value.split(',') as Value[]).filter((each) => allowed === null || allowed.includes(each))),
    set: (values) => {
      text.value = values.join(',');
    },
  });
}
