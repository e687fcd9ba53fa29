import { unknownProvider } from '../campaign/across/providers.ts';
import type { Adoption, AdoptionUnit, HostAnswer, MonthAdoption } from '../schemas/adoption.ts';
import { familyOf } from './alt-svc.ts';

/** Servers with a row of their own; the long tail says nothing. */
const maxServers = 50;

type Unit = { versions: Set<string>; provider: string; server: string; responses: number };
type Group = { units: number; adopting: number };

/**
 * Adoption of HTTP/3 and QUIC by month, version, provider and server, as in figures 2 and 3 of Trevisan et al. 2021 for HTTP Archive's pages. As
 * far as it could be verified, their rule for a website is its main document's Alt-Svc header; `site` as unit is the same.
 *
 * A unit that answered in several ways within a month advertises everything that any of its answers does; its provider and server are those of
 * its most frequent answer.
 *
 * @param answers grouped by month, and within a month by host, so that a million hosts need no memory.
 */
export function adoptionTable(answers: Iterable<HostAnswer>, unit: AdoptionUnit): Adoption {
  const months: MonthAdoption[] = [];
  let month = null as MonthTally | null; // an assertion: closures set it, which no compiler sees
  let host: string | null = null;
  let current: Unit | null = null;
  const endHost = () => {
    if (month && current) month.add(current);
    current = null;
  };
  const endMonth = () => {
    endHost();
    if (month) months.push(month.table());
  };
  for (const answer of answers) {
    if (unit === 'site' && answer.documents === 0) continue;
    if (answer.month !== month?.month) {
      endMonth();
      month = new MonthTally(answer.month);
    } else if (answer.host !== host) endHost();
    host = answer.host;
    current = merged(current, answer);
  }
  endMonth();
  return { unit, months };
}

function merged(unit: Unit | null, { versions, provider, server, responses }: HostAnswer): Unit {
  if (unit === null) return { versions: new Set(versions), provider, server, responses };
  for (const version of versions) unit.versions.add(version);
  if (responses > unit.responses) Object.assign(unit, { provider, server, responses });
  return unit;
}

class MonthTally {
  readonly month: string;
  #units = 0;
  #adopting = 0;
  #http3 = 0;
  readonly #versions = new Map<string, number>();
  readonly #providers = new Map<string, Group>();
  readonly #servers = new Map<string, Group>();

  constructor(month: string) {
    this.month = month;
  }

  add({ versions, provider, server }: Unit): void {
    this.#units++;
    const isAdopting = versions.size > 0;
    if (isAdopting) this.#adopting++;
    if ([...versions].some((version) => ['h3', 'h3-draft'].includes(familyOf(version) ?? ''))) this.#http3++;
    for (const version of versions) this.#versions.set(version, (this.#versions.get(version) ?? 0) + 1);
    count(this.#providers, provider, isAdopting);
    count(this.#servers, productOf(server), isAdopting);
  }

  table(): MonthAdoption {
    const units = this.#units;
    const versions = [...this.#versions].map(([version, adopters]) => ({
      version,
      family: familyOf(version) ?? ('h3-draft' as const),
      units: adopters,
      share: adopters / units,
    }));
    const providers = this.#rows(this.#providers).map(([provider, group]) => ({ provider, ...group }));
    const servers = this.#rows(this.#servers).map(([server, group]) => ({ server, ...group }));
    return {
      month: this.month,
      units,
      adopting: this.#adopting,
      adoptingShare: this.#adopting / units,
      http3: this.#http3,
      http3Share: this.#http3 / units,
      versions: versions.sort((a, b) => b.units - a.units || (a.version < b.version ? -1 : 1)),
      providers: [
        ...providers.filter(({ provider }) => provider !== unknownProvider),
        ...providers.filter(({ provider }) => provider === unknownProvider),
      ],
      servers: servers.filter(({ adopting }) => adopting > 0).slice(0, maxServers),
    };
  }

  #rows(groups: ReadonlyMap<string, Group>) {
    return [...groups]
      .sort(([nameA, a], [nameB, b]) => b.adopting - a.adopting || b.units - a.units || (nameA < nameB ? -1 : 1))
      .map(([name, { units, adopting }]) => {
        const shareOfAdopting = this.#adopting === 0 ? 0 : adopting / this.#adopting;
        return [name, { units, adopting, share: adopting / units, shareOfAdopting }] as const;
      });
  }
}

function count(groups: Map<string, Group>, name: string, isAdopting: boolean): void {
  const group = groups.get(name) ?? { units: 0, adopting: 0 };
  group.units++;
  if (isAdopting) group.adopting++;
  groups.set(name, group);
}

/** `nginx/1.29.2` and `nginx (Ubuntu)` are both nginx. */
const productOf = (server: string): string => (server.toLowerCase().split(/[/\s(;,]/, 1)[0] ?? '').slice(0, 60);
