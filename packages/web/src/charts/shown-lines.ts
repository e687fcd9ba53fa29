// Lines of a chart that are taken out of it, and put back, by their names; and how each looks, in the theme of the moment.
import type { Protocol } from '@pronghorn/core/vocabulary';
import { computed, type Ref, ref } from 'vue';
import { isDark } from '../state/theme.ts';

export type LineLook = { colour: string; dash: readonly number[]; protocol?: Protocol };

/** @param lookOf a line, by its place among all; each name once. */
export function useShownLines<Line extends { name: string }>(
  lines: () => readonly Line[],
  lookOf: (line: Line, index: number) => LineLook,
) {
  /** Names of those that are not drawn. */
  const hidden: Ref<ReadonlySet<string>> = ref(new Set<string>());
  const all = computed(() => {
    void isDark.value;
    return lines().map((line, index) => ({ ...line, look: lookOf(line, index) }));
  });
  const shown = computed(() => all.value.filter(({ name }) => !hidden.value.has(name)));
  const entries = (those: typeof all.value) => those.map(({ name, look }) => ({ name, ...look }));
  return {
    hidden,
    shown,
    /** All names, for the legend; and those that are drawn, for a picture's. */
    legend: computed(() => entries(all.value)),
    shownLegend: computed(() => entries(shown.value)),
  };
}
