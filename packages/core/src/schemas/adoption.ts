// What HAR files of others (HTTP Archive, browsertime) say of who offers HTTP/3: imports, and the adoption table that they make.
import Type, { type Static } from 'typebox';
import { count, orNull, share, Time } from './fields.ts';

export const Month = Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$', description: 'Such as 2020-12.' });

/** A HAR file of others that was counted. */
export const HarImport = Type.Object({
  id: Type.String(),
  createdAt: Time(),
  createdBy: orNull(Type.String(), 'Name of the token; null: this machine’s own command.'),
  name: orNull(Type.String(), 'As the sender called it.'),
  creator: orNull(Type.String(), 'The program that wrote it, with its version.'),
  pages: count('Pages of the HAR.'),
  requests: count('Its requests, those without a response included.'),
  hosts: count('Hosts that answered.'),
  months: Type.Array(Month, { description: 'In which its requests were made.' }),
});
export type HarImport = Static<typeof HarImport>;

/** One way in which a host answered in a month: its headers, and how often. */
export type HostAnswer = {
  month: string;
  /** Host name and, unless it is the scheme's default, port. */
  host: string;
  /** The Server header; empty where there is none. */
  server: string;
  /** Versions of HTTP/3 and QUIC by Alt-Svc, as `quicVersions` has them. */
  versions: string[];
  provider: string;
  /** Main documents of pages among the responses. */
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
    importId: Type.Optional(Type.String({ description: 'Of this import alone; default: all of them together.' })),
    from: Type.Optional(Month),
    to: Type.Optional(Month),
  },
  { additionalProperties: false },
);
export type AdoptionQuery = Static<typeof AdoptionQuery>;

const VersionAdoption = Type.Object({
  version: Type.String({ description: 'As advertised: h3, h3-29, h3-Q050, quic-43, …' }),
  family: Type.Enum(['h3', 'h3-draft', 'google-quic', 'hq']),
  units: count('That advertise it. Who advertises several counts in each.'),
  share: share('Of all units of the month.'),
});

const adopters = {
  units: count('Of the month.'),
  adopting: count('That advertise any version of HTTP/3 or QUIC.'),
  share: share('Of its units that do.'),
  shareOfAdopting: share('Of all that do in this month; 0 where none does.'),
};

export const MonthAdoption = Type.Object({
  month: Month,
  units: count('Sites or hosts that answered.'),
  adopting: count('That advertise any version of HTTP/3 or QUIC.'),
  adoptingShare: share('Of the units.'),
  http3: count('That advertise HTTP/3, as published or as a draft.'),
  http3Share: share('Of the units.'),
  versions: Type.Array(VersionAdoption, { description: 'The most advertised first.' }),
  providers: Type.Array(Type.Object({ provider: Type.String(), ...adopters }), {
    description: 'Who has most adopting units first; unknown last.',
  }),
  servers: Type.Array(Type.Object({ server: Type.String({ description: 'Product of the Server header; empty: none.' }), ...adopters }), {
    description: 'Who has most adopting units first; at most 50, and those that have any.',
  }),
});
export type MonthAdoption = Static<typeof MonthAdoption>;

export const Adoption = Type.Object(
  { unit: AdoptionUnit, months: Type.Array(MonthAdoption, { description: 'In their order.' }) },
  {
    description:
      'Who advertises HTTP/3 and QUIC by Alt-Svc: by month, version, provider and server (after Trevisan et al. 2021, figures 2 and 3).',
  },
);
export type Adoption = Static<typeof Adoption>;
