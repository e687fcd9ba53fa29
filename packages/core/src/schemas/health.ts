// Whether the service can work.
import Type, { type Static } from 'typebox';

export const Health = Type.Object({ status: Type.Literal('ok') });
export type Health = Static<typeof Health>;
