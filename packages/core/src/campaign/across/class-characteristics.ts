import { mean, sampleStandardDeviation } from 'simple-statistics';
import {
  type BoxPlot,
  type Characteristic,
  type CharacteristicOfClass,
  type ClassCharacteristics,
  characteristics,
} from '../../schemas/across.ts';
import { siteClass } from '../../verdict/h3-delta.ts';
import { boxOf, summarise } from '../../verdict/summary.ts';
import { siteClasses } from '../../vocabulary/verdict.ts';

/** One number for each characteristic of a page. */
export type PageCharacteristics = Record<Characteristic, number>;

/**
 * What the pages of each class have in common (Trevisan et al. 2021, figure 9).
 *
 * Beside the box of the values is the box in units of *unit variance*: z = (x − mean) ÷ standard deviation (n − 1), both over all given sites
 * together, so that bytes and shares fit into one chart and a class that differs lies off 0. Whether the paper's "unit variance" is exactly that
 * (or divides by n, or is taken over other sites) could not be verified from its text. Outliers, which page sizes have, distort z: quote
 * the box of the values itself.
 *
 * Classes are described, not tested; with few sites in a class the tails of its box are single sites.
 *
 * @param sites with H3-Delta and medians over counted visits over h3; a site that lacks either is left out.
 * @returns for each class, in the order below, within, above.
 */
export function classCharacteristics(
  sites: readonly { delta: number | null; characteristics: PageCharacteristics | null }[],
): ClassCharacteristics[] {
  const known = sites.flatMap(({ delta, characteristics: page }) =>
    delta === null || page === null ? [] : [{ class: siteClass(delta), page }],
  );
  const scales = new Map(characteristics.map((name) => [name, scaleOf(known.map(({ page }) => page[name]))]));
  const byClass = Map.groupBy(known, (site) => site.class);
  return siteClasses.map((name) => {
    const pages = byClass.get(name) ?? [];
    return {
      class: name,
      sites: pages.length,
      characteristics:
        pages.length === 0
          ? {}
          : Object.fromEntries(
              characteristics.map((characteristic) => {
                const values = pages.map(({ page }) => page[characteristic]);
                return [characteristic, ofClass(values, scales.get(characteristic) ?? null)];
              }),
            ),
    };
  });
}

type Scale = { mean: number; stdev: number };

/** Null if there is nothing to divide by. */
function scaleOf(values: readonly number[]): Scale | null {
  if (values.length < 2 || values.every((value) => value === values[0])) return null;
  return { mean: mean([...values]), stdev: sampleStandardDeviation([...values]) };
}

function ofClass(values: readonly number[], scale: Scale | null): CharacteristicOfClass {
  const box = boxOf(summarise(values));
  // A quantile of definition 7 is a weighted mean of two values, so it moves with them: no second sort.
  const standardised =
    scale && (Object.fromEntries(Object.entries(box).map(([name, x]) => [name, (x - scale.mean) / scale.stdev])) as BoxPlot);
  return { box, standardised };
}
