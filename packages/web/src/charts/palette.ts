// Lines that are no protocol: colours for every kind of colour vision (after Okabe & Ito and Tol), told apart by dashes as well.
import { isDark } from '../state/theme.ts';

const light = ['#117733', '#882255', '#332288', '#997700', '#aa4499', '#1f6f78', '#5c4033', '#3d3d3d'];
const dark = ['#5fd38d', '#e58bb8', '#b3a5ff', '#e6c34a', '#f3a6e4', '#6fd6e0', '#d3a98a', '#d6d6d6'];
const dashes: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [9, 3, 2, 3]];

/** Of the line at this place in its order: no two of the first 32 are alike. */
export function lineLook(index: number): { colour: string; dash: number[] } {
  const colours = isDark.value ? dark : light;
  return {
    colour: colours[index % colours.length] as string,
    dash: [...(dashes[(index + Math.floor(index / colours.length)) % dashes.length] as number[])],
  };
}
