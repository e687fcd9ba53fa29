// @pronghorn/origin: a local QUIC-enabled web server with demo sites, for measurements whose server is known.

export { hostAddresses, type Place, thisMachine } from './hosts/place.ts';
export type { DemoSite } from './hosts/sites.ts';
export { shapeOf, type TrickSite, trickSets, trickSites, tricks } from './hosts/tricks.ts';
export { isWebSite } from './hosts/web-hosts.ts';
export { codingOf, isText } from './local/codings.ts';
export {
  type LocalFolder,
  type LocalHost,
  type LocalOrigin,
  type LocalServerSite,
  localAddresses,
  localPlace,
  localPort,
  startLocalOrigin,
} from './local/local-origin.ts';
export { NoBuild, type NotServed, type Snapshot } from './local/snapshot.ts';
export { type AccessLogEntry, readAccessLog } from './machine/access-log.ts';
export type { Web } from './origin.ts';
export { type Origin, type OriginOptions, startOrigin } from './origin.ts';
export type { Calls } from './servers/calls.ts';
export { findCaddy, findNginx, readCaddyBuild } from './servers/find-server.ts';
export { type ServerName, type ServerWish, serverNames, serverWish, serverWords } from './servers/server.ts';
