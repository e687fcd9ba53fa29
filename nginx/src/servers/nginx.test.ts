import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hosts } from '../hosts/hosts.ts';
import { addressesOf, thisMachine, withPort } from '../hosts/place.ts';
import { renderNginxConfig } from './nginx.ts';
import { httpSettings } from './nginx-settings.ts';
import type { StartInput } from './server.ts';

const input: StartInput = {
  port: 4433,
  place: thisMachine,
  run: '/state/runs/1-1',
  content: '/state/sites-1',
  hosts,
  certificates: {
    caFile: '/c/ca.crt',
    spki: '',
    leaf: { certificate: '/c/leaf.crt', key: '/c/leaf.key' },
    selfSigned: { certificate: '/c/self-signed.crt', key: '/c/self-signed.key' },
  },
  sockets: { directory: '/tmp/pronghorn-1', upstream: '/tmp/pronghorn-1/upstream.sock', check: '/tmp/pronghorn-1/check.sock' },
};

const renderConfig = (changes: Partial<StartInput> = {}) => renderNginxConfig({ ...input, ...changes }, undefined);

const serverOf = (config: string, name: string) => {
  const server = config.split('\n  server {').find((part) => part.includes(`server_name ${name}.pronghorn.test;`));
  assert.ok(server, name);
  return server;
};

const places = { 'this machine': thisMachine, 'a place with IPv6': { enter: [], addressPrefix: '10.115.2.', addressPrefix6: 'fd70::' } };
for (const [name, place] of Object.entries(places)) {
  test(`on ${name} every listener stands on its host’s own addresses, and two on the socket for checks`, () => {
    const config = renderConfig({ place });
    const listeners = [...config.matchAll(/listen (\S+) (ssl|quic);/g)].map(([, address, kind]) => `${address} ${kind}`);
    const check = '"unix:/tmp/pronghorn-1/check.sock" ssl';
    const wanted = hosts.flatMap((host) => {
      const addresses = addressesOf(host, place).map((address) => withPort(address, 4433));
      return [
        ...addresses.map((address) => `${address} ssl`),
        ...(host.protocols.includes('h3') ? addresses.map((address) => `${address} quic`) : []),
        ...(/^(article|odd)\./.test(host.name) ? [check] : []),
      ];
    });
    assert.deepEqual(listeners, wanted);
    assert.equal([...config.matchAll(/\blisten\b/g)].length, wanted.length, 'and there is no other');
  });
}

test('every setting that is stored with a campaign is in the configuration, with its reason', () => {
  const config = renderConfig();
  for (const { directive, value, why } of httpSettings) assert.ok(config.includes(`  # ${why}\n  ${directive} ${value};\n`), directive);
});

test('a host speaks what the table says and nothing else', () => {
  const config = renderConfig();
  const h1 = serverOf(config, 'h1only');
  assert.match(h1, /http2 off;/);
  assert.doesNotMatch(h1, /quic|Alt-Svc/);
  const h2 = serverOf(config, 'h2only');
  assert.match(h2, /return 505/);
  assert.doesNotMatch(h2, /quic|Alt-Svc/);
  assert.match(serverOf(config, 'article'), /quic;[\s\S]*Alt-Svc 'h3=":4433"/);
});

test('only root can have a user for the workers', () => {
  assert.doesNotMatch(renderConfig(), /^user/m);
  assert.match(renderNginxConfig(input, { user: 'nobody', group: 'nogroup', uid: 65_534, gid: 65_534 }), /^user nobody nogroup;$/m);
});

test('a path with quotes and spaces stays one word; one that nginx can’t take is named', () => {
  assert.match(renderConfig({ run: '/my "state"/run' }), /pid "\/my \\"state\\"\/run\/nginx\.pid";/);
  assert.throws(() => renderConfig({ run: '/cost$/run' }), /path with a \$ in it: \/cost\$\/run/);
});
