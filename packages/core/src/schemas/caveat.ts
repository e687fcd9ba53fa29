// What limits an answer: a code with numbers, and its words.
import Type, { type Static } from 'typebox';
import { caveatCodes } from '../vocabulary/caveat.ts';
import { orNull } from './fields.ts';
import { View } from './vocabulary.ts';

export const Caveat = Type.Object({
  code: Type.Enum(caveatCodes),
  siteId: orNull(Type.String(), 'Null: of every site.'),
  condition: orNull(Type.String(), 'Null: under every condition.'),
  view: orNull(View, 'Null: in every view.'),
  numbers: Type.Record(Type.String(), Type.Number(), {
    description: 'What its words count: shares from 0 to 1, numbers of objects and visits.',
  }),
  names: Type.Array(Type.String(), { description: 'Addresses or hosts that it is about; at most five.' }),
  words: Type.String({ description: 'Its summary in sentences, without the place.' }),
});
export type Caveat = Static<typeof Caveat>;

export const Caveats = Type.Array(Caveat, {
  description: 'What limits the answer besides its own uncertainty, such as a redirect to a login or a busy machine. Warnings first.',
});
