// Names that people give: shown in terminals, logs and reports, which control characters would rewrite.
import Type from 'typebox';

const controls = '\\x00-\\x1f\\x7f-\\x9f';

type Options = { maxLength: number; description: string };

/** Words in one line, such as a name. */
export const OneLine = ({ maxLength, description, minLength = 1 }: Partial<Options> & { maxLength: number; minLength?: number }) =>
  Type.String({
    ...{ minLength, maxLength },
    pattern: `^[^${controls}]*$`,
    description: description === undefined ? 'No control characters.' : `${description} No control characters.`,
  });

/** As the service takes it: what has lines becomes one. */
export const oneLine = (text: string): string => text.replaceAll(anyControls, ' ').trim();
const anyControls = new RegExp(`[${controls}]+`, 'g');

/** A name of things that can be looked up by it as well as by their id. */
export const NameBesideId = ({ maxLength, description }: Options) =>
  Type.String({
    ...{ minLength: 1, maxLength },
    pattern: `^[0-9 ]*[^0-9 ${controls}][^${controls}]*$`,
    description: `${description} Not digits alone, which are ids; no control characters.`,
  });
