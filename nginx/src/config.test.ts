import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigInput, renderConfig } from './config.ts';
import { hosts } from './hosts.ts';
import { httpSettings } from './settings.ts';

const input: ConfigInput = {
  port: 4433,
  upstreamPort: 5000,
  run: '/state/runs/1-1',
  content: '/state/sites-1',
  certificates: {
    caFile: '/c/ca.crt',
    spki: '',
    leaf: { certificate: '/c/leaf.crt', key: '/c/leaf.key' },
    selfSigned: { certificate: '/c/self-signed.crt', key: '/c/self-signed.key' },
  },
  user: undefined,
};

const serverOf = (config: string, name: string) => {
  const server = config.split('\n  server {').find((part) => part.includes(`server_name ${name}.pronghorn.test;`));
  assert.ok(server, name);
  return server;
};

test('every listener stands on its host’s own loopback address', () => {
  const listeners = [...renderConfig(input).matchAll(/listen (\S+):4433 (ssl|quic);/g)].map(([, address, kind]) => `${address} ${kind}`);
  const wanted = hosts.flatMap(({ address, protocols }) => [`${address} ssl`, ...(protocols.includes('h3') ? [`${address} quic`] : [])]);
  assert.deepEqual(listeners, wanted);
  assert.equal([...renderConfig(input).matchAll(/\blisten\b/g)].length, wanted.length, 'and there is no other');
});

test('every setting that is stored with a campaign is in the configuration, with its reason', () => {
  const config = renderConfig(input);
  for (const { directive, value, why } of httpSettings) assert.ok(config.includes(`  # ${why}\n  ${directive} ${value};\n`), directive);
});

test('a host speaks what the table says and nothing else', () => {
  const config = renderConfig(input);
  const h1 = serverOf(config, 'h1only');
  assert.match(h1, /http2 off;/);
  assert.doesNotMatch(h1, /quic|Alt-Svc/);
  const h2 = serverOf(config, 'h2only');
  assert.match(h2, /return 505/);
  assert.doesNotMatch(h2, /quic|Alt-Svc/);
  assert.match(serverOf(config, 'article'), /quic;[\s\S]*Alt-Svc 'h3=":4433"/);
});

test('only root can have a user for the workers', () => {
  assert.doesNotMatch(renderConfig(input), /^user/m);
  assert.match(renderConfig({ ...input, user: 'nobody nogroup' }), /^user nobody nogroup;$/m);
});

test('a path with quotes and spaces stays one word; one that nginx can’t take is named', () => {
  assert.match(renderConfig({ ...input, run: '/my "state"/run' }), /pid "\/my \\"state\\"\/run\/nginx\.pid";/);
  assert.throws(() => renderConfig({ ...input, run: '/cost$/run' }), /path with a \$ in it: \/cost\$\/run/);
});
