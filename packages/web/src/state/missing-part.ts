// A part of the dashboard is loaded when it is first shown: after an upgrade an old page asks for what is no more.
import { ref } from 'vue';

export const isPartMissing = ref(false);
addEventListener('vite:preloadError', () => {
  isPartMissing.value = true;
});
