// What was read stays while the answer to another question is read.
import { type ShallowRef, shallowRef, watch } from 'vue';
import type { Reading } from '../../service/reading.ts';

export function useKept<Value>(reading: Reading<Value>): Readonly<ShallowRef<Value | undefined>>;
/** @param before what it is until the first answer. */
export function useKept<Value>(reading: Reading<Value>, before: NoInfer<Value>): Readonly<ShallowRef<Value>>;
export function useKept<Value>(reading: Reading<Value>, before?: Value): Readonly<ShallowRef<Value | undefined>> {
  const kept = shallowRef<Value | undefined>(reading.value.value ?? before);
  watch(reading.value, (found) => {
    if (found !== undefined) kept.value = found;
  });
  return kept;
}
