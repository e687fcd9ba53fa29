export * from './cell.ts';
export * from './choices.ts';
export * from './engine.ts';
export * from './metric.ts';
export * from './protocol.ts';
export * from './reason.ts';
export * from './verdict.ts';
export { version } from './version.ts';
export { workloadLimits, workloadOf } from './workload.ts';
