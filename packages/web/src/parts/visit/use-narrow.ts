// Whether the page is as narrow as a phone's.
import { onBeforeUnmount, type Ref, ref } from 'vue';

export function useNarrow(): Ref<boolean> {
  const query = matchMedia('screen and (max-width: 48rem)');
  const isNarrow = ref(query.matches);
  const follow = () => {
    isNarrow.value = query.matches;
  };
  query.addEventListener('change', follow);
  onBeforeUnmount(() => query.removeEventListener('change', follow));
  return isNarrow;
}
