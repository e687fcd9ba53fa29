import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostAnswer } from '../schemas/adoption.ts';
import { adoptionTable } from './adoption-table.ts';

const answer = (month: string, host: string, given: Partial<HostAnswer> = {}): HostAnswer => ({
  month,
  host,
  server: '',
  versions: [],
  provider: 'unknown',
  documents: 1,
  responses: 1,
  ...given,
});

test('sites are counted by month, version, provider and server', () => {
  const cloudflare = { server: 'cloudflare', provider: 'Cloudflare', versions: ['h3-27', 'h3-29'] };
  const { unit, months } = adoptionTable(
    [
      answer('2020-11', 'a.example', cloudflare),
      answer('2020-11', 'b.example', { server: 'nginx/1.19' }),
      answer('2020-12', 'a.example', cloudflare),
      answer('2020-12', 'b.example', { server: 'nginx/1.19', versions: ['h3-29'] }),
      answer('2020-12', 'c.example', { server: 'Nginx (Ubuntu)' }),
      answer('2020-12', 'd.example', { server: 'gws', provider: 'Google', versions: ['quic-46'] }),
    ],
    'site',
  );
  assert.equal(unit, 'site');
  assert.deepEqual(
    months.map(({ month, units, adopting, http3, http3Share }) => [month, units, adopting, http3, http3Share]),
    [
      ['2020-11', 2, 1, 1, 0.5],
      ['2020-12', 4, 3, 2, 0.5],
    ],
  );
  const december = months[1];
  assert.deepEqual(december?.versions, [
    { version: 'h3-29', family: 'h3-draft', units: 2, share: 0.5 },
    { version: 'h3-27', family: 'h3-draft', units: 1, share: 0.25 },
    { version: 'quic-46', family: 'google-quic', units: 1, share: 0.25 },
  ]);
  assert.deepEqual(december?.providers, [
    { provider: 'Cloudflare', units: 1, adopting: 1, share: 1, shareOfAdopting: 1 / 3 },
    { provider: 'Google', units: 1, adopting: 1, share: 1, shareOfAdopting: 1 / 3 },
    { provider: 'unknown', units: 2, adopting: 1, share: 0.5, shareOfAdopting: 1 / 3 },
  ]);
  assert.deepEqual(
    december?.servers.map(({ server, units, adopting }) => [server, units, adopting]),
    [
      ['nginx', 2, 1],
      ['cloudflare', 1, 1],
      ['gws', 1, 1],
    ],
  );
});

test('a host that answers in several ways counts once, with all that it advertises and as the server that is seen most', () => {
  const answers = [
    answer('2021-01', 'a.example', { server: 'cloudflare', versions: ['h3-29'], responses: 3 }),
    answer('2021-01', 'a.example', { server: 'x', versions: ['h3-27'], responses: 9 }),
    answer('2021-01', 'a.example', { server: 'y' }),
  ];
  const [month] = adoptionTable(answers, 'site').months;
  assert.equal(month?.units, 1);
  assert.deepEqual(month?.versions.map(({ version }) => version).sort(), ['h3-27', 'h3-29']);
  assert.deepEqual(
    month?.servers.map(({ server }) => server),
    ['x'],
  );
});

test('hosts without a main document are no sites', () => {
  const answers = [answer('2021-01', 'a.example'), answer('2021-01', 'cdn.example', { documents: 0, versions: ['h3'] })];
  assert.equal(adoptionTable(answers, 'site').months[0]?.adopting, 0);
  assert.equal(adoptionTable(answers, 'host').months[0]?.adopting, 1);
  assert.deepEqual(adoptionTable([], 'host').months, []);
});
