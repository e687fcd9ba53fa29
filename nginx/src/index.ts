// @pronghorn/origin: a local QUIC-enabled nginx with demo sites, for measurements whose server is known.
export { type AccessLogEntry, readAccessLog } from './access-log.ts';
export { findNginx } from './find-nginx.ts';
export { type Origin, type OriginOptions, startOrigin } from './origin.ts';
export type { DemoSite } from './sites.ts';
