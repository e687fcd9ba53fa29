// Evidence that is kept of a visit beside its record: kinds, policy, what became of it, and the filmstrip.
import Type, { type Static } from 'typebox';
import { evidencePolicies } from '../vocabulary/choices.ts';
import { orNull, Time } from './fields.ts';
import type { Visit } from './visit.ts';

export { evidencePolicies };
/** Of which visits of a campaign evidence is kept; docs/operation.md says precisely what each means. */
export const EvidencePolicy = Type.Enum([...evidencePolicies], {
  description:
    'Of which visits evidence is kept: always; of invalid ones; of outliers in the primary metric, and invalid ones; on-demand: of pinned and invalid ones, the rest until a day after the campaign’s end; never. Default: always.',
});
export type EvidencePolicy = (typeof evidencePolicies)[number];

/**
 * Whether a runner sends the evidence of a visit: of extra ones that record a netlog, as the policy `always` has it. What only the whole campaign can tell,
 * the api decides when it is over.
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

export const evidenceKinds = ['evidence', 'netlog', 'trace', 'video', 'qlog', 'requests'] as const;
/** evidence: what metrics are derived from, frames and the link's counters of packets included; requests: of a run of REST calls, a line of JSON each. */
export type EvidenceKind = (typeof evidenceKinds)[number];
export const EvidenceKind = Type.Enum([...evidenceKinds]);

const gzip = { mediaTypes: ['application/gzip'], maxBytes: 64 * 2 ** 20 } as const;
/** In which form each kind comes, and how large one of a visit may be. Texts are gzipped. */
export const evidenceForms: Readonly<Record<EvidenceKind, { mediaTypes: readonly string[]; maxBytes: number }>> = {
  evidence: gzip,
  netlog: gzip,
  trace: gzip,
  video: { mediaTypes: ['video/mp4', 'video/webm'], maxBytes: 64 * 2 ** 20 },
  qlog: gzip,
  requests: gzip,
};

export const evidenceGone = ['age', 'budget', 'policy', 'lost'] as const;
/** Why evidence that was there is not: too old, no room, its campaign keeps only other visits', or its file was missing or damaged. */
export type EvidenceGone = (typeof evidenceGone)[number];

export const VisitEvidence = Type.Object({
  pinned: Type.Boolean({ description: 'Whether somebody asked to keep it: neither age nor the budget removes it.' }),
  files: Type.Array(
    Type.Object({
      kind: EvidenceKind,
      mediaType: Type.String(),
      bytes: Type.Integer(),
      sha256: Type.String({ description: 'Of the content, in hex.' }),
      storedAt: Time(),
      gone: orNull(
        Type.Enum([...evidenceGone]),
        'Why it is there no more: age, budget (it made room), policy (its campaign keeps only other visits’), lost (its file was missing or damaged). Null: it is there.',
      ),
    }),
  ),
});
export type VisitEvidence = Static<typeof VisitEvidence>;

const atMs = Type.Number({ description: 'Milliseconds since navigation start.' });
const completeness = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Visual completeness: the part of the last frame that is there already. It may fall again.',
});

/** A moment of the visual progress curve; the page shows so much until the next one. */
export const ProgressPoint = Type.Object({ atMs, completeness });
export type ProgressPoint = Static<typeof ProgressPoint>;

export const FilmstripFrame = Type.Object({
  atMs,
  completeness: orNull(completeness, 'Null for an invalid visit.'),
  jpegBase64: Type.String(),
});
export type FilmstripFrame = Static<typeof FilmstripFrame>;

export const missingFrames = ['not-kept', 'removed', 'lost', 'unreadable'] as const;

export const Filmstrip = Type.Object({
  frames: Type.Array(FilmstripFrame, {
    description:
      'Those that show something else than the one before, in their order; of too many, evenly chosen ones, the first and the last among them.',
  }),
  recorded: Type.Integer({
    minimum: 0,
    description: 'How many frames show something else than the one before; more than there are here, if these are chosen.',
  }),
  progress: orNull(Type.Array(ProgressPoint), 'The whole visual progress curve, of all frames; null where it was not stored.'),
  missing: orNull(
    Type.Enum([...missingFrames]),
    'Why there are no frames: the visit’s raw evidence was not kept, or is removed by age, budget or policy, or its file was missing or damaged (lost), or it can’t be read. Null where it was read; a page that never painted has no frames then either.',
  ),
});
export type Filmstrip = Static<typeof Filmstrip>;
