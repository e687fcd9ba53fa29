// Where campaigns and webhooks may lead: to public addresses, and to networks that the operator allowed.
import { lookup } from 'node:dns/promises';
import { addressFamily, type Network, networksOverlap, parseNetwork, type SpecialKind, specialKindOf } from '@pronghorn/core/network';
import fp from 'fastify-plugin';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { ProblemError } from '../../../shared/problems.ts';
import { parseSiteUrl } from '../spec/site-url.ts';

declare module 'fastify' {
  interface FastifyInstance {
    destinations: Destinations;
  }
}

/** An address as node:net's `lookup` options give it. */
export type Address = { address: string; family: 4 | 6 };
export type LookUp = (name: string) => Promise<readonly { address: string }[]>;

const lookUpMs = 3_000;
/** For all names of a campaign together. */
const allNamesMs = 30_000;
/** Of the four threads that Node has for this and for files; what is only typed never waits before what is submitted. */
const [lookUpsAtOnce, typedAtOnce] = [2, 1];
/** Whoever types asks for the same names with each letter: what was looked up within a minute is not looked up again. */
const [rememberedMs, maxRemembered] = [60_000, 2_000];

/** @param place in the list that was asked about. @param isLate whether its name could only not be looked up in time. */
export type Refused = { place: number; detail: string; isLate: boolean };

/**
 * Checked when something is submitted. A name can lead elsewhere a moment later, so this tells mistakes and simple attempts apart from
 * what is meant; what a visit really reaches is decided by its link's own rules, and webhooks go to the very addresses that `resolveAllowed` gave.
 */
export type Destinations = ReturnType<typeof createDestinations>;

/** @param policy.open whether everything is allowed, as on the loopback of a laptop. */
export function createDestinations(policy: { open: boolean; allow: readonly Network[]; lookUp: LookUp; now: () => number }) {
  const [submitted, typed] = [fewAtOnce(lookUpsAtOnce), fewAtOnce(typedAtOnce)];
  /** Of each name the look-up that began last, over or not. */
  const begun = new LRUCache<string, { at: number; answer: ReturnType<LookUp> }>({ max: maxRemembered });
  const lookUpSubmitted = (host: string, signal: AbortSignal) => submitted(() => policy.lookUp(host), signal);

  /** What is submitted is looked up anew: a name can lead elsewhere a moment later. @throws the signal's reason where the name is slow. */
  async function lookUpTyped(host: string, signal: AbortSignal): ReturnType<LookUp> {
    const known = recent(host);
    if (known !== undefined) return until(signal, known);
    const look = () => {
      const answer = recent(host) ?? policy.lookUp(host);
      begun.set(host, { at: policy.now(), answer });
      return answer;
    };
    return typed(look, signal).catch((error: unknown) => {
      if (recent(host) === undefined) throw new Error(`The turn of ${host} did not come behind other names.`);
      throw error;
    });
  }

  function recent(host: string): ReturnType<LookUp> | undefined {
    const one = begun.get(host);
    return one !== undefined && Math.abs(policy.now() - one.at) < rememberedMs ? one.answer : undefined;
  }

  const isAllowed = (address: string) => policy.allow.some((network) => networksOverlap(network, parseNetwork(address)));
  const refusal = (address: string): SpecialKind | null => (isAllowed(address) ? null : specialKindOf(address));

  /** @throws Error when the name can't be resolved in time. */
  async function addressesOf({ hostname }: URL, signal: AbortSignal, lookUp = lookUpSubmitted): Promise<Address[]> {
    const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
    const family = addressFamily(host);
    if (family !== null) return [{ address: host, family }];
    if (host === 'localhost' || host.endsWith('.localhost')) return [{ address: '127.0.0.1', family: 4 }]; // RFC 6761, whatever DNS says
    const found = await lookUp(host, signal);
    const addresses = found.flatMap(({ address: text }) => {
      const [address = ''] = text.split('%'); // a zone names a device of this machine
      const family = addressFamily(address);
      return family === null ? [] : [{ address, family }];
    });
    if (addresses.length === 0) throw new Error(`${host} has no address.`);
    return addresses;
  }

  function assertAll(url: URL, addresses: readonly Address[], what: string): void {
    for (const { address } of addresses) {
      const kind = refusal(address);
      // Where a name leads is not told: that would read the network's own DNS to whoever asks.
      if (kind !== null) {
        throw new ProblemError(
          'address-refused',
          `${what} leads to ${url.hostname}, which is ${words[kind]}; expected a public address. The operator of this service can allow the network (access.allowNet).`,
        );
      }
    }
  }

  function parse(given: string, what: string): URL {
    try {
      return parseSiteUrl(given);
    } catch (error) {
      throw new ProblemError('address-refused', `${what}: ${(error as Error).message}`);
    }
  }

  /** @returns whether the name could not be looked up in time. @throws ProblemError address-refused. */
  async function isLate(given: string, what: string, signal: AbortSignal, lookUp = lookUpSubmitted): Promise<boolean> {
    const url = parse(given, what);
    if (policy.open) return false;
    const addresses = await addressesOf(url, signal, lookUp).catch((error: unknown) => (error === signal.reason ? null : []));
    assertAll(url, addresses ?? [], what);
    return addresses === null;
  }

  const lateWords = (given: string, what: string) =>
    `${what} leads to ${URL.parse(given)?.hostname}, which could not be looked up in time. Ask again.`;

  async function refusedWithin(urls: readonly string[], signal: AbortSignal, lookUp = lookUpSubmitted): Promise<Refused[]> {
    const byHost = Map.groupBy(urls.entries(), ([, url]) => URL.parse(url)?.host);
    const refused = await Promise.all(
      [...byHost.values()].map(async (entries): Promise<Refused[]> => {
        const [given, what] = [entries[0]?.[1] ?? '', 'The campaign'];
        try {
          if (!(await isLate(given, what, signal, lookUp))) return [];
          return entries.map(([place]) => ({ place, detail: lateWords(given, what), isLate: true }));
        } catch (error) {
          if (!(error instanceof ProblemError)) throw error;
          return entries.map(([place]) => ({ place, detail: error.message, isLate: false }));
        }
      }),
    );
    return refused.flat().sort((a, b) => a.place - b.place);
  }

  return {
    /**
     * A name that can't be resolved here and now is let pass: it may be known where the runner is.
     * @param options.what begins the message, such as `The webhook`.
     * @throws ProblemError address-refused; also when the resolver doesn't answer in time, or slow names would let others slip past.
     */
    async assertAllowed(given: string, { what = 'The URL', signal = AbortSignal.timeout(lookUpMs) } = {}): Promise<void> {
      if (await isLate(given, what, signal)) throw new ProblemError('address-refused', lateWords(given, what));
    },

    /** What is refused of a list; `assertAllowed` for each, within half a minute in all. */
    refusedOf: (urls: readonly string[]): Promise<Refused[]> => refusedWithin(urls, AbortSignal.timeout(allNamesMs)),

    /**
     * The same of what may be submitted, by then: nobody who submits anything waits for it. A name whose turn did not come is none that is late.
     */
    preview: (urls: readonly string[], withinMs: number): Promise<Refused[]> =>
      refusedWithin(urls, AbortSignal.timeout(withinMs), lookUpTyped),

    /**
     * The addresses to connect to, each checked. The connection must go to one of these and must not ask for the name again, and its
     * redirects are other URLs: otherwise a name that changes meanwhile (DNS rebinding) leads inside.
     * @throws ProblemError address-refused; Error when the name can't be resolved.
     */
    async resolveAllowed(given: string, { what = 'The URL', signal = AbortSignal.timeout(lookUpMs) } = {}): Promise<Address[]> {
      const url = parse(given, what);
      const addresses = await addressesOf(url, signal);
      if (!policy.open) assertAll(url, addresses, what);
      return addresses;
    },
  };
}

/** Runs work a few at once, the rest in its order. Who waits longer than its signal allows gets the signal's reason. */
export function fewAtOnce(max: number) {
  const limit = pLimit(max);
  return <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    until(
      signal,
      limit(() => {
        signal.throwIfAborted();
        return work();
      }),
    );
}

/** What work gives, or the signal's reason as soon as that is aborted. Work that has begun keeps its place until it ends. */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  return promise;
}

const words: Record<SpecialKind, string> = {
  metadata: 'the metadata service of a cloud',
  private: 'a private address',
  loopback: 'this machine itself',
  'link-local': 'an address of the local link',
  shared: 'an address of a carrier’s own network',
  multicast: 'a multicast address',
  'embedded-ipv4': 'an IPv4 address inside an IPv6 one',
  special: 'an address for a special purpose',
};

export default fp(async (app) => {
  const { accessOptions: access, now } = app;
  const { allowNet = [], lookUp = (name: string) => lookup(name, { all: true }) } = access.kind === 'tokens' ? access : {};
  app.decorate('destinations', createDestinations({ open: access.kind === 'open', allow: allowNet.map(parseNetwork), lookUp, now }));
});
