import type { AcrossSites } from '../../schemas/across.ts';
import type { PageCharacteristics } from './class-characteristics.ts';
import { stepsOf } from './steps.ts';

/**
 * How much of their objects and bytes sites serve over HTTP/3 (Trevisan et al. 2021, figures 4 and 5): the steps of both
 * distribution functions. Where HTTP/3 is forced these are the shares of a visitor who knows
 * which hosts speak it; a first visitor without HTTPS records gets less.
 *
 * @param sites medians over counted visits over h3; null for a site without any, which is left out.
 */
export function h3Shares(sites: readonly (PageCharacteristics | null)[]): Pick<AcrossSites, 'h3Objects' | 'h3Bytes'> {
  const known = sites.filter((page) => page !== null);
  const of = (name: 'h3Share' | 'h3ByteShare') => ({ sites: known.length, steps: stepsOf(known.map((page) => page[name])) });
  return { h3Objects: of('h3Share'), h3Bytes: of('h3ByteShare') };
}
