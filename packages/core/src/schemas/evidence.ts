// Evidence that is kept of a visit besides its record: kinds, policy, removal, and the filmstrip.
import Type, { type Static } from 'typebox';
import { evidencePolicies } from '../vocabulary/choices.ts';
import { orNull, Time } from './fields.ts';
import type { Visit } from './visit.ts';

/** The visits of a campaign whose evidence is kept; docs/operation.md defines each policy. */
export const EvidencePolicy = Type.Enum([...evidencePolicies], {
  description:
    'Visits whose evidence is kept. always: all; invalid: invalid ones; outliers: invalid ones and outliers in the primary metric; on-demand: invalid and pinned ones, and all others until a day after the campaign’s end; never: none. Default: always.',
});
export type EvidencePolicy = (typeof evidencePolicies)[number];

/**
 * Whether a runner sends the evidence of a visit. Extra visits that record a netlog send theirs under every policy but `never`. What only the
 * whole campaign can tell, the api decides when it is over.
 */
export function isEvidenceSent(policy: EvidencePolicy | undefined, { outcome, netlog }: Pick<Visit, 'outcome' | 'netlog'>): boolean {
  switch (policy) {
    case 'never':
      return false;
    case 'invalid':
      return outcome.verdict === 'invalid' || netlog !== undefined;
    case 'outliers':
    case 'on-demand':
    case 'always':
    case undefined:
      return true;
  }
}

const evidenceKinds = ['evidence', 'netlog', 'trace', 'video', 'qlog', 'requests'] as const;
/**
 * evidence: what metrics are derived from, including frames and the link's packet counters; requests: those of a run of REST calls, a line
 * of JSON each.
 */
export type EvidenceKind = (typeof evidenceKinds)[number];
export const EvidenceKind = Type.Enum([...evidenceKinds]);

const gzip = { mediaTypes: ['application/gzip'], maxBytes: 64 * 2 ** 20 } as const;
/** The format of each kind, and its maximum size for one visit. Texts are gzipped. */
export const evidenceForms: Readonly<Record<EvidenceKind, { mediaTypes: readonly string[]; maxBytes: number }>> = {
  evidence: gzip,
  netlog: gzip,
  trace: gzip,
  video: { mediaTypes: ['video/mp4', 'video/webm'], maxBytes: 64 * 2 ** 20 },
  qlog: gzip,
  requests: gzip,
};

const evidenceGone = ['age', 'budget', 'policy', 'lost'] as const;
/** Why evidence was removed: too old, no space, its campaign keeps only other visits', or its file was missing or damaged. */
export type EvidenceGone = (typeof evidenceGone)[number];

export const VisitEvidence = Type.Object({
  pinned: Type.Boolean({ description: 'Whether a user pinned it: neither age nor the budget removes it.' }),
  files: Type.Array(
    Type.Object({
      kind: EvidenceKind,
      mediaType: Type.String(),
      bytes: Type.Integer(),
      sha256: Type.String({ description: 'Hash of the content, in hex.' }),
      storedAt: Time(),
      gone: orNull(
        Type.Enum([...evidenceGone]),
        'Why it was removed: age, budget (to free space), policy (its campaign keeps only other visits’), lost (its file was missing or damaged). Null: it is kept.',
      ),
    }),
  ),
});
export type VisitEvidence = Static<typeof VisitEvidence>;

const atMs = Type.Number({ description: 'Milliseconds since navigation start.' });
const completeness = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Visual completeness, relative to the last frame. It may decrease.',
});

/** A point of the visual progress curve, which is constant until the next point. */
export const ProgressPoint = Type.Object({ atMs, completeness });
export type ProgressPoint = Static<typeof ProgressPoint>;

export const FilmstripFrame = Type.Object({
  atMs,
  completeness: orNull(completeness, 'Null for an invalid visit.'),
  jpegBase64: Type.String(),
});
export type FilmstripFrame = Static<typeof FilmstripFrame>;

const missingFrames = ['not-kept', 'removed', 'lost', 'unreadable'] as const;

export const Filmstrip = Type.Object({
  frames: Type.Array(FilmstripFrame, {
    description: 'Frames that differ from the previous one, in order; of too many, an even selection that includes the first and the last.',
  }),
  recorded: Type.Integer({
    minimum: 0,
    description: 'Number of frames that differ from the previous one; more than there are here if these are a selection.',
  }),
  progress: orNull(Type.Array(ProgressPoint), 'The whole visual progress curve, from all frames; null if it was not stored.'),
  missing: orNull(
    Type.Enum([...missingFrames]),
    'Why there are no frames: the visit’s raw evidence was not kept, was removed by age, budget or policy, its file was missing or damaged (lost), or it can’t be read. Null if it was read; a page that never painted has no frames either.',
  ),
});
export type Filmstrip = Static<typeof Filmstrip>;
