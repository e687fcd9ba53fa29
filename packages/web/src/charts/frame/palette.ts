// The look of lines and marks: colours, dashes, and the mark of each protocol.
import type { Protocol, VerdictOutcome } from '@pronghorn/core/vocabulary';
import { computed, type Ref, ref } from 'vue';
import { colour, isDark } from '../../state/theme.ts';

/** As the `d` of an SVG path, and of a Path2D: marks differ by more than colour. @param r half the width in pixels */
export function markPath(protocol: Protocol | 'other', x: number, y: number, r: number): string {
  switch (protocol) {
    case 'h1':
      return `M${x - r * 0.88} ${y - r * 0.88}h${1.76 * r}v${1.76 * r}h${-1.76 * r}z`;
    case 'h3':
      return `M${x} ${y - r * 1.25}L${x + r * 1.25} ${y}L${x} ${y + r * 1.25}L${x - r * 1.25} ${y}z`;
    default:
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  }
}

/**
 * The mark of a verdict, the same on every chart: its winner's in the winner's hue, = where both are equivalent, an open circle where nothing is
 * proven; and its class. @param r half the width in pixels
 */
export function verdictMark(outcome: VerdictOutcome | null | undefined, x: number, y: number, r: number): { d: string; class: string } {
  const winner = (outcome?.match(/^(h\d)-faster$/)?.[1] ?? null) as Protocol | null;
  if (winner !== null) return { d: markPath(winner, x, y, r), class: `mark proven protocol-${winner}` };
  if (outcome !== 'equivalent') return { d: markPath('other', x, y, r), class: 'mark open' };
  const bar = (top: number) => `M${x - r} ${top}h${2 * r}v${r * 0.55}h${-2 * r}z`;
  return { d: bar(y - r * 0.9) + bar(y + r * 0.35), class: 'mark equal' };
}

/** The same marks by Chart.js' names. */
export const pointStyles: Readonly<Record<Protocol, 'rect' | 'circle' | 'rectRot'>> = { h1: 'rect', h2: 'circle', h3: 'rectRot' };

export type LineLook = { colour: string; dash: readonly number[]; protocol?: Protocol };

/** For every kind of colour vision (after Okabe & Ito and Tol). */
const light = ['#117733', '#882255', '#332288', '#997700', '#aa4499', '#1f6f78', '#5c4033', '#3d3d3d'];
const dark = ['#5fd38d', '#e58bb8', '#b3a5ff', '#e6c34a', '#f3a6e4', '#6fd6e0', '#d3a98a', '#d6d6d6'];
const dashes: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [9, 3, 2, 3]];
const dashOf = (index: number) => dashes[index % dashes.length] ?? [];

/** The look of a line without a protocol, by its index: the first 32 all differ. */
export function lineLook(index: number): LineLook {
  const colours = isDark.value ? dark : light;
  return { colour: colours[index % colours.length] as string, dash: dashOf(index + Math.floor(index / colours.length)) };
}

/** @param nth the line's number among those of its protocol, from 0 on: dashes distinguish it */
export const protocolLook = (protocol: Protocol, nth: number): LineLook => ({ protocol, colour: colour(protocol), dash: dashOf(nth) });

/** Lines that readers can hide and show by name. @param lookOf a line, by its index; names are unique */
export function useShownLines<Line extends { name: string }>(
  lines: () => readonly Line[],
  lookOf: (line: Line, index: number) => LineLook,
) {
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
    legend: computed(() => entries(all.value)),
    /** For a saved picture. */
    shownLegend: computed(() => entries(shown.value)),
  };
}
