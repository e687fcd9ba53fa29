// What is stored of a visit beside its record: what was asked, what was gathered, and what of it is too large for the record.
import type { ProgressPoint } from '@pronghorn/core/schemas';
import type { Watched } from './agent.ts';
import type { Asked, Evidence } from './gather/evidence.ts';

/** As JSON, gzipped, it is what `GET /visits/:id/evidence` gives. `evidence.version` tells the form of what was gathered. */
export interface EvidenceDocument {
  asked: Asked;
  evidence: Evidence;
  /** The visual progress curve, derived from the frames. Null where there is none. */
  progress: ProgressPoint[] | null;
  /** Packets, bytes and drops of each of the link's devices. Absent where nothing shapes. */
  linkCounters?: Watched['counters'];
}
