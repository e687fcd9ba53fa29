// Pages on the loopback: over plain http, and over https with a certificate that nobody trusts.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface Pages {
  url: string;
  /** Paths requested so far. */
  requested: string[];
  close(): void;
}

const page = (body: string) => `<!doctype html><title>A page</title><body style="background:#39506b"><h1>A page</h1>${body}`;

/** `/missing` is a 404 and `/down` a 503; an image of `/endless` never ends; all else is a small page. */
function answer(requested: string[], mayAnswer?: () => Promise<void>) {
  return async ({ url = '/' }: IncomingMessage, response: ServerResponse) => {
    requested.push(url);
    await mayAnswer?.();
    if (url === '/endless.png') {
      response.writeHead(200, { 'content-type': 'image/png' }).flushHeaders();
      return;
    }
    const body = url === '/endless' ? '<img src="/endless.png">' : '';
    response.writeHead(statuses[url.replace(/\?.*/, '')] ?? 200, { 'content-type': 'text/html' }).end(page(body));
  };
}

const statuses: Readonly<Record<string, number>> = { '/missing': 404, '/down': 503 };

/** @param mayAnswer is waited for before each answer */
export async function plainPages(mayAnswer?: () => Promise<void>): Promise<Pages> {
  const requested: string[] = [];
  return listening(createServer(answer(requested, mayAnswer)), 'http', requested);
}

export async function selfSignedPages(folder: string): Promise<Pages> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, '-days', '2', ...subject], { stdio: 'pipe' });
  const requested: string[] = [];
  return listening(createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, answer(requested)), 'https', requested);
}

async function listening(server: Server, scheme: string, requested: string[]): Promise<Pages> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    requested,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
