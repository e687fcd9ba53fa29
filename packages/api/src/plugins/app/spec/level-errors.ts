// What of the levels of a campaign's sites makes no factorial design.
import { type CampaignRequest, levelLimits, ownFactors } from '@pronghorn/core/schemas';
import type { Errors } from './campaign-spec.ts';

/** All sites have the same factors, no two the same levels, or none has any. */
export function levelErrors({
  sites,
  conditions = ['native'],
  views = ['cold'],
}: Pick<CampaignRequest, 'sites' | 'conditions' | 'views'>): Errors {
  const first = sites.findIndex(({ levels }) => levels !== undefined);
  if (first === -1) return [];
  const factors = Object.keys(sites[first]?.levels ?? {});
  const seen = new Map<string, number>();
  const errors = sites.flatMap(({ levels }, place): Errors => {
    const pointer = `#/sites/${place}/levels`;
    if (levels === undefined)
      return [{ pointer, detail: `Site ${place + 1} has no levels, and site ${first + 1} has. Give all sites their levels, or none.` }];
    const own = Object.keys(levels);
    const lacking = factors.filter((factor) => !own.includes(factor));
    const more = own.filter((factor) => !factors.includes(factor));
    if (lacking.length > 0 || more.length > 0)
      return [
        {
          pointer,
          detail: `Site ${place + 1} has the factors ${own.join(', ')}; expected ${factors.join(', ')}, as of site ${first + 1}.`,
        },
      ];
    const key = JSON.stringify(factors.map((factor) => levels[factor]));
    const other = seen.get(key);
    seen.set(key, other ?? place);
    const words = factors.map((factor) => levels[factor]).join(', ');
    return other === undefined
      ? []
      : [{ pointer, detail: `Site ${place + 1} has the same levels as site ${other + 1}: ${words}. Each combination stands once.` }];
  });
  const names = factors.flatMap((factor): Errors => {
    const pointer = `#/sites/${first}/levels`;
    if (factor === '' || factor.length > levelLimits.text)
      return [{ pointer, detail: `The name of a factor has ${factor.length} characters; expected 1 to ${levelLimits.text}.` }];
    if ((ownFactors as readonly string[]).includes(factor))
      return [{ pointer, detail: `"${factor}" is a factor of every campaign. Leave it out of the levels, or give yours another name.` }];
    return [];
  });
  const cells = sites.length * conditions.length * views.length;
  const many: Errors =
    cells > levelLimits.cells
      ? [
          {
            pointer: '#/sites',
            detail: `${cells} combinations of sites, conditions and views; a factorial campaign has at most ${levelLimits.cells}. Take a fraction of them, or leave out levels.`,
          },
        ]
      : [];
  return [...names, ...errors, ...many];
}
