// Servers on the loopback that the pages of local servers name: themselves by an absolute URL (WordPress's siteurl, Rails' asset_host), or another
// one, such as an API on the next port. In the network of visits these addresses are those of another machine.
import { Agent, type IncomingMessage, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { pipeline } from 'node:stream';
import { codingOf, isText, type LocalHost, type LocalServerSite } from '@pronghorn/origin';
import { loopbackKey, loopbackOrigins, placeOf } from '@pronghorn/origin/loopback';
import { isLoopback, listens, serverHost, type Targets } from './targets.ts';

/** What is read of a page and of what it loads: enough for a build, and for an application of modules that a development server serves one by one. */
const limits = { files: 200, bytes: 4_000_000, msForOne: 5_000, msForAll: 30_000 };
/** Far more than somebody has beside a page; a text may name any number. */
const maxOthers = 8;

type ServerHost = LocalHost & { serves: LocalServerSite };

/**
 * Asks for every page of a local server, and for the scripts and style sheets of these servers that it loads. Each other server that they name, and
 * that listens, becomes a host too, and all that name or are named have their answers renamed. Where nothing is named, nothing changes. What can't
 * be read here is no fault yet: visits tell if the page lacks it.
 */
export async function withNamedServers(targets: Targets): Promise<Targets> {
  const hosts = new Map(targets.hosts.map((host) => [host.name, host]));
  /** Where two hosts are names of one server, the first one. */
  const servers = new Map(
    targets.hosts
      .filter(isServer)
      .reverse()
      .map((host) => [loopbackKey(host.serves.server), host]),
  );
  const renames = new Set<LocalHost>();
  const silent = new Set<string>();
  const read = new Set<string>();
  const endAt = Date.now() + limits.msForAll;

  const find = async (origin: URL): Promise<ServerHost | undefined> => {
    const key = loopbackKey(origin);
    const known = servers.get(key);
    if (known !== undefined || silent.has(key)) return known;
    if (hosts.size - targets.hosts.length >= maxOthers || !(await listens(origin))) {
      silent.add(key);
      return undefined;
    }
    const host = serverHost([...hosts.values()], origin);
    servers.set(key, host);
    hosts.set(host.name, host);
    return host;
  };

  const waiting = targets.sites.flatMap(({ url }) => {
    const { hostname, pathname, search } = new URL(url);
    const host = hosts.get(hostname);
    return host !== undefined && isServer(host) ? [{ host, path: `${pathname}${search}` }] : [];
  });
  for (let next = waiting.shift(); next !== undefined && read.size < limits.files && Date.now() < endAt; next = waiting.shift()) {
    const { host, path } = next;
    const url = new URL(path, host.serves.server);
    if (read.has(url.href)) continue;
    read.add(url.href);
    const { headers, body } = await answerOf(url, host.name);
    for (const origin of loopbackOrigins([...headers, body].join('\n'))) {
      const other = await find(origin);
      if (other !== undefined) renames.add(host).add(other);
    }
    for (const part of partsOf(url, headers, body)) {
      const of = isLoopback(part.href) ? servers.get(loopbackKey(part)) : undefined;
      if (of !== undefined) waiting.push({ host: of, path: `${part.pathname}${part.search}` });
    }
  }
  return {
    ...targets,
    hosts: [...hosts.values()].map((host) =>
      renames.has(host) && isServer(host) ? { ...host, serves: { ...host.serves, renames: true } } : host,
    ),
  };
}

const isServer = (host: LocalHost): host is ServerHost => 'server' in host.serves;

/** Where a page leads, and the text that it loads: what scripts and sheets import, too. */
function partsOf(url: URL, headers: readonly string[], body: string): URL[] {
  const base = /<base\b[^>]*\bhref\s*=\s*["']?([^"'\s>]+)/i.exec(body)?.[1];
  const from = URL.parse(base ?? '', url.href) ?? url;
  const patterns = [
    /<script\b[^>]*?\bsrc\s*=\s*["']?([^"'\s>]+)/gi,
    /<link\b(?=[^>]*?\brel\s*=\s*["']?(?:stylesheet|modulepreload|preload))[^>]*?\bhref\s*=\s*["']?([^"'\s>]+)/gi,
    /\b(?:from|import)\s*\(?\s*["']([./][^"'\s]+|https?:[^"'\s]+)["']/g,
    /@import\s+(?:url\()?\s*["']?([^"')\s]+)/g,
  ];
  const inBody = patterns.flatMap((pattern) =>
    [...body.matchAll(pattern)].map(([, href = '']) => URL.parse(href.replaceAll('&amp;', '&'), from.href)),
  );
  const inHeaders = headers.flatMap((header) => [
    ...header.matchAll(/^location: (.*)$|<([^<>]*)>\s*;[^,]*\b(?:modulepreload|style|script)\b/gi),
  ]);
  return [...inHeaders.map(([, location, link]) => URL.parse(location ?? link ?? '', url.href)), ...inBody].filter((part) => part !== null);
}

interface Answer {
  /** `name: value`. */
  headers: string[];
  /** Empty: it is no text, or none came. */
  body: string;
}

const agents = { 'http:': new Agent(), 'https:': new TlsAgent() };

/** Asks as nginx does for a visit. What has come when the time is over, or when there is enough, is the answer. */
async function answerOf(url: URL, name: string): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const isTls = url.protocol === 'https:';
  const answer: Answer = { headers: [], body: '' };
  const end = () => resolve(answer);
  const options = {
    ...placeOf(url),
    path: `${url.pathname}${url.search}`,
    // Never through a proxy of the environment.
    agent: isTls ? agents['https:'] : agents['http:'],
    maxHeaderSize: 128 * 1024,
    rejectUnauthorized: false,
    signal: AbortSignal.timeout(limits.msForOne),
    headers: {
      ...{ host: url.host, accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-encoding': 'gzip, br, zstd' },
      ...{ 'x-forwarded-host': name, 'x-forwarded-proto': 'https', 'user-agent': 'Mozilla/5.0 (Pronghorn)' },
    },
  };
  let isRead = false;
  const asked = (isTls ? tlsRequest : request)(options, (response: IncomingMessage) => {
    answer.headers = Array.from({ length: response.rawHeaders.length / 2 }, (_, n) =>
      response.rawHeaders.slice(2 * n, 2 * n + 2).join(': '),
    );
    const coding = codingOf(response.headers['content-encoding']);
    if (coding === undefined || !isText(response.headers['content-type'])) {
      asked.destroy();
      return;
    }
    isRead = true;
    const text = coding === null ? response : pipeline(response, coding.decode(), () => {});
    text.on('data', (chunk: Buffer) => {
      answer.body += chunk.toString('latin1');
      if (answer.body.length > limits.bytes) asked.destroy();
    });
    text.on('end', end).on('error', end).on('close', end);
  });
  // Before the last of what has come is decoded, where there is a text.
  asked.on('error', () => {}).on('close', () => isRead || end());
  asked.end();
  return await promise;
}
