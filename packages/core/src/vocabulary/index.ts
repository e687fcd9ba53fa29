export * from './cell.ts';
export * from './engine.ts';
export * from './event.ts';
export { type MetricUnit, metricNameIn, metricOf, metrics, metricTitle, metricUnit, quantityWords } from './metric.ts';
export * from './protocol.ts';
export * from './reason.ts';
export { version } from './version.ts';
export { workloadLimits, workloadOf } from './workload.ts';
