// Folders and servers of this machine as sites: served over HTTP/1.1, HTTP/2 and HTTP/3 by the bundled nginx, at host names of their own.
import { mkdir, rm } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { Place } from '../hosts/place.ts';
import { makeCertificate } from '../machine/certificates.ts';
import { kernelSettings } from '../machine/kernel.ts';
import { openSockets, startRun, startThread } from '../machine/runs.ts';
import { workerUser } from '../machine/worker-user.ts';
import { findNginx, readBuild } from '../servers/find-server.ts';
import { startNginx } from '../servers/nginx.ts';
import { nginxSettings } from '../servers/nginx-settings.ts';
import { startOnFreePort } from '../servers/ports.ts';
import { mustServe } from '../servers/server.ts';
import { type FrontNames, loopbackKey } from './loopback.ts';
import type { Relayed } from './relay-worker.ts';
import { type LocalServer, renderLocalConfig } from './sites-config.ts';
import { NoBuild, type Snapshot, takeSnapshot } from './snapshot.ts';

/** Where the hosts' addresses begin: on loopback beside the demo's, or in the origin's network behind a link. */
export const localPlace: Place = { enter: [], addressPrefix: '127.0.9.' };
/** The port in URLs, which are the same in every place. */
export const localPort = 443;
/** The last part of the first host's address. */
const firstNumber = 11;
const maxLocalHosts = 240;

export interface LocalHost {
  /** Such as dist.folder.pronghorn.test, or any other: in the lab it is what the lab says. */
  name: string;
  /** Default: all three. HTTP/1.1 is always among them. */
  protocols?: readonly Protocol[];
  serves: LocalFolder | LocalServerSite;
  /** Lets pages of other hosts read what it sends. */
  crossOrigin?: boolean;
}

export interface LocalFolder {
  folder: string;
  /** The page for paths that nothing has, from the folder, such as index.html, for applications with client-side routes. */
  fallback?: string;
}

export interface LocalServerSite {
  server: URL;
  /** True where its answers name origins of the loopback: those of the hosts here are put in their names' place. Default: they pass as they are. */
  renames?: boolean;
}

export interface LocalOrigin {
  port: number;
  snapshots: ReadonlyMap<string, Snapshot>;
  trust: { spki: string; hostRules: string; certificate: string };
  /** Settings of the server and the kernel: stored with a campaign. */
  settings: Record<string, unknown>;
  accessLog: string;
  pid: number;
  stop(): Promise<void>;
}

/** Every address that the hosts will have in a place. */
export function localAddresses(hosts: readonly LocalHost[], { addressPrefix }: Pick<Place, 'addressPrefix'>): string[] {
  if (hosts.length > maxLocalHosts) throw new Error(`${hosts.length} hosts are too many: there is room for ${maxLocalHosts}`);
  return hosts.map((_, n) => `${addressPrefix}${firstNumber + n}`);
}

/**
 * Copies the folders (`takeSnapshot`) and serves them and the servers. On this machine at a free port that Chrome maps; in a namespace at 443.
 *
 * @param directory state folder: holds a folder for each run
 * @throws {Error} when there is no usable nginx or a folder is no build, or nginx doesn't serve: with its own words
 */
export async function startLocalOrigin(options: { directory: string; hosts: readonly LocalHost[]; place?: Place }): Promise<LocalOrigin> {
  const { hosts, place = localPlace } = options;
  const nginx = findNginx();
  const server = nginxSettings(readBuild(nginx));
  const state = resolve(options.directory);
  await mkdir(state, { recursive: true });
  const kernel = await kernelSettings(place);
  return await startRun(state, async (run, started) => {
    const sockets = await openSockets(run);
    const copies = join(run, 'sites');
    started.push({ stop: () => rm(copies, { recursive: true, force: true }) });
    const snapshots = await snapshotsOf(hosts, copies);
    const relayed: Relayed[] = hosts.flatMap(({ serves }, n) =>
      'server' in serves
        ? [{ socket: relaySocket(sockets.directory, n), origin: serves.server.origin, names: serves.renames ? namesFor(n, hosts) : null }]
        : [],
    );
    if (relayed.length > 0) {
      started.push({ stop: async () => void (await Promise.all(relayed.map(({ socket }) => rm(socket, { force: true })))) });
      started.push(await startThread(new URL('./relay-worker.ts', import.meta.url), relayed, 'the relay to the local server failed'));
    }
    const certificate = await makeCertificate(
      run,
      hosts.map(({ name }) => name),
    );
    const addresses = localAddresses(hosts, place);
    const servers = hosts.map((host, n): LocalServer => {
      const protocols = host.protocols ?? ['h1', 'h2', 'h3'];
      return {
        name: host.name,
        address: addresses[n] as string,
        speaks: { h2: protocols.includes('h2'), h3: protocols.includes('h3') },
        crossOrigin: host.crossOrigin ?? false,
        serves: servesOf(host, snapshots.get(host.name), relaySocket(sockets.directory, n), hosts),
      };
    });
    const seen = [...[...snapshots.values()].map(({ directory }) => directory), ...relayed.map(({ socket }) => socket)];
    const configured = { run, certificate, checkSocket: sockets.check, user: await workerUser(seen), servers };
    const listening = await startOnFreePort(place, { addresses, inOwnNetwork: localPort }, async (port) => {
      await rm(sockets.check, { force: true });
      return await startNginx(nginx, { folder: run, enter: place.enter, configuration: renderLocalConfig({ ...configured, port }) });
    });
    started.push(listening);
    await mustServe({ server: 'nginx', run, socket: sockets.check, caFile: certificate.certificate }, pagesOf(snapshots));
    return {
      port: listening.port,
      snapshots,
      trust: {
        spki: certificate.spki,
        hostRules: hosts.map(({ name }, n) => `MAP ${name} ${addresses[n]}:${listening.port}`).join(','),
        certificate: certificate.certificate,
      },
      settings: { ...server, ...kernel },
      accessLog: join(run, 'access.log'),
      pid: listening.pid,
    };
  });
}

const pagesOf = (snapshots: ReadonlyMap<string, Snapshot>): string[] =>
  [...snapshots].flatMap(([host, { pages }]) =>
    pages.slice(0, 1).map((page) => `https://${host}/${page.split('/').map(encodeURIComponent).join('/')}`),
  );

/** A folder that several hosts serve is copied once. */
async function snapshotsOf(hosts: readonly LocalHost[], copies: string): Promise<Map<string, Snapshot>> {
  const taken = new Map<string, Snapshot>();
  const snapshots = new Map<string, Snapshot>();
  for (const { name, serves } of hosts) {
    if (!('folder' in serves)) continue;
    const folder = resolve(serves.folder);
    const snapshot = taken.get(folder) ?? (await takeSnapshot(folder, join(copies, String(taken.size))));
    taken.set(folder, snapshot);
    snapshots.set(name, snapshot);
  }
  return snapshots;
}

/** The name is short, and ends as `closeSockets` expects. */
const relaySocket = (directory: string, n: number) => join(directory, `relay-${n}.sock`);

type ServerHost = LocalHost & { serves: LocalServerSite };
const isServer = (host: LocalHost): host is ServerHost => 'server' in host.serves;

/** Where two of them are one machine's names for one server, each keeps to its own. */
function namesFor(n: number, hosts: readonly LocalHost[]): FrontNames {
  const inOrder = [...hosts.slice(n, n + 1), ...hosts].filter(isServer);
  // The last of a key counts.
  return Object.fromEntries(inOrder.reverse().map(({ name, serves }) => [loopbackKey(serves.server), name]));
}

function servesOf(
  { name, serves }: LocalHost,
  snapshot: Snapshot | undefined,
  socket: string,
  hosts: readonly LocalHost[],
): LocalServer['serves'] {
  if ('server' in serves) {
    const pages = serves.renames ? hosts.filter(isServer) : [{ name, serves }];
    const origins = pages.map((page) => ({ name: page.name, origin: page.serves.server.origin }));
    return { kind: 'server', origin: serves.server.origin, socket, renames: serves.renames ?? false, pages: origins };
  }
  if (snapshot === undefined) throw new Error(`${serves.folder} was not copied`);
  return {
    kind: 'folder',
    snapshot: snapshot.directory,
    brotli: snapshot.brotli,
    notFound: snapshot.pages.includes('404.html'),
    fallback: serves.fallback === undefined ? undefined : fallbackOf(serves.fallback, serves.folder, snapshot),
  };
}

/** nginx takes it as it is, from wherever it leads. @throws NoBuild for what is no page of the copy. */
function fallbackOf(fallback: string, folder: string, { pages }: Snapshot): string {
  const page = posix.normalize(fallback).replace(/^\/+/, '');
  if (!pages.includes(page))
    throw new NoBuild(`${fallback} is not a page served from ${folder}: name one of its pages, such as index.html`);
  return `/${page}`;
}
