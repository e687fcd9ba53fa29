// Origins on this machine's loopback as pages write them, and their places behind nginx. A page that names `http://localhost:3000/` means its own
// server, or an API beside it: behind the link that is another machine, and the page would load without these parts.
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Transform } from 'node:stream';

/** Names behind nginx, by the `loopbackKey` of what they stand for. */
export type FrontNames = Readonly<Record<string, string>>;

/** Addresses of one machine that a server is known by alike. */
const aliases = /^(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])$/i;
const defaultPorts: Readonly<Record<string, string>> = { 'https:': '443', 'wss:': '443' };

/** The same for all names of one server, whatever its scheme, such as `localhost:3000`. A server may call itself https behind a proxy. */
export function loopbackKey({ protocol, hostname, port }: Pick<URL, 'protocol' | 'hostname' | 'port'>): string {
  return `${aliases.test(hostname) ? 'localhost' : hostname.toLowerCase()}:${port || (defaultPorts[protocol.toLowerCase()] ?? '80')}`;
}

/** As it is, or as JSON, scripts and templates escape it. */
const slash = String.raw`(?:\/|\\\/|\\u002f|&#x2f;|&#47;)`;
const hosts = String.raw`(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\]`;
/** Not within another scheme (`postgres://localhost`), and not the beginning of another name or of one that a script makes up. */
const named = new RegExp(
  String.raw`(?:(?<![a-z0-9+.-])(https?:|wss?:)|(?<![\w:\\/;]))(${slash}{2})(${hosts})(?::(\d{1,5}))?(?![\w.:@$-])`,
  'gi',
);
/** No match is longer, with what it looks at behind it. */
const longest = 100;

const urlOf = ([, protocol = '', , hostname = '', port = '']: RegExpMatchArray) => ({ protocol, hostname, port });

/** Origins of the loopback that a text names; those without a scheme are http's. */
export function loopbackOrigins(text: string): URL[] {
  const origins = [...text.matchAll(named)].map((match) => {
    const { protocol, hostname, port } = urlOf(match);
    return URL.parse(`${/^(https|wss):$/i.test(protocol) ? 'https:' : 'http:'}//${hostname}${port && `:${port}`}`);
  });
  return [...new Map(origins.flatMap((url) => (url === null ? [] : [[url.origin, url]]))).values()];
}

/** Puts names behind nginx in the place of the origins that they stand for: `http://` becomes `https://`, `ws://` becomes `wss://`. */
export const renamed = (text: string, names: FrontNames): string => text.replace(named, (...match) => replacement(match, names));

function replacement(match: RegExpMatchArray, names: FrontNames): string {
  const name = names[loopbackKey(urlOf(match))];
  const [whole, scheme = '', slashes] = match;
  return name === undefined ? whole : `${scheme.replace(/^(http|ws):$/i, '$1s:')}${slashes}${name}`;
}

/** `renamed` for a body as it comes; what it knows not to begin a name goes on at once. Bytes of any encoding that has ASCII in it stay as they are. */
export function renaming(names: FrontNames): Transform {
  let [before, held] = ['', ''];
  const next = (text: string, end: number): string => {
    let done = before.length;
    let out = '';
    for (const match of text.matchAll(named)) {
      if (match.index < done || match.index >= end) continue;
      out += text.slice(done, match.index) + replacement(match, names);
      done = match.index + match[0].length;
    }
    const until = Math.max(done, end);
    out += text.slice(done, until);
    // A match looks one character back.
    before = text.slice(Math.max(0, until - 1), until);
    held = text.slice(until);
    return out;
  };
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const text = before + held + chunk.toString('latin1');
      const [tail = ''] = /[\w:/\\.[\]&#;+@$-]*$/.exec(text.slice(-longest)) ?? [];
      done(null, Buffer.from(next(text, text.length - tail.length), 'latin1'));
    },
    flush(done) {
      const text = before + held;
      done(null, Buffer.from(next(text, text.length), 'latin1'));
    },
  });
}

const integrity = /(<(?:script|link)\b[^>]*?)\sintegrity\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi;
/** A longer tag is passed as it is. */
const maxTag = 65_536;

/** Takes the hashes away that a page knows of its scripts and style sheets: of those that are renamed they are others, and Chrome would refuse them. */
export function withoutIntegrity(): Transform {
  let held = '';
  const bytes = (text: string) => Buffer.from(text.replace(integrity, '$1'), 'latin1');
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const text = held + chunk.toString('latin1');
      const tag = text.lastIndexOf('<');
      const end = tag !== -1 && !text.includes('>', tag) && text.length - tag < maxTag ? tag : text.length;
      held = text.slice(end);
      done(null, bytes(text.slice(0, end)));
    },
    flush: (done) => done(null, bytes(held)),
  });
}

/** Both addresses of localhost, as browsers know them: the machine's own list of hosts may have one alone, and a server listen on the other. */
export const lookupLoopback: LookupFunction = (_, options, done) => {
  const both: LookupAddress[] = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  if (options.all === true) done(null, both);
  else done(null, '127.0.0.1', 4);
};

/** Where to connect to for a server on the loopback. */
export function placeOf({ hostname, port, protocol }: URL): { host: string; port: number; lookup?: LookupFunction } {
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    ...(/(^|\.)localhost$/i.test(hostname) && { lookup: lookupLoopback }),
  };
}
