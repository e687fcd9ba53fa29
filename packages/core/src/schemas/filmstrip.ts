// What was seen of a visit's page while it loaded: frames, and how much of the page each shows.
import Type, { type Static } from 'typebox';

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
  completeness: Type.Union([completeness, Type.Null()], {
    description: 'Null where it was not stored: of an invalid visit, or by an earlier version.',
  }),
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
  progress: Type.Union([Type.Array(ProgressPoint), Type.Null()], {
    description: 'The whole visual progress curve, of all frames; null where it was not stored.',
  }),
  missing: Type.Union([Type.Enum([...missingFrames]), Type.Null()], {
    description:
      'Why there are no frames: the visit’s raw evidence was not kept, or is removed by age, budget or policy, or its file was missing or damaged (lost), or it can’t be read. Null where it was read; a page that never painted has no frames then either.',
  }),
});
export type Filmstrip = Static<typeof Filmstrip>;
