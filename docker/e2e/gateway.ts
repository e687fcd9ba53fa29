// The gateway: the dashboard and signing in over HTTP/2 and HTTP/3, with a real Chrome at the published port.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { spkiHash } from '../../nginx/src/machine/certificates.ts';
import type { FlagChoices } from '../../packages/runner/src/chrome/flags.ts';
import { runInside } from './engine.ts';
import type { Running } from './running.ts';

/** Chrome does not use HTTP/3 on other ports of "localhost", so the service gets a name. */
const host = 'pronghorn.example.test';

export interface TryOutCertificate {
  /** Settings of the compose file. */
  env: NodeJS.ProcessEnv;
  /** Makes Chrome trust only this key. */
  spki: string;
  remove(): void;
}

/** Made as in docs/containers.md, for another name. */
export async function tryOutCertificate(): Promise<TryOutCertificate> {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-gateway-'));
  const [key, certificate] = [join(folder, 'gateway.key'), join(folder, 'gateway.crt')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '90'];
  const name = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  await promisify(execFile)('openssl', ['req', ...kind, ...name, '-keyout', key, '-out', certificate]);
  // The gateway runs as another user.
  for (const [path, mode] of [
    [folder, 0o755],
    [key, 0o644],
  ] as const)
    chmodSync(path, mode);
  return {
    env: { PRONGHORN_HOST: host, PRONGHORN_GATEWAY_KEY: key, PRONGHORN_GATEWAY_CERTIFICATE: certificate },
    spki: spkiHash(readFileSync(certificate, 'utf8')),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function describeGateway(what: () => { running: Running; certificate: TryOutCertificate }): void {
  describe('the gateway', { timeout: 600_000 }, () => {
    it('lets the service refuse who has no token before all of a body has come', async () => {
      const { running } = what();
      const status = await runInside(running.outside.container, 'half-a-body.ts', { port: running.project.gatewayPort, host });
      assert.equal(status, 401);
    });

    for (const protocol of ['h2', 'h3'] as const) {
      it(`serves the dashboard over ${protocol}, and signs a browser in`, async () => {
        const { running, certificate } = what();
        const authority = `${host}:${running.project.gatewayPort}`;
        const choices: FlagChoices = {
          ...{ protocol, discovery: 'forced', forced: [authority], browser: 'chrome' },
          lab: { spki: certificate.spki, hostRules: `MAP ${host} 127.0.0.1` },
        };
        const answer = await runInside<object>(running.outside.container, 'browse.ts', {
          choices,
          url: `https://${authority}/`,
          expression: signIn(running.outside.token),
        });
        assert.deepEqual(answer, {
          protocol,
          role: 'admin',
          stranger: 401,
          signedIn: 200,
          altSvc: `h3=":${running.project.gatewayPort}"; ma=86400`,
        });
      });
    }
  });
}

/** Requests what only an admin may read, before and after signing in; null until the page has loaded. */
const signIn = (token: string) => `(async () => {
  const [navigation] = performance.getEntriesByType('navigation');
  // The router of the dashboard gives each page a title of its own.
  if (!/. Pronghorn$/.test(document.title)) return null;
  const ask = (path, options) => fetch('/api/v1' + path, options);
  const stranger = await ask('/tokens');
  const body = JSON.stringify({ token: ${JSON.stringify(token)} });
  await ask('/session', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const { role } = await (await ask('/session')).json();
  const tokens = await ask('/tokens');
  return {
    protocol: navigation.nextHopProtocol, role, stranger: stranger.status, signedIn: tokens.status, altSvc: tokens.headers.get('alt-svc'),
  };
})()`;
