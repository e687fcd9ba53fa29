// Light or dark, by the reader's system or choice; canvas charts are redrawn on a change.
import { computed, ref, watchEffect } from 'vue';

export type Theme = 'system' | 'light' | 'dark';
const key = 'pronghorn-theme';
const stored = (): Theme => {
  try {
    const saved = localStorage.getItem(key);
    return saved === 'light' || saved === 'dark' ? saved : 'system';
  } catch {
    return 'system'; // storage is refused
  }
};

export const theme = ref<Theme>(stored());
const system = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = ref(system.matches);
system.addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches;
});
/** Paper is light, and narrow: see style/print.css. */
const isPrinting = ref(false);
addEventListener('beforeprint', () => {
  isPrinting.value = true;
});
addEventListener('afterprint', () => {
  isPrinting.value = false;
});
export const isDark = computed(() => !isPrinting.value && (theme.value === 'system' ? systemIsDark.value : theme.value === 'dark'));

// At once: drawing for paper reads the colours right after.
watchEffect(
  () => {
    document.documentElement.dataset.theme = isDark.value ? 'dark' : 'light';
    document.documentElement.classList.toggle('paper', isPrinting.value);
  },
  { flush: 'sync' },
);
watchEffect(() => {
  try {
    if (theme.value === 'system') localStorage.removeItem(key);
    else localStorage.setItem(key, theme.value);
  } catch {
    // Then for this visit only.
  }
});

/** A colour of the style sheet by its name, such as `h3` or `ink`, as it is now. */
export const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
