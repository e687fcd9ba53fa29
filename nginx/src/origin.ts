// The demo origin: certificates, sites, the upstream and a server, started together and stopped together.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ensureCertificates } from './certificates.ts';
import { type Content, ensureContent } from './content/build.ts';
import { fill, writeServed } from './content/site-files.ts';
import { hosts } from './hosts.ts';
import { kernelSettings } from './kernel.ts';
import { oddUrls } from './odd.ts';
import { addressesOf, type Place, thisMachine } from './place.ts';
import { claimPort } from './ports.ts';
import { closeRun, openRun } from './runs.ts';
import { mustServe } from './servers/check.ts';
import { openServer } from './servers/index.ts';
import type { OriginServer, ServerName, StartInput } from './servers/server.ts';
import { PortTaken, type ServerProcess } from './servers/server-process.ts';
import { type DemoSite, demoSites } from './sites.ts';
import { openSockets } from './sockets.ts';
import { startUpstream } from './upstream/start.ts';

export interface Origin {
  server: ServerName;
  place: Place;
  port: number;
  sites: DemoSite[];
  /** URLs of pages and hosts that misbehave, by name. */
  odd: ReturnType<typeof oddUrls>;
  trust: {
    /** Base64 SHA-256 of the leaf's public key, for Chrome's --ignore-certificate-errors-spki-list. */
    spki: string;
    /** For Chrome's --host-resolver-rules: every demo host at its own IPv4 address. */
    hostRules: string;
    caFile: string;
  };
  /**
   * Server, version and every setting that decides results, the kernel's too: stored with a campaign. The port isn't among them: it
   * decides nothing, and would make every start another environment.
   */
  settings: Record<string, unknown>;
  /** Path; read it with `readAccessLog`. */
  accessLog: string;
  /** Of the server, nginx's master. */
  pid: number;
  /** Ends the server and the upstream, and waits until they are gone. Calling it again does nothing. */
  stop(): Promise<void>;
}

export interface OriginOptions {
  /** State folder: certificates and sites, kept between starts, and a folder for each run. Made if it isn't there. */
  directory: string;
  /** Default: 4433 where that is free, else any free one. */
  port?: number;
  /** Default: nginx. */
  server?: ServerName;
  /** Path of an nginx with HTTP/3; default: `findNginx()`. */
  nginx?: string;
  /** Path of a Caddy; default: `findCaddy()`. */
  caddy?: string;
  /** Default: this machine's loopback. The addresses of another place (`hostAddresses`) must be there already; it is for one origin. */
  place?: Place;
}

const portTries = 5;

/**
 * Starts the demo origin; the first start in a folder also makes the certificates and the sites.
 * It ends with the thread that calls this: a worker thread that does must outlive what it measures.
 * @throws {Error} when there is no usable server, the port is taken, or it doesn't serve: with the server's own words.
 */
export async function startOrigin({
  directory,
  port,
  server: name = 'nginx',
  place = thisMachine,
  ...programs
}: OriginOptions): Promise<Origin> {
  const server = openServer[name](programs[name]);
  const state = resolve(directory);
  await mkdir(state, { recursive: true });
  const [certificates, content, kernel] = await Promise.all([
    ensureCertificates(join(state, 'certificates')),
    ensureContent(state),
    kernelSettings(place),
  ]);
  const run = await openRun(state);
  const started: { stop(): Promise<void> }[] = [{ stop: () => closeRun(run) }];
  const stopAll = async () => {
    for (const part of started.reverse().splice(0)) await part.stop();
  };
  try {
    const sockets = await openSockets(run);
    started.push(await startUpstream(sockets.upstream));
    const listening = await startOnFreePort(server, { place, run, content: content.directory, certificates, sockets }, content, port);
    started.push(listening);
    let stopping: Promise<void> | undefined;
    return {
      server: name,
      place,
      port: listening.port,
      sites: demoSites(listening.port),
      odd: oddUrls(listening.port),
      trust: {
        spki: certificates.spki,
        hostRules: hosts.map((host) => `MAP ${host.name} ${addressesOf(host, place)[0]}`).join(','),
        caFile: certificates.caFile,
      },
      settings: { ...server.settings, ...kernel, contentVersion: content.version },
      accessLog: join(run, 'access.log'),
      pid: listening.pid,
      stop() {
        stopping ??= stopAll();
        return stopping;
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Another program may take the port between our look and the server's start; then there is another port. */
async function startOnFreePort(
  server: OriginServer,
  parts: Omit<StartInput, 'port'>,
  content: Content,
  wanted?: number,
): Promise<ServerProcess & { port: number }> {
  for (let tries = 1; ; tries++) {
    const { port, release } = await claimPort(parts.place, wanted);
    const input = { ...parts, port };
    try {
      await writeDocuments(input, content);
      const process = await server.start(input);
      const stop = () => process.stop().then(release);
      await mustServe(input, server.name).catch(async (error) => {
        await stop();
        throw error;
      });
      return { port, pid: process.pid, stop };
    } catch (error) {
      await release();
      if (!(error instanceof PortTaken) || wanted !== undefined || tries === portTries) throw error;
    }
  }
}

/** What depends on the port: the document that names other hosts. And nothing is left of a try before this one. */
async function writeDocuments({ run, port, sockets }: StartInput, content: Content): Promise<void> {
  const noAssets = (name: string) => {
    throw new Error(`the sharded page still names the asset ${name}`);
  };
  await writeServed(join(run, 'documents', 'index.html'), fill(content.shardedDocument, noAssets, { port: String(port) }));
  await writeFile(join(run, 'error.log'), '');
  await rm(sockets.check, { force: true });
}
