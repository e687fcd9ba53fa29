// Reports the phases of a visit to listeners, such as bench/visit-overhead; costs nothing without one.
import { channel } from 'node:diagnostics_channel';

/** In the order of a visit; what is opened ahead of it has those before `load begun`. */
export type Phase =
  | 'Chrome started'
  | 'warmed up'
  | 'context opened'
  | 'tab ready'
  | 'window at rest'
  | 'load begun'
  | 'load event heard'
  | 'quiet'
  | 'CPU read'
  | 'page read'
  | 'frames in'
  | 'context closed';

export const phaseChannel = 'pronghorn:visit-phase';
const phases = channel(phaseChannel);

/** Says that a phase of a visit ends now: `{ phase, at }`, of `performance.now()`. */
export function ends(phase: Phase): void {
  if (phases.hasSubscribers) phases.publish({ phase, at: performance.now() });
}
