import type { InvalidReason } from '@pronghorn/core/vocabulary';

/** What the page needs first could not be had: its visits have this reason, and nothing was loaded. */
export class VisitorError extends Error {
  readonly reason: InvalidReason;

  constructor(reason: InvalidReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
