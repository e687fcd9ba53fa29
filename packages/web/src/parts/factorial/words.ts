// Words of the factorial page.
import type { CvClass, FactorDifference } from '@pronghorn/core/schemas';

/** How alike replications are, by their coefficient of variation. */
export const cvNames: Readonly<Record<CvClass, string>> = {
  'highly-consistent': 'high',
  consistent: 'good',
  'sufficiently-consistent': 'sufficient',
  inconsistent: 'no',
};

/** Such as: protocol within method GET. */
export const differenceName = ({ factor, within }: Pick<FactorDifference, 'factor' | 'within'>): string =>
  within === null ? factor : `${factor} within ${within.factor} ${within.level}`;
