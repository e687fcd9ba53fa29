// The vocabulary in requests and responses.
import Type, { type Static } from 'typebox';
import { views } from '../vocabulary/cell.ts';
import { protocols } from '../vocabulary/protocol.ts';
import { invalidKinds, invalidReasons, type InvalidReason as Reason, verdicts } from '../vocabulary/reason.ts';

export const Protocol = Type.Enum([...protocols], { description: 'Protocol that the browser may speak to the page’s hosts.' });
export type Protocol = Static<typeof Protocol>;

export const View = Type.Enum([...views], {
  description:
    'cold: nothing kept; warm: the repeat view, with cache, tickets and Alt-Svc of the first view, or of the pages that the visitor opened before (after).',
});
export type View = Static<typeof View>;

export const Verdict = Type.Enum([...verdicts]);
export type Verdict = Static<typeof Verdict>;

export const InvalidReason = Type.Enum(Object.keys(invalidReasons) as Reason[], {
  description: 'Why a visit is not a measurement.',
});
export type InvalidReason = Static<typeof InvalidReason>;

export const InvalidKind = Type.Enum([...invalidKinds], {
  description:
    'failure: of the page or its protocol, an outcome that counts; measurement: of the machine or Chrome, repeated without a trace; unfit: the visit did not measure what was requested.',
});
export type InvalidKind = Static<typeof InvalidKind>;
