import type { Resource } from '@pronghorn/core/schemas';

/**
 * Time until all linked assets are there: the latest end among requests that no script started, directly or through
 * something that a script asked for. What failed has no end. Milliseconds since navigation start.
 *
 * Source: Kiwee 2023, whose benchmark waits for the assets that the document links and leaves out what scripts add.
 */
export function linkedDownload(resources: readonly Resource[]): number {
  return Math.max(
    0,
    ...resources.flatMap(({ linked, endMs, failure, blocked }) =>
      linked && endMs !== null && failure === null && blocked === null ? [endMs] : [],
    ),
  );
}
