// Adoption of HTTP/3 by third-party HAR files (HTTP Archive, browsertime): imports, and the adoption table made from them.
import Type, { type Static } from 'typebox';
import { leftOutReasons } from '../vocabulary/left-out.ts';
import { count, orNull, share, Time } from './fields.ts';

export const Month = Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$', description: 'Such as 2020-12.' });

/** An imported third-party HAR file. */
export const HarImport = Type.Object({
  id: Type.String(),
  createdAt: Time(),
  createdBy: orNull(Type.String(), 'Name of the token. Null: a command on this machine.'),
  name: orNull(Type.String(), 'Name given by the sender.'),
  creator: orNull(Type.String(), 'Program that wrote the file, with its version.'),
  pages: count('Pages in the HAR.'),
  requests: count('Requests in the HAR, including those without a response.'),
  hosts: count('Hosts that answered.'),
  months: Type.Array(Month, { description: 'Months in which its requests were made.' }),
  leftOut: Type.Partial(Type.Record(Type.Enum([...leftOutReasons]), count('Requests.')), {
    description:
      'Requests that count for no host, since nobody knows what it advertised. no-answer: no answer came; no-headers: the file has none of its headers; cached: it came from a cache, which kept no Alt-Svc. no-page: counted for its host, but for no site, since the file does not say which page it is of.',
  }),
});
export type HarImport = Static<typeof HarImport>;

/** One way in which a host answered in a month: its headers, and how often. */
export type HostAnswer = {
  month: string;
  /** Host name and, unless it is the scheme's default, port. */
  host: string;
  /** The Server header; empty if there is none. */
  server: string;
  /** Versions of HTTP/3 and QUIC in Alt-Svc, as `quicVersions` names them. */
  versions: string[];
  provider: string;
  /** Responses that are main documents of pages. */
  documents: number;
  responses: number;
};

export const adoptionUnits = ['site', 'host'] as const;
export const AdoptionUnit = Type.Enum([...adoptionUnits], {
  description:
    'site: hosts that served a page’s main document, by that document’s headers (as studies count websites); host: all hosts, by all their responses.',
});
export type AdoptionUnit = (typeof adoptionUnits)[number];

export const AdoptionQuery = Type.Object(
  {
    unit: Type.Optional(AdoptionUnit),
    importId: Type.Optional(Type.String({ description: 'Only this import; default: all imports.' })),
    from: Type.Optional(Month),
    to: Type.Optional(Month),
  },
  { additionalProperties: false },
);
export type AdoptionQuery = Static<typeof AdoptionQuery>;

const VersionAdoption = Type.Object({
  version: Type.String({ description: 'As advertised: h3, h3-29, h3-Q050, quic-43, …' }),
  family: Type.Enum(['h3', 'h3-draft', 'google-quic', 'hq']),
  units: count('Units that advertise it. A unit with several versions counts for each.'),
  share: share('Share of all units of the month.'),
});

const adopters = {
  units: count('Units of the month.'),
  adopting: count('Units that advertise any version of HTTP/3 or QUIC.'),
  share: share('Adopting units, as a share of `units`.'),
  shareOfAdopting: share('Share of all adopting units of the month; 0 if there are none.'),
};

export const MonthAdoption = Type.Object({
  month: Month,
  units: count('Sites or hosts that answered.'),
  adopting: count('Units that advertise any version of HTTP/3 or QUIC.'),
  adoptingShare: share('Share of units.'),
  http3: count('Units that advertise HTTP/3, final or draft.'),
  http3Share: share('Share of units.'),
  versions: Type.Array(VersionAdoption, { description: 'Most advertised first.' }),
  providers: Type.Array(Type.Object({ provider: Type.String(), ...adopters }), {
    description: 'Most adopting units first; unknown last.',
  }),
  servers: Type.Array(Type.Object({ server: Type.String({ description: 'Product in the Server header; empty: none.' }), ...adopters }), {
    description: 'Most adopting units first; at most 50, without those that have none.',
  }),
});
export type MonthAdoption = Static<typeof MonthAdoption>;

export const Adoption = Type.Object(
  { unit: AdoptionUnit, months: Type.Array(MonthAdoption, { description: 'In chronological order.' }) },
  {
    description:
      'Who advertises HTTP/3 and QUIC by Alt-Svc, by month, version, provider and server (after Trevisan et al. 2021, figures 2 and 3).',
  },
);
export type Adoption = Static<typeof Adoption>;
