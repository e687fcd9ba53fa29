// Settings that decide how HTTP/2 and HTTP/3 compare on Caddy: those of the configuration, and those built into Go's libraries.
import { availableParallelism } from 'node:os';
import type { CaddyBuild } from './find-server.ts';

/** TLS settings of every host. The configuration is made from these values, and they are stored with every campaign. */
export const tlsPolicy = {
  // Why each: see nginx-settings.ts. Go has no choice of TLS 1.3's ciphers: AES-128-GCM where the processor has AES.
  protocol_min: 'tls1.3',
  protocol_max: 'tls1.3',
  curves: ['x25519', 'secp256r1'],
};
export const idleTimeout = '75s';
/** Allows early data over QUIC; Go's TLS over TCP has none. */
export const allow0Rtt = true;
/** Go would offer Multipath TCP on its listeners from 1.24 on; a route's congestion control is for plain TCP. */
export const goDebug = 'multipathtcp=0';

/** Read in the sources of quic-go and golang.org/x/net; they have no settings for it, and Caddy sets none. */
const builtIn = (quicGo: string | null) => ({
  readIn: 'quic-go 0.59.0 to 0.63.0, golang.org/x/net 0.55.0 to 0.60.0, Caddy 2.11.4 and 2.11.9',
  h2: { maxConcurrentStreams: 250, writeBytes: 4_096, priorities: 'none: round robin (RFC 9218 from Go 1.27 on)' },
  quic: {
    congestionControl: 'newreno',
    /** The window after a loss, as a share of the one before. */
    lossFactor: 0.7,
    slowStart: 'hybrid (HyStart)',
    pacing: true,
    pacingGain: 1.25,
    pacingBurstPackets: 10,
    initialWindowBytes: 40_960,
    initialPacketBytes: 1_280,
    pathMtuDiscovery: true,
    segmentationOffload: true,
    maxConcurrentStreams: 100,
    /** Limits the client; Chrome limits the server. */
    streamWindowBytes: 524_288,
    connectionWindowBytes: 786_432,
    idleTimeoutS: 30,
    udpSocketBuffersWanted: 7_340_032,
    ...orderOf(quicGo),
  },
});

/** Order in which a connection sends (framer.go of 0.61.0 and 0.62.0); everything else above is the same in both. */
function orderOf(quicGo: string | null) {
  if (quicGo === null) return { priorities: 'unknown', resends: 'unknown' };
  return quicGo.localeCompare('0.62.0', 'en', { numeric: true }) < 0
    ? { priorities: 'none: round robin', resends: 'what was lost, in its stream’s turn' }
    : { priorities: 'RFC 9218: by urgency; one after another, or in turns where incremental', resends: 'what was lost, before all else' };
}

export function caddySettings({ version, go, quicGo, goNet }: CaddyBuild): Record<string, unknown> {
  return {
    server: 'caddy',
    version,
    go,
    quicGo,
    goNet,
    // As many as there are cores: Go spreads connections over them, nginx has one worker.
    goMaxProcs: availableParallelism(),
    goDebug,
    tls: { ...tlsPolicy, sessionTickets: true },
    idleTimeout,
    earlyDataOverQuic: allow0Rtt,
    compression: 'gzip, made beforehand',
    builtIn: builtIn(quicGo),
  };
}
