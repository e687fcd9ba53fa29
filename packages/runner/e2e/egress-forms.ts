// The ways to write an address that a visit must not reach, or a name or a redirect that leads to one.
import { machine } from './egress-world.ts';

/** Hosts as a page can write them; what they mean is 10.1.2.3 where nothing else is said. */
export const forbiddenHosts = [
  '10.1.2.3',
  '10.1.2.3.', // with the root's dot
  '167838211', // decimal
  '0x0a010203', // hexadecimal
  '01200201003', // octal
  '012.01.02.03', // octal parts
  '0xa.0x1.0x2.0x3',
  '10.66051', // short: the last part fills the rest
  '10.1.515',
  '0xa.66051',
  '%31%30.1.2.3', // percent-encoded digits
  '１０.1.2.3', // full-width digits
  '10。1。2。3', // ideographic dots
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '127.77.66.55',
  'localhost',
  '0.0.0.0',
  '0',
  '192.168.7.1',
  '192.168.255.254',
  '172.16.5.4',
  '172.31.255.1',
  '169.254.169.254',
  '2852039166', // metadata, decimal
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.7.7', // link-local
  '169.254.170.2', // credentials of containers on AWS
  '100.100.100.200', // metadata at Alibaba
  '168.63.129.16', // Azure's host
  '192.0.0.192', // metadata at Oracle
  '100.64.1.1', // carriers' NAT
  '198.18.0.1', // benchmarks
  '192.0.2.1', // documentation
  '203.0.113.1',
  '192.88.99.1', // 6to4 relay
  '224.0.0.251',
  '240.0.0.1',
  '255.255.255.255',
  machine.v4, // the machine's own, public
  machine.lan,
  '10.115.1.1', // the link's router
  '[::]',
  '[::1]',
  '[::ffff:10.1.2.3]', // IPv4-mapped
  '[::ffff:a9fe:a9fe]',
  '[::10.1.2.3]', // IPv4-compatible
  '[64:ff9b::10.1.2.3]', // NAT64
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::a01:203]',
  '[2002:a01:203::1]', // 6to4
  '[2001:0:a01:203::1]', // Teredo
  '[2001:db8::1]',
  '[100::1]',
  '[fd12:3456::1]',
  '[fd00:ec2::254]', // metadata at AWS
  '[fec0::1]',
  '[fe80::1]',
  '[ff02::1]',
  `[${machine.v6}]`,
  '[fd70:7068:1::1]',
  'private.test',
  'lan.test',
  'loopback.test',
  'loopback6.test',
  'any.test',
  'metadata.test',
  'azure.test',
  'shared.test',
  'mapped.test',
  'nat64.test',
  'sixtofour.test',
  'local6.test',
  'machine.test',
  'machine6.test',
  'router.test',
  'two.test',
] as const;

const redirector = 'http://other.test/redirect';

/** Addresses of which the redirector, a public server, says that they are to be asked instead. */
const redirectTargets = ['10.1.2.3', '167838211', '169.254.169.254', '[::ffff:10.1.2.3]', 'private.test', '127.0.0.1', machine.v4];

export const redirects = [301, 302, 303, 307, 308].flatMap((code) =>
  redirectTargets.map((host) => `${redirector}?code=${code}&to=${encodeURIComponent(`http://${host}/from-redirect`)}`),
);

/** Asked of public servers in the same manner: when these don't arrive, the test proves nothing. */
export const publicUrls = [
  'http://44.55.66.77/public',
  'http://public.test/public-name',
  'http://[2a44:55:66::77]/public6',
  'http://other.test/redirect?to=http%3A%2F%2Fpublic.test%2Fpublic-redirected',
  'http://741818957/public-decimal',
];
