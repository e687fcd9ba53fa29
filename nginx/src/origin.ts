// The demo origin: certificates, sites, the upstream and nginx, started together and stopped together.
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { join, resolve } from 'node:path';
import { type Certificates, ensureCertificates } from './certificates.ts';
import { renderConfig } from './config.ts';
import { type Content, ensureContent } from './content/build.ts';
import { fill, writeServed } from './content/site-files.ts';
import { findNginx, readBuild } from './find-nginx.ts';
import { hosts } from './hosts.ts';
import { type NginxProcess, PortTaken, startNginx } from './nginx-process.ts';
import { oddUrls } from './odd.ts';
import { findFreePort, isFree } from './ports.ts';
import { closeRun, openRun } from './runs.ts';
import { recordedSettings } from './settings.ts';
import { type DemoSite, demoSites } from './sites.ts';
import { startUpstream } from './upstream/start.ts';
import { workerUser } from './worker-user.ts';

export interface Origin {
  port: number;
  sites: DemoSite[];
  /** URLs of pages and hosts that misbehave, by name. */
  odd: ReturnType<typeof oddUrls>;
  trust: {
    /** Base64 SHA-256 of the leaf's public key, for Chrome's --ignore-certificate-errors-spki-list. */
    spki: string;
    /** For Chrome's --host-resolver-rules: every demo host at its own loopback address. */
    hostRules: string;
    caFile: string;
  };
  /** Server, version and every setting that decides results: stored with a campaign. */
  settings: Record<string, unknown>;
  /** Path; read it with `readAccessLog`. */
  accessLog: string;
  /** Of nginx's master process. */
  pid: number;
  /** Ends nginx and the upstream, and waits until they are gone. Calling it again does nothing. */
  stop(): Promise<void>;
}

export interface OriginOptions {
  /** State folder: certificates and sites, kept between starts, and a folder for each run. Made if it isn't there. */
  directory: string;
  /** Default: 4433 where that is free, else any free one. */
  port?: number;
  /** Path of an nginx with HTTP/3; default: `findNginx()`. */
  nginx?: string;
}

const portTries = 5;

/**
 * Starts the demo origin; the first start in a folder also makes the certificates and the sites.
 * It ends with the thread that calls this: a worker thread that does must outlive what it measures.
 * @throws {Error} when there is no usable nginx, the port is taken, or nginx doesn't serve: with nginx's own words.
 */
export async function startOrigin({ directory, port, nginx = findNginx() }: OriginOptions): Promise<Origin> {
  const build = readBuild(nginx);
  const state = resolve(directory);
  await mkdir(state, { recursive: true });
  const [certificates, content] = await Promise.all([ensureCertificates(join(state, 'certificates')), ensureContent(state)]);
  const settings = await recordedSettings(build, content.version);
  const run = await openRun(state);
  const upstream = await startUpstream().catch(async (error) => {
    await closeRun(run);
    throw error;
  });
  const undo = async () => {
    await upstream.stop();
    await closeRun(run);
  };
  try {
    const started = await startOnFreePort(nginx, run, { upstreamPort: upstream.port, certificates, content }, port);
    let stopping: Promise<void> | undefined;
    return {
      port: started.port,
      sites: demoSites(started.port),
      odd: oddUrls(started.port),
      trust: {
        spki: certificates.spki,
        hostRules: hosts.map(({ name, address }) => `MAP ${name} ${address}`).join(','),
        caFile: certificates.caFile,
      },
      settings,
      accessLog: join(run, 'access.log'),
      pid: started.process.pid,
      stop() {
        stopping ??= started.process.stop().then(undo);
        return stopping;
      },
    };
  } catch (error) {
    await undo();
    throw error;
  }
}

interface Parts {
  upstreamPort: number;
  certificates: Certificates;
  content: Content;
}

/** Another program may take the port between our look and nginx's start; then there is another port. */
async function startOnFreePort(
  nginx: string,
  run: string,
  parts: Parts,
  wanted?: number,
): Promise<{ port: number; process: NginxProcess }> {
  const addresses = hosts.map(({ address }) => address);
  if (wanted !== undefined && !(await isFree(wanted, addresses))) {
    throw new Error(`port ${wanted} is taken (TCP or UDP) on one of ${addresses[0]} … ${addresses.at(-1)}: choose another, or none`);
  }
  for (let tries = 1; ; tries++) {
    const port = wanted ?? (await findFreePort(addresses));
    try {
      await writeRun(run, port, parts);
      const process = await startNginx(nginx, run);
      try {
        await mustServe(port, parts.certificates, run);
        await truncate(join(run, 'access.log')); // the log is of visits, and those were ours
      } catch (error) {
        await process.stop();
        throw error;
      }
      return { port, process };
    } catch (error) {
      if (!(error instanceof PortTaken) || wanted !== undefined || tries === portTries) throw error;
    }
  }
}

/** What depends on the port: the configuration, and the document that names other hosts. */
async function writeRun(run: string, port: number, { upstreamPort, certificates, content }: Parts): Promise<void> {
  const user = await workerUser(join(content.directory, 'article', 'index.html'));
  const noAssets = (name: string) => {
    throw new Error(`the sharded page still names the asset ${name}`);
  };
  await writeServed(join(run, 'documents', 'index.html'), fill(content.shardedDocument, noAssets, { port: String(port) }));
  await writeFile(join(run, 'error.log'), '');
  await writeFile(join(run, 'nginx.conf'), renderConfig({ port, upstreamPort, run, content: content.directory, certificates, user }));
}

/** One real request to a file and one to the upstream: workers run, may read the sites, and reach the upstream. */
async function mustServe(port: number, { caFile }: Certificates, run: string): Promise<void> {
  const ca = await readFile(caFile);
  for (const [label, path] of [
    ['article', '/'],
    ['odd', '/empty.html'],
  ] as const) {
    const { name, address } = hosts.find((host) => host.name.startsWith(`${label}.`)) as { name: string; address: string };
    const status = await new Promise<number | undefined>((done, fail) => {
      const request = get({ host: address, port, path, ca, servername: name, headers: { host: name }, agent: false }, (response) => {
        response.resume();
        done(response.statusCode);
      });
      request.once('error', fail);
    });
    if (status === 200) continue;
    const log = await readFile(join(run, 'error.log'), 'utf8');
    throw new Error(`nginx started, but answered ${status} for https://${name}:${port}${path}: ${log.trim().split('\n').at(-1)}`);
  }
}
