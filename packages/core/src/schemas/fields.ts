// Fields that schemas share.
import Type from 'typebox';

export const Time = (description = 'ISO 8601.') => Type.String({ format: 'date-time', description });
export const TimeOrNull = (description: string) => orNull(Type.String({ format: 'date-time' }), description);

export const orNull = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

export const number = (description: string) => Type.Number({ description });
export const numberOrNull = (description: string) => orNull(Type.Number(), description);
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const controls = '\\x00-\\x1f\\x7f-\\x9f';

type Options = { maxLength: number; description: string };

/** A single line of text, such as a name. */
export const OneLine = ({ maxLength, description, minLength = 1 }: Partial<Options> & { maxLength: number; minLength?: number }) =>
  Type.String({
    ...{ minLength, maxLength },
    pattern: `^[^${controls}]*$`,
    description: description === undefined ? 'No control characters.' : `${description} No control characters.`,
  });

/** Text as the service stores it: line breaks become spaces. */
export const oneLine = (text: string): string => text.replaceAll(anyControls, ' ').trim();
const anyControls = new RegExp(`[${controls}]+`, 'g');

/** A name by which a thing can be looked up, as well as by its id. */
export const NameBesideId = ({ maxLength, description }: Options) =>
  Type.String({
    ...{ minLength: 1, maxLength },
    pattern: `^[0-9 ]*[^0-9 ${controls}][^${controls}]*$`,
    description: `${description} Not only digits, which are ids; no control characters.`,
  });
