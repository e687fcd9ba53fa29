// The engine options that a campaign may choose: an allow-list, because engines have hundreds of options that change what is measured.
import Type, { type Static } from 'typebox';

/** Options of the engine browsertime. */
export const EngineOptions = Type.Object(
  {
    video: Type.Optional(
      Type.Boolean({
        description:
          'Whether to record a video, from which SpeedIndex is derived; default true. Without it, Chrome has no display, and SpeedIndex is null.',
      }),
    ),
    waits: Type.Optional(
      Type.Enum(['page', 'browsertime'], {
        description:
          'page (default): a visit ends as limits say. browsertime: a visit ends by browsertime’s own rule, 5 s before its first look at the page and 8 s after load.',
      }),
    ),
  },
  { additionalProperties: false, description: 'For the engine browsertime only.' },
);
export type EngineOptions = Static<typeof EngineOptions>;
