// Why nothing can be seen of a visit, and what to do about it.
import type { Filmstrip, Visit } from '@pronghorn/core/schemas';

/** Null where there is something to see. */
export function missingWords(
  { frames, missing }: Pick<Filmstrip, 'frames' | 'missing'>,
  { outcome }: Pick<Visit, 'outcome'>,
): string | null {
  switch (missing) {
    case 'not-kept':
      return (
        'Its raw evidence was not kept, and the frames are part of that. Runners keep it unless the campaign (evidence) or they are told not to: ' +
        'leave out --evidence and --no-evidence, or set runner.keepEvidence to true in the configuration, and measure again.'
      );
    case 'removed':
      return (
        'Its raw evidence is removed: this service does not keep so much (evidence.budgetMb) or so long (retention.evidenceDays), or its campaign keeps ' +
        'only other visits’ (evidence). The metrics stay.'
      );
    case 'lost':
      return 'Its raw evidence is lost: its file was missing or damaged. A backup of the folder evidence brings it back. The metrics stay.';
    case 'unreadable':
      return 'Its raw evidence can’t be read; the service’s log says why.';
    case null:
      if (frames.length > 0) return null;
      if (outcome.verdict === 'invalid') return 'The browser sent no frame: the visit ended before anything was painted.';
      if ('latency' in outcome.metrics) return 'A run of REST calls shows nothing.';
      return outcome.metrics.firstContentfulPaint === null
        ? 'The browser sent no frame: the page painted nothing.'
        : 'Its engine keeps no frames: SpeedIndex, where there is one, is from a video.';
  }
}
