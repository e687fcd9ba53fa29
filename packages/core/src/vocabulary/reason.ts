// Why a visit is not a measurement, and its consequences; why a request of a run failed.

export const verdicts = ['valid', 'invalid'] as const;
/** Whether a visit is a measurement. */
export type Verdict = (typeof verdicts)[number];

/** Why a visit is not a measurement, with an explanation for readers of a report. */
export const invalidReasons = {
  'dns-error': 'a host name did not resolve',
  'tls-error': 'the certificate or the TLS handshake was refused, which Pronghorn never ignores',
  'quic-error': 'HTTP/3 was forced and failed: UDP is blocked, or there is no HTTP/3',
  'connection-error': 'the main document could not be fetched',
  'http-status': 'the main document came with another status than expected',
  'not-a-page': 'the URL is a download or has no document',
  'protocol-unavailable': 'the protocol is not offered, or does not work from here',
  'wrong-protocol': 'loaded, but not over the requested protocol',
  'protocol-unproven': 'nothing in the visit proves its protocol (all came from a cache)',
  'connection-reused': 'the visit began on a connection that was open before',
  redirected: 'the page ended on another URL than at discovery',
  'out-of-reach': 'the page needs another server on this machine, which visits do not reach',
  'left-page': 'the page moved on by itself again and again, and never came to rest',
  challenge: 'a wall that asks for proof of a human answered instead of the page',
  incomplete: 'objects failed that load otherwise: a page with holes is another page',
  'load-timeout': 'the load event did not come in time',
  'page-too-big': 'more requests or bytes than the campaign allows',
  'tab-crashed': 'the page’s renderer crashed',
  'browser-crashed': 'the browser itself went away',
  'busy-machine': 'other work or a CPU limit took too much of the machine’s CPU',
  'no-visual-progress': 'the page painted, but no frame shows it: its SpeedIndex would be wrong',
  'step-failed': 'what comes before the page (login, consent, an earlier page) failed',
  'secret-missing': 'a secret that the page needs first was not found, or may not go to its hosts',
  'not-confirmed': 'the server has not shown that it may be loaded with requests',
  'engine-error': 'the measurement itself failed',
} as const;
export type InvalidReason = keyof typeof invalidReasons;

export const invalidKinds = ['failure', 'measurement', 'unfit'] as const;
/**
 * The meaning of an invalid visit.
 *
 * - failure: a visitor would not have got the page either. An outcome, slower than every load: it counts, and is not repeated.
 * - measurement: the machine, Chrome or Pronghorn failed. It says nothing about the page, and is repeated without a trace.
 * - unfit: the load measured something other than requested. Neither a value nor a failure, and another try would be the same.
 */
export type InvalidKind = (typeof invalidKinds)[number];

interface Traits {
  kind: InvalidKind;
  /** True if more rounds would show the same: a site that begins so is abandoned. */
  lasting: boolean;
}

/** The one place that defines the consequences of an invalid visit; docs/decisions/0005-rounds.md explains each. */
const traits: Readonly<Record<InvalidReason, Traits>> = {
  'dns-error': { kind: 'failure', lasting: true },
  'tls-error': { kind: 'failure', lasting: true },
  'quic-error': { kind: 'failure', lasting: false },
  'connection-error': { kind: 'failure', lasting: false },
  'http-status': { kind: 'failure', lasting: true },
  'load-timeout': { kind: 'failure', lasting: false },
  'page-too-big': { kind: 'failure', lasting: true },
  'tab-crashed': { kind: 'failure', lasting: false },
  redirected: { kind: 'failure', lasting: true },
  'left-page': { kind: 'failure', lasting: true },
  challenge: { kind: 'failure', lasting: true },
  incomplete: { kind: 'failure', lasting: false },
  'busy-machine': { kind: 'measurement', lasting: false },
  'engine-error': { kind: 'measurement', lasting: false },
  'browser-crashed': { kind: 'measurement', lasting: false },
  'no-visual-progress': { kind: 'measurement', lasting: false },
  'connection-reused': { kind: 'measurement', lasting: false },
  'protocol-unavailable': { kind: 'unfit', lasting: true },
  'wrong-protocol': { kind: 'unfit', lasting: false },
  'protocol-unproven': { kind: 'unfit', lasting: true },
  'not-a-page': { kind: 'unfit', lasting: true },
  'out-of-reach': { kind: 'unfit', lasting: true },
  // Without its steps the page is a different one.
  'step-failed': { kind: 'unfit', lasting: true },
  'secret-missing': { kind: 'unfit', lasting: true },
  'not-confirmed': { kind: 'unfit', lasting: true },
};

export const kindOf = (reason: InvalidReason): InvalidKind => traits[reason].kind;
export const isLasting = (reason: InvalidReason): boolean => traits[reason].lasting;
/** In the order of `invalidReasons`. */
export const reasonsOfKind = (kind: InvalidKind): InvalidReason[] =>
  (Object.keys(invalidReasons) as InvalidReason[]).filter((reason) => kindOf(reason) === kind);

/** Why a request failed, with an explanation for readers of a report. */
export const requestErrors = {
  dns: 'the host has no address',
  refused: 'nothing listens on its port',
  unreachable: 'there is no route to it',
  tls: 'its certificate, TLS version or cipher was refused',
  'wrong-protocol': 'it used a protocol other than the requested one',
  timeout: 'no end within the time of a request',
  reset: 'the connection was cut off',
  closed: 'the server closed the connection',
  'stream-reset': 'the server gave up this request alone',
  incomplete: 'the body ended too early',
  'http-status': 'an unsuccessful answer',
  'not-sent': 'the time of the run was over before it was sent',
  other: 'something else',
} as const;
export type RequestError = keyof typeof requestErrors;
