// Requests that ended without an answer and failed nowhere: a policy forbade them, or the page took them back.
import type { Protocol as Cdp } from 'devtools-protocol';

/**
 * What stopped a request: Chrome's word for the policy (`csp`, `mixed-content`, …), `cors: …`, `aborted` for what the page took
 * back, or the error of a block (`net::ERR_BLOCKED_BY_ORB`). Null: nothing stopped it, and if it failed, the network failed.
 */
export function stoppedBy(failed: Cdp.Network.LoadingFailedEvent | undefined): string | null {
  if (failed === undefined) return null;
  if (failed.blockedReason !== undefined) return failed.blockedReason;
  if (failed.corsErrorStatus !== undefined) return `cors: ${failed.corsErrorStatus.corsError}`;
  if (failed.canceled === true || failed.errorText === 'net::ERR_ABORTED') return 'aborted';
  return /ERR_(BLOCKED_BY|UNSAFE_PORT|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME)/.test(failed.errorText) ? failed.errorText : null;
}

/** What Chrome decides before it sends anything; CORS most often decides on the answer. */
const beforeSending =
  /^(csp|mixed-content|origin|inspector|subresource-filter|other|net::ERR_(BLOCKED_BY_(CLIENT|CSP|ADMINISTRATOR)|UNSAFE_PORT|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME))$|^cors: (Preflight|DisallowedByMode|CorsDisabledScheme|MethodDisallowed|HeaderDisallowed)/;

/** Whether a request that something stopped never left the browser. */
export function neverLeft({ blocked, status }: { blocked: string | null; status: number | null }): boolean {
  return blocked !== null && status === null && beforeSending.test(blocked);
}
