// The vocabulary of packages/core in words for people: what core has no words for.
import type { CampaignSpec, GateMetric, Role } from '@pronghorn/core/schemas';
import { type InvalidKind, type MetricName, type MetricUnit, metrics, type SiteClass } from '@pronghorn/core/vocabulary';

export { runViewWords } from '@pronghorn/core/text';
export {
  adjustmentNames,
  invalidReasons,
  kindOf,
  type MetricUnit as Unit,
  metricNameIn,
  metricNamesOf as metricsIn,
  metricOf,
  metrics as metricNames,
  outcomeNames,
  protocolNames,
  requestErrors,
  siteClassLimit as classBorder,
} from '@pronghorn/core/vocabulary';

/** The two that readers look for first. */
export const firstMetrics = ({ engine }: Pick<CampaignSpec, 'engine'>): readonly [MetricName, MetricName] =>
  engine === 'transaction' ? ['responseTime', 'responseTimeP99'] : ['onLoad', 'speedIndex'];

/** The metrics that a gate can limit. */
export const gateMetricNames: Readonly<Record<GateMetric, { name: string; unit: MetricUnit }>> = {
  ...metrics,
  failedShare: { name: 'Share of failed visits', unit: 'share' },
};

/** The short word of each kind. */
export const kindNames: Readonly<Record<InvalidKind, string>> = {
  failure: 'failed',
  measurement: 'not measured',
  unfit: 'not as requested',
};

/** The rights of a role, for people. */
export const roleNames: Readonly<Record<Role, string>> = {
  viewer: 'may read',
  submitter: 'may start campaigns',
  runner: 'measures',
  admin: 'may do everything',
};

export const classNames: Readonly<Record<SiteClass, string>> = { below: 'HTTP/3 lower', within: 'about the same', above: 'HTTP/2 lower' };
