// @pronghorn/origin: a local QUIC-enabled web server with demo sites, for measurements whose server is known.

export { type AccessLogEntry, readAccessLog } from './access-log.ts';
export type { Calls } from './calls.ts';
export {
  type LocalFolder,
  type LocalHost,
  type LocalOrigin,
  localAddresses,
  localPlace,
  localPort,
  startLocalOrigin,
} from './local/local-origin.ts';
export { NoBuild, type NotServed, type Snapshot } from './local/snapshot.ts';
export type { Web } from './origin.ts';
export { type Origin, type OriginOptions, startOrigin } from './origin.ts';
export { hostAddresses, type Place, thisMachine } from './place.ts';
export { findCaddy, findNginx, readCaddyBuild } from './servers/find-server.ts';
export { type ServerName, type ServerWish, serverNames, serverWish, serverWords } from './servers/server.ts';
export type { DemoSite } from './sites.ts';
export { isWebSite } from './web/web-hosts.ts';
