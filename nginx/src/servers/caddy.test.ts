import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hosts } from '../hosts/hosts.ts';
import { addressesOf, withPort } from '../hosts/place.ts';
import { type Certificates, ensureCertificates } from '../machine/certificates.ts';
import { renderCaddyConfig } from './caddy.ts';

interface Server {
  listen: string[];
  protocols: string[];
  logs?: object;
  automatic_https: { disable: boolean };
  tls_connection_policies: [{ protocol_min: string; certificate_selection: { any_tag: string[] } }];
}

const place = { enter: [], addressPrefix: '10.115.2.', addressPrefix6: 'fd70::' };
let directory: string;
let certificates: Certificates;
let config: { admin: object; apps: { http: { servers: Record<string, Server> } } };
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pronghorn-test-'));
  certificates = await ensureCertificates(directory);
  const sockets = { directory: '/tmp/p', upstream: '/tmp/p/upstream.sock', check: '/tmp/p/check.sock' };
  config = JSON.parse(
    await renderCaddyConfig({ port: 4433, place, run: '/state/runs/1-1', content: '/state/sites-1', hosts, certificates, sockets }),
  );
});
after(() => rm(directory, { recursive: true }));

test('every host has a server on its own addresses, and only the one for checks listens elsewhere', () => {
  const { check, ...servers } = config.apps.http.servers;
  assert.deepEqual(
    Object.values(servers).map(({ listen }) => listen),
    hosts.map((host) => addressesOf(host, place).map((address) => withPort(address, 4433))),
  );
  assert.deepEqual(check?.listen, ['unix//tmp/p/check.sock|0666']);
  assert.equal(check?.logs, undefined, 'what checks ask is no visit');
});

test('a host speaks what the table says, with its own certificate, over TLS 1.3', () => {
  for (const { name, protocols, certificate } of hosts) {
    const server = config.apps.http.servers[name] as Server;
    assert.deepEqual(server.protocols, [...new Set(['h1', ...protocols])], name);
    const [policy] = server.tls_connection_policies;
    assert.deepEqual([policy.protocol_min, policy.certificate_selection.any_tag], ['tls1.3', [certificate]]);
  }
});

test('nobody can change it while it runs, and it gets no certificates by itself', () => {
  assert.deepEqual(config.admin, { disabled: true, config: { persist: false } });
  for (const { automatic_https } of Object.values(config.apps.http.servers)) assert.equal(automatic_https.disable, true);
});
