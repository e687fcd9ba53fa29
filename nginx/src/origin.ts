// The demo origin: certificates, sites, the upstream and a server, started together and stopped together.
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Content, ensureContent } from './content/build.ts';
import { fill, writeServed } from './content/site-files.ts';
import { callsHost, type Host } from './hosts/hosts.ts';
import { addressesOf, hostAddresses, hostsOf, type Place, thisMachine } from './hosts/place.ts';
import { type DemoSite, demoSites } from './hosts/sites.ts';
import { proxyHost, webHosts, webSites } from './hosts/web-hosts.ts';
import { type Certificates, ensureCertificates } from './machine/certificates.ts';
import { kernelSettings } from './machine/kernel.ts';
import { openSockets, startRun, startThread } from './machine/runs.ts';
import { workerUser } from './machine/worker-user.ts';
import { openCaddy } from './servers/caddy.ts';
import { type Calls, startCalls } from './servers/calls.ts';
import { openNginx } from './servers/nginx.ts';
import { startOnFreePort } from './servers/ports.ts';
import { checkedUrls, mustServe, type OriginServer, type ServerName, serverWords, type Wanted } from './servers/server.ts';
import { startServer } from './servers/server-process.ts';
import { oddUrls } from './upstream/odd-server.ts';
import type { UpstreamData } from './upstream/worker.ts';

export interface Origin {
  server: ServerName;
  place: Place;
  port: number;
  sites: DemoSite[];
  /** URLs of pages and hosts that misbehave, by name. */
  odd: ReturnType<typeof oddUrls>;
  /** The host of REST calls; undefined unless requested. */
  calls?: Calls | undefined;
  /** Extras of the sites of the web; undefined without them. */
  web?: Web | undefined;
  trust: {
    /** Base64 SHA-256 of the leaf's public key, for Chrome's --ignore-certificate-errors-spki-list. */
    spki: string;
    /** For Chrome's --host-resolver-rules: every demo host at its own IPv4 address. */
    hostRules: string;
    caFile: string;
    /** Content of that file, PEM, for browsers on other machines. */
    ca: string;
  };
  /**
   * Server, version and every setting that decides results, the kernel's too: stored with a campaign. The port isn't among them: it
   * decides nothing, and would make every start another environment.
   */
  settings: Record<string, unknown>;
  /** Path; read it with `readAccessLog`. */
  accessLog: string;
  /** Folder with a qlog of each QUIC connection, complete once it is closed. Undefined unless requested. */
  qlogs: string | undefined;
  /** Process id of the server; of nginx, that of its master. */
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
  /** Version of the server, such as 2.11.9, as nginx/install.sh and install-caddy.sh install it. Default: any. */
  version?: string | undefined;
  /** Path of an nginx with HTTP/3; default: `findNginx()`. */
  nginx?: string;
  /** Path of a Caddy; default: `findCaddy()`. */
  caddy?: string;
  /** Default: this machine's loopback. The addresses of another place (`hostAddresses`) must be there already; it is for one origin. */
  place?: Place;
  /** With the sites of the web, their hosts and servers: only nginx serves them. */
  web?: boolean;
  /** With the host of REST calls: path of the program of packages/transaction, and its cores as `taskset -c` takes them. The place has its address (`hostAddresses`). */
  calls?: { program: string; cores?: string | undefined } | undefined;
  /** With a qlog of each QUIC connection, which costs it time: only for visits that never count. Only Caddy writes them. */
  qlog?: boolean;
}

/**
 * Starts the demo origin; the first start in a folder also makes the certificates and the sites.
 * It ends with the thread that calls this: a worker thread that does must outlive what it measures.
 * @throws {Error} when there is no usable server, the port is taken, or it doesn't serve: with the server's own words.
 */
export async function startOrigin({
  directory,
  port,
  server: name = 'nginx',
  version,
  place = thisMachine,
  web = false,
  calls: callsWish,
  qlog = false,
  ...programs
}: OriginOptions): Promise<Origin> {
  if (web && name !== 'nginx') throw new Error(`only nginx serves the sites of the web; the server chosen is ${name}`);
  if (qlog && name !== 'caddy') throw new Error(`only Caddy writes qlogs; the server chosen is ${name}`);
  const server = openServer[name]({ version, program: programs[name] });
  const hosts = hostsOf({ web });
  const state = resolve(directory);
  await mkdir(state, { recursive: true });
  const [certificates, corporate, content, kernel] = await Promise.all([
    ensureCertificates(join(state, 'certificates')),
    web ? ensureCertificates(join(state, 'corporate-certificates')) : undefined,
    // Painting the sites takes seconds: the many origins of a run of the tests have them from one place.
    ensureContent(process.env.PRONGHORN_DEMO_SITES || state),
    kernelSettings(place),
  ]);
  return await startRun(state, async (run, started) => {
    const sockets = await openSockets(run);
    // In a thread, no work of the main thread delays an answer. When it can't answer, the visit shows 502 and the warning says why.
    const upstream: UpstreamData = { path: sockets.upstream, content: web ? content.directory : undefined };
    started.push(await startThread(new URL('./upstream/worker.ts', import.meta.url), upstream, "the demo origin's upstream failed"));
    const qlogs = qlog ? join(run, 'qlogs') : undefined;
    if (qlogs !== undefined) await mkdir(qlogs, { recursive: true });
    const parts = { qlogs, place, run, content: content.directory, hosts, certificates, corporate, sockets };
    const wish = { addresses: hostAddresses(place, { web }), wanted: port, withNext: web };
    const listening = await startOnFreePort(place, wish, async (free) => {
      await rm(sockets.check, { force: true });
      await writeSharded(run, free, content);
      return await server.start({ ...parts, port: free });
    });
    started.push(listening);
    await mustServe({ server: name, run, socket: sockets.check, caFile: certificates.caFile }, checkedUrls(listening.port));
    const calls =
      callsWish === undefined
        ? undefined
        : await startCalls({
            program: callsWish.program,
            cores: callsWish.cores,
            place,
            port: listening.port,
            run,
            certificate: certificates.leaf,
          });
    if (calls) started.push(calls);
    const opened = corporate && (await openWeb({ run, place, port: listening.port, corporate, pids: listening.pids ?? {} }));
    if (opened) started.push(opened);
    return {
      server: name,
      place,
      port: listening.port,
      sites: [...demoSites(listening.port), ...(web ? webSites(listening.port) : [])],
      calls,
      web: opened,
      odd: oddUrls(listening.port),
      trust: {
        spki: certificates.spki,
        hostRules: [...hosts, ...(calls ? [callsHost] : [])]
          .map((host) => `MAP ${host.name} ${host.behindProxy ? '~NOTFOUND' : addressesOf(host, place)[0]}`)
          .join(','),
        caFile: certificates.caFile,
        ca: await readFile(certificates.caFile, 'utf8'),
      },
      settings: {
        ...server.settings,
        ...(version === undefined ? {} : { asked: serverWords({ name, version }) }),
        ...kernel,
        contentVersion: content.version,
      },
      accessLog: join(run, 'access.log'),
      qlogs,
      pid: listening.pid,
    };
  });
}

/** The document that names other hosts depends on the port. */
async function writeSharded(run: string, port: number, { shardedDocument }: Content): Promise<void> {
  const noAssets = (name: string) => {
    throw new Error(`the sharded page still names the asset ${name}`);
  };
  await writeServed(join(run, 'documents', 'index.html'), fill(shardedDocument, noAssets, { port: String(port) }));
}

/** Opens the server of a name. A new kind of server is a file in servers/ and a line here. @throws {Error} when there is no usable one */
const openServer: Record<ServerName, (wanted?: Wanted) => OriginServer> = { nginx: openNginx, caddy: openCaddy };

// The sites of the web need more than their servers: a proxy to one of them, a company's CA, and a switch for the UDP of some.
export interface Web {
  /** Host and port of an HTTP proxy, the only way to `proxied`. */
  proxy: string;
  /** Certificate of the CA that signed the certificate of `corporate-ca`. */
  corporateCaFile: string;
  /** Stops or resumes the edge hosts' answers over UDP. Over TCP they always answer. */
  silenceUdp(silent: boolean): void;
  stop(): Promise<void>;
}

interface WebInput {
  run: string;
  place: Place;
  port: number;
  corporate: Certificates;
  pids: Readonly<Record<string, number>>;
}

async function openWeb({ run, place, port, corporate, pids }: WebInput): Promise<Web> {
  const udp = pids['edge-udp'];
  if (udp === undefined) throw new Error('the server has no process for the UDP of the edge hosts');
  const proxied = webHosts.find(({ behindProxy }) => behindProxy) as Host;
  const [address = ''] = addressesOf(proxyHost, place);
  const program = fileURLToPath(new URL('./servers/proxy.ts', import.meta.url));
  const folder = join(run, 'servers', 'proxy');
  await mkdir(folder, { recursive: true });
  const proxy = await startServer(folder, {
    name: 'proxy',
    argv: [process.execPath, program, address, String(port), `${proxied.name}:${port}`, addressesOf(proxied, place)[0] as string],
    enter: place.enter,
    user: await workerUser([program, process.execPath]),
    environment: { PATH: process.env.PATH },
    configuration: 'its arguments',
    endSignal: 'SIGTERM',
    isBound: (_, log) => log.includes('listening'),
    fatal: /error/i,
  });
  return {
    proxy: `${address}:${port}`,
    corporateCaFile: corporate.caFile,
    // The whole group of the server: its master and its worker.
    silenceUdp: (silent) => void process.kill(-udp, silent ? 'SIGSTOP' : 'SIGCONT'),
    stop: () => proxy.stop(),
  };
}
