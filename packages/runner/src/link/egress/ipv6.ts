// Decides over which family visits reach a host, and if IPv6 works from here. It tries only hosts that are to be measured. A
// default route says little, half-configured IPv6 is common; and a Chrome that must speak QUIC has no happy eyeballs: it takes the first
// address and fails.
import { type Network, networksOverlap, parseNetwork, specialKindOf } from '@pronghorn/core/network';
import type { HostAnswer, Reach, Reached } from './ask-process.ts';

/** `none`: the machine has no route. `unproven`: no host with an address of IPv6 was asked yet. */
export type Ipv6State = 'none' | 'unproven' | 'works' | 'leads-nowhere';

/** Pause between tries of a host that answered: each try is another connection to a foreign server. */
const keepMs = 300_000;

export interface Ipv6Verdict {
  state: Ipv6State;
  /**
   * Addresses that visits of this round must not try, since their hosts are reached over the other family. Of a host with both it is IPv4 that
   * is taken, where it answers: Chrome sorts addresses for QUIC (RFC 6724, by which a private address of IPv6 like the visit's comes last) and
   * not for TCP, which it begins over IPv6; so the protocols of a round would come to different servers.
   */
  withheld: string[];
  warnings: string[];
}

/** Null: there is no address to try, or it may not be tried. */
interface Answered {
  v4: boolean | null;
  v6: boolean;
}

export class Ipv6Judge {
  #state: Ipv6State;
  readonly #allow: readonly Network[];
  /** By the first addresses of both families. */
  readonly #tried = new Map<string, Answered & { at: number }>();

  /** @param allow networks that visits may reach although they are not public */
  constructor(hasRoute: boolean, allow: readonly Network[]) {
    this.#state = hasRoute ? 'unproven' : 'none';
    this.#allow = allow;
  }

  get state(): Ipv6State {
    return this.#state;
  }

  /**
   * @param pinned names that have an address of IPv4 for good: no visit may take another family
   * @param reach tries to connect
   * @param now milliseconds
   */
  async judge(
    answers: readonly HostAnswer[],
    pinned: ReadonlySet<string>,
    reach: (pairs: Reach[]) => Promise<Reached[]>,
    now: number,
  ): Promise<Ipv6Verdict> {
    if (this.#state === 'none') return { state: 'none', withheld: [], warnings: [] };
    const before = this.#state;
    const hosts = answers.flatMap(({ name, port, v4, v6 }) => {
      const [one, other] = [v6[0], v4[0]];
      if (one === undefined || !this.#mayAsk(one)) return [];
      const asks = { v4: other === undefined || !this.#mayAsk(other) ? null : { address: other, port }, v6: { address: one, port } };
      return [{ name, v4, v6, asks, pair: `${other ?? ''} ${one}` }];
    });
    const isFresh = (pair: string) => now - (this.#tried.get(pair)?.at ?? Number.NEGATIVE_INFINITY) < keepMs;
    // A packet may be lost on the real path: it tries again what did not answer.
    for (let attempt = 0; attempt < 2; attempt++) {
      const open = hosts.filter(({ pair }) => {
        const tried = this.#tried.get(pair);
        return attempt === 0 ? !isFresh(pair) : tried?.at === now && !(tried.v6 && tried.v4 !== false);
      });
      if (open.length === 0) break;
      const reached = await reach(open.map(({ asks }) => asks));
      for (const [place, { asks, pair }] of open.entries()) this.#tried.set(pair, { ...answeredOf(asks, reached[place]), at: now });
    }
    const judged = hosts.map(({ pair, ...host }) => ({ ...host, answered: this.#tried.get(pair) ?? { v4: null, v6: false } }));
    if (judged.some(({ answered }) => answered.v6)) this.#state = 'works';
    else if (judged.some(({ answered }) => answered.v4)) this.#state = 'leads-nowhere';
    for (const [pair, { at }] of this.#tried) if (now - at >= keepMs) this.#tried.delete(pair);
    // The only address of a host with one family stays, even if a host with both families has it too.
    const only = new Set(answers.flatMap(({ v4, v6 }) => (v4.length === 0 ? v6 : v6.length === 0 ? v4 : [])));
    const withheld = judged
      .flatMap(({ name, v4, v6, answered }) => (pinned.has(name) || answered.v4 ? v6 : answered.v6 ? v4 : []))
      .filter((address) => !only.has(address));
    const reported = judged.filter(({ name }) => !pinned.has(name));
    return { state: this.#state, withheld, warnings: this.#words(before, reported) };
  }

  /** Only what a visit may reach: a page may name a host whose address is of this machine's own network. */
  #mayAsk(address: string): boolean {
    return specialKindOf(address) === null || this.#allow.some((network) => networksOverlap(network, parseNetwork(address)));
  }

  #words(before: Ipv6State, hosts: readonly (Pick<HostAnswer, 'name' | 'v4' | 'v6'> & { answered: Answered })[]): string[] {
    if (this.#state === 'leads-nowhere') {
      const one = hosts.find(({ answered }) => answered.v4);
      if (before === 'leads-nowhere' || one === undefined) return [];
      return [
        `IPv6 does not work from this machine, although it has a route: ${one.name} (${one.v6[0]}) answers only over IPv4. Visits get no IPv6; repair it, or remove its default route.`,
      ];
    }
    return hosts
      .filter(({ answered }) => answered.v6 && answered.v4 === false)
      .map(({ name, v4 }) => `${name} does not answer at its IPv4 address ${v4[0]} and does over IPv6: all protocols reach it over IPv6.`);
  }
}

function answeredOf({ v4 }: Reach, reached: Reached | undefined): Answered {
  return { v4: v4 === null ? null : typeof reached?.v4Ms === 'number', v6: typeof reached?.v6Ms === 'number' };
}
