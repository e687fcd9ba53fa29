export * from './cell.ts';
export * from './engine.ts';
export { metricTitle } from './metric-title.ts';
export { quantityWords } from './metric-unit.ts';
export * from './protocol.ts';
export * from './reason.ts';
export { version } from './version.ts';
