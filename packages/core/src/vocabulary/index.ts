export * from './cell.ts';
export * from './choices.ts';
export * from './engine.ts';
export { metricNames } from './metric-names.ts';
export { metricTitle } from './metric-title.ts';
export { quantityWords } from './metric-unit.ts';
export * from './protocol.ts';
export * from './reason.ts';
export { version } from './version.ts';
