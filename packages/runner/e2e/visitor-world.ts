// Servers of a page and of a third party, which record their requests, for tests of a visitor's settings.
import { execFileSync } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultLimits, type Visitor } from '@pronghorn/core/schemas';
import { ownHosts } from '@pronghorn/core/visitor';
import type { DemoOrigin, Load } from '../src/engines/engine.ts';
import type { LoadVisitor } from '../src/visitor/load-visitor.ts';

export interface VisitRequest {
  host: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
}

export interface VisitorWorld {
  /** The page's own host; `sub.` and `third` stand for hosts below it and of others. */
  url(path?: string, host?: string): string;
  requests: VisitRequest[];
  /** Certificate of the authority that signed the servers'. */
  ca: string;
  /** A certificate of it for one who visits, and its key. */
  clientCertificate: string;
  /** Trusts the servers' key, or only maps their names. */
  lab(trusted?: boolean): DemoOrigin;
  close(): Promise<void>;
}

type Answer = (request: Http2ServerRequest, response: Http2ServerResponse, visit: VisitRequest) => void;

export async function openVisitorWorld(answer: Answer, { clientCa = false } = {}): Promise<VisitorWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-visitor-'));
  const { ca, cert, key, clientCertificate } = certificates(folder);
  const requests: VisitRequest[] = [];
  const server = createSecureServer(
    { cert, key, allowHTTP1: true, ...(clientCa ? { requestCert: true, ca } : {}) },
    (request, response) => {
      const one = {
        host: String(request.headers[':authority'] ?? request.headers.host).replace(/:\d+$/, ''),
        path: request.url,
        headers: { ...request.headers },
      };
      requests.push(one);
      answer(request, response, one);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const open = new Set<{ destroy(): void }>();
  server.on('session', (session) => open.add(session));
  server.on('connection', (socket: Socket) => open.add(socket));
  const spki = (trusted: boolean) =>
    trusted
      ? createHash('sha256')
          .update(createPublicKey(cert).export({ type: 'spki', format: 'der' }))
          .digest('base64')
      : 'A'.repeat(43).concat('=');
  return {
    url: (path = '/', host = 'own.test') => `https://${host}:${port}${path}`,
    requests,
    ca,
    clientCertificate,
    lab: (trusted = true) => ({
      trust: {
        spki: spki(trusted),
        hostRules: 'MAP own.test 127.0.0.1,MAP *.own.test 127.0.0.1,MAP third.test 127.0.0.1,EXCLUDE 127.0.0.1',
      },
      serves: () => true,
      settings: {},
    }),
    close: async () => {
      // Not awaited: Node counts connections that end in their handshake as open now and then, and would wait for them for ever.
      server.close();
      for (const one of open) one.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An authority and its certificates: for all of the names, and for a visitor. */
function certificates(folder: string): { ca: string; cert: string; key: string; clientCertificate: string } {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...fresh,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
    '-days',
    '2',
    '-subj',
    '/CN=Staging CA',
    '-addext',
    'keyUsage=critical,keyCertSign',
  );
  const signed = (name: string, extensions: string) => {
    writeFileSync(at('extensions'), extensions);
    openssl('req', ...fresh, '-keyout', at(`${name}.key`), '-out', at('request.pem'), '-subj', `/CN=${name}`);
    const by = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-days', '2', '-extfile', at('extensions')];
    openssl('x509', '-req', '-in', at('request.pem'), '-out', at(`${name}.pem`), ...by);
  };
  const names = ['own.test', '*.own.test', 'third.test', 'localhost'].map((name) => `DNS:${name}`);
  signed('own.test', `subjectAltName=${names}\nextendedKeyUsage=serverAuth\n`);
  signed('ann', 'extendedKeyUsage=clientAuth\n');
  const read = (name: string) => readFileSync(at(name), 'utf8');
  const clientCertificate = read('ann.pem') + read('ann.key');
  return { ca: read('ca.pem'), cert: read('own.test.pem'), key: read('own.test.key'), clientCertificate };
}

const limits = { ...defaultLimits, foreignCpuShare: 1, loadTimeoutMs: 60_000, quietMs: 300 };
/** For pages that wait for something themselves. */
export const patient = { ...limits, settleMaxMs: 60_000 };

/** A load as a round would request it, by a visitor whose references are resolved. */
export function loadOf(url: string, visitor?: Visitor, more: Partial<Load> = {}): Load {
  return {
    url,
    protocol: 'h2',
    discovery: 'forced',
    forced: [],
    view: 'cold',
    isolation: 'process',
    browser: 'chrome',
    limits,
    ...(visitor === undefined ? {} : { visitor: loadVisitor(url, visitor) }),
    ...more,
  };
}

export const loadVisitor = (pageUrl: string, visitor: Visitor): LoadVisitor => ({
  visitor,
  pageUrl,
  ownHosts: ownHosts(pageUrl, visitor),
  state: { cookies: [], storage: [] },
  cpuSlowdown: { factor: visitor.cpuSlowdown ?? 1, machineIndex: null },
});
