// A nameserver for the policy's tests: names that resolve to where no visit may go.
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

/** Addresses of a host that has several. */
export const fourAddresses = ['44.55.66.81', '44.55.66.82', '44.55.66.83', '44.55.66.84'] as const;

/** Addresses of names in turn: a name with several lists answers with the next one each time, and repeats the last. */
const zone: Record<string, string[][]> = {
  'public.test': [['44.55.66.77']],
  'public6.test': [['2a44:55:66::77']],
  'other.test': [['44.55.66.78']],
  'private.test': [['10.1.2.3']],
  'lan.test': [['192.168.7.1']],
  'loopback.test': [['127.0.0.1']],
  'loopback6.test': [['::1']],
  'any.test': [['0.0.0.0']],
  'metadata.test': [['169.254.169.254']],
  'azure.test': [['168.63.129.16']],
  'shared.test': [['100.64.1.1']],
  'mapped.test': [['::ffff:10.1.2.3']],
  'nat64.test': [['64:ff9b::a01:203']],
  'sixtofour.test': [['2002:a01:203::1']],
  'local6.test': [['fd12:3456::1']],
  'machine.test': [['11.22.33.2']],
  'machine6.test': [['2a11:22:33::2']],
  'router.test': [['10.115.1.1']],
  'two.test': [['10.1.2.3', '192.168.7.1']],
  // Rebinding: public when the page is loaded, private when it asks again. Any name under it does so from the start.
  'four.test': [[...fourAddresses]],
  // Another address with each question.
  'moving.test': fourAddresses.map((address) => [address]),
  'dual.test': [['44.55.66.77', '2a44:55:66::77']],
  'dual-other.test': [['44.55.66.78', '2a44:55:66::78']],
  'rebind.test': [['44.55.66.78'], ['10.1.2.3']],
};

/** In another order with each question, as nameservers of CDNs do. */
const rotating: readonly string[] = ['four.test'];

const types = { 1: 'A', 28: 'AAAA', 65: 'HTTPS' } as const;

export interface Nameserver {
  /** Counts of questions, by `name type`. */
  readonly queries: ReadonlyMap<string, number>;
  close(): void;
}

/** Listens at an address, port 53. */
export async function answerDns(address: string): Promise<Nameserver> {
  const queries = new Map<string, number>();
  const socket = createSocket('udp4', (query, { port, address: from }) => socket.send(answer(query, queries), port, from));
  await new Promise<void>((resolve) => socket.bind(53, address, resolve));
  return { queries, close: () => socket.close() };
}

/** RFC 1035, section 4: header, question, one record for each address. */
function answer(query: Buffer, queries: Map<string, number>): Buffer {
  let end = 12;
  const labels: string[] = [];
  for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
    labels.push(query.toString('latin1', end + 1, end + 1 + length));
    end += length + 1;
  }
  const type = types[query.readUInt16BE(end + 1) as keyof typeof types];
  const name = labels.join('.').toLowerCase();
  const addresses =
    type === undefined ? [] : turn(name, type, queries).filter((one) => isIPv6(one) === (type === 'AAAA') && type !== 'HTTPS');
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // A response, authoritative, recursion available; NXDOMAIN for names that we don't have.
  header.writeUInt16BE(listsOf(name).length > 0 ? 0x8580 : 0x8583, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  return Buffer.concat([header, query.subarray(12, end + 5), ...addresses.map(record)]);
}

function turn(name: string, type: string, queries: Map<string, number>): string[] {
  const lists = listsOf(name);
  const count = queries.get(`${name} ${type}`) ?? 0;
  queries.set(`${name} ${type}`, count + 1);
  const list = lists[Math.min(count, lists.length - 1)] ?? [];
  if (!rotating.includes(name)) return list;
  return list.map((_, place) => list[(place + count) % list.length] as string);
}

const listsOf = (name: string) => zone[name] ?? zone[name.replace(/^[^.]+\./, '')] ?? [];

/** Name by pointer to the question, type, class IN, TTL 0. */
function record(address: string): Buffer {
  const value = isIPv6(address) ? bytes6(address) : Buffer.from(address.split('.').map(Number));
  const head = Buffer.from([0xc0, 12, 0, value.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, value.length]);
  return Buffer.concat([head, value]);
}

function bytes6(address: string): Buffer {
  const [left = '', right = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16)));
  const [first, last] = [words(left), words(right)];
  const all = [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 255]));
}
