// What of an engine a campaign may choose: an allow-list, since engines take hundreds of options that would change what is measured.
import Type, { type Static } from 'typebox';

/** Of the engine browsertime. */
export const EngineOptions = Type.Object(
  {
    video: Type.Optional(
      Type.Boolean({
        description:
          'Whether a video is made, from which SpeedIndex is; default true. Without one Chrome has no display, and SpeedIndex is null.',
      }),
    ),
    waits: Type.Optional(
      Type.Enum(['page', 'browsertime'], {
        description:
          'page, the default: a visit ends as limits say. browsertime: as browsertime ends it by itself, 5 s before it first looks at the page and 8 s after load.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Of the engine browsertime alone.' },
);
export type EngineOptions = Static<typeof EngineOptions>;
