// A hostile page: requests every given address in every way that a page has, then reports that it is done.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isThorough } from '@pronghorn/core/testing';
import { launchChrome } from '../src/chrome/launch.ts';
import { findChrome } from '../src/machine/find.ts';
import type { LaunchContext } from '../src/machine/unprivileged.ts';
import { machine, publicHosts, udpPorts, type World } from './egress-world.ts';

/** Hosts as a page can write them; 10.1.2.3 unless noted. */
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

const redirectCodes = [301, 302, 303, 307, 308];

const redirectsBy = (statuses: readonly number[]) =>
  statuses.flatMap((code) =>
    redirectTargets.map((host) => `${redirector}?code=${code}&to=${encodeURIComponent(`http://${host}/from-redirect`)}`),
  );

export const redirects = redirectsBy(redirectCodes);

/** Sent to public servers in the same way: unless these arrive, the test proves nothing. */
export const publicUrls = [
  'http://44.55.66.77/public',
  'http://public.test/public-name',
  'http://[2a44:55:66::77]/public6',
  'http://other.test/redirect?to=http%3A%2F%2Fpublic.test%2Fpublic-redirected',
  'http://741818957/public-decimal',
];

/** @param hosts as a URL writes them @param urls asked for as they are @param stun addresses for WebRTC and WebTransport */
function hostilePage(hosts: readonly string[], urls: readonly string[], stun: readonly string[]): string {
  return `<!doctype html><meta charset="utf-8"><title>hostile</title><body><script>
const hosts = ${JSON.stringify(hosts)}, urls = ${JSON.stringify(urls)}, stun = ${JSON.stringify(stun)};
const within = (promise, ms = 2000) => Promise.race([promise.catch(() => {}), new Promise((r) => setTimeout(r, ms))]);
const events = (target) => new Promise((r) => ['load', 'error', 'open', 'close'].forEach((type) => target.addEventListener(type, r)));
const add = (tag, attributes) => { const element = Object.assign(document.createElement(tag), attributes); const over = events(element); document.body.append(element); return over; };
const ways = {
  fetch: (url) => fetch(url, { mode: 'no-cors' }),
  img: (url) => add('img', { src: url }),
  iframe: (url) => add('iframe', { src: url }),
  script: (url) => add('script', { src: url }),
  prefetch: (url) => add('link', { rel: 'prefetch', href: url }),
  preload: (url) => add('link', { rel: 'preload', as: 'style', href: url }),
  beacon: async (url) => navigator.sendBeacon(url, 'x'),
  eventsource: (url) => { const source = new EventSource(url); return events(source).then(() => source.close()); },
  websocket: (url) => events(new WebSocket(url.replace('http:', 'ws:'))),
};
const webTransport = (address) => { const session = new WebTransport('https://' + address + ':4433/'); return Promise.race([session.ready, session.closed]); };
const webRtc = async (address) => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:' + address + ':3478' }, { urls: 'turn:' + address + ':8080?transport=tcp', username: 'u', credential: 'c' }] });
  peer.createDataChannel('x');
  const gathered = new Promise((r) => peer.addEventListener('icegatheringstatechange', () => peer.iceGatheringState === 'complete' && r()));
  await peer.setLocalDescription();
  await gathered;
  // Then a peer that claims to be at that address: Chrome's connectivity checks go there.
  const other = new RTCPeerConnection();
  await other.setRemoteDescription(peer.localDescription);
  await other.setLocalDescription(await other.createAnswer());
  await peer.setRemoteDescription(other.localDescription);
  const candidate = (transport, port, type) => ({ sdpMid: '0', candidate: 'candidate:1 1 ' + transport + ' 2122260223 ' + address.replace(/[\\[\\]]/g, '') + ' ' + port + ' typ host' + type });
  await peer.addIceCandidate(candidate('udp', 3478, ''));
  await peer.addIceCandidate(candidate('tcp', 8080, ' tcptype passive'));
  await new Promise((r) => peer.addEventListener('iceconnectionstatechange', () => ['failed', 'disconnected'].includes(peer.iceConnectionState) && r()));
};
(async () => {
  const attempts = [];
  for (const [way, attempt] of Object.entries(ways)) {
    const start = (url) => { try { attempts.push(within(Promise.resolve(attempt(url)))); } catch {} };
    for (const host of hosts) start('http://' + host + ':8080/' + way);
    for (const url of urls) start(url + (url.includes('?') ? '' : '?') + '&way=' + way);
    await Promise.all(attempts.splice(0));
  }
  for (const address of stun) { attempts.push(within((async () => webTransport(address))())); attempts.push(within(webRtc(address), 6000)); }
  await Promise.all(attempts);
  await fetch('/done');
})();
</script>`;
}

/** Loads a page in a real Chrome, in the given place. */
async function loadHostile(place: LaunchContext, url: string, isOver: () => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-egress-'));
  const wrapper = join(folder, 'chrome');
  // Chrome's own guards are off: it is our policy that must hold.
  const flags = [
    '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,LocalNetworkAccessChecksWebTransport,LocalNetworkAccessChecksWebRTC,LocalNetworkAccessChecksWarn',
    '--unsafely-treat-insecure-origin-as-secure=http://public.test',
  ];
  writeFileSync(wrapper, `#!/bin/sh\nexec '${findChrome('chrome')}' "$@" ${flags.join(' ')}\n`);
  chmodSync(folder, 0o755);
  chmodSync(wrapper, 0o755);
  const { PRONGHORN_CHROME: chosen } = process.env;
  process.env.PRONGHORN_CHROME = wrapper;
  const chrome = await launchChrome({ protocol: 'h3', discovery: 'alt-svc', forced: [], browser: 'chrome', lab: undefined }, place);
  try {
    await chrome.session.send('Target.createTarget', { url });
    await isOver();
  } finally {
    await chrome.close();
    if (chosen === undefined) delete process.env.PRONGHORN_CHROME;
    else process.env.PRONGHORN_CHROME = chosen;
    rmSync(folder, { recursive: true, force: true });
  }
}

const literal = (host: string) => !/[%１。]/.test(host);
/** A plain program tries all forms in the first tier. Chrome makes one address of them before it connects: there, one of each kind will do. */
const kinds: readonly string[] = [
  ...['10.1.2.3', '167838211', '127.0.0.1', 'localhost', '0.0.0.0', '192.168.7.1', '172.16.5.4', '169.254.169.254', '168.63.129.16'],
  ...['100.64.1.1', machine.v4, machine.lan, '[::1]', '[::ffff:10.1.2.3]', '[64:ff9b::10.1.2.3]', '[fd12:3456::1]', `[${machine.v6}]`],
  ...['private.test', 'loopback.test', 'metadata.test', 'machine.test'],
];
const hosts = [...forbiddenHosts.filter(isThorough ? literal : (host) => kinds.includes(host)), 'b.rebind.test', ...publicHosts.v4];
const codes = isThorough ? redirectCodes : [302, 307];
/** The public one first: all others stand in Chrome's queue until they fail. */
const stun = [
  publicHosts.v4[0],
  '10.1.2.3',
  '192.168.7.1',
  '169.254.169.254',
  '127.0.0.1',
  machine.v4,
  '[::ffff:10.1.2.3]',
  '[fd12:3456::1]',
  'private.test',
];

/** Of the ways that a page has, those that have not come to the public hosts yet. */
export function missingWays({ visitors }: World): string[] {
  const ways = ['fetch', 'img', 'iframe', 'script', 'prefetch', 'preload', 'beacon', 'eventsource', 'websocket', 'redirected'];
  return [
    ...ways.filter((way) => !visitors.some(({ path }) => path === `/${way}`)),
    ...udpPorts
      .filter(
        (one) => !visitors.some(({ transport, address, port }) => transport === 'udp' && address === publicHosts.v4[0] && port === one),
      )
      .map((port) => `udp ${port}, of WebRTC or WebTransport`),
  ];
}

const deadlineMs = 180_000;

/**
 * Loads the page in a Chrome of that place, until it has tried everything and the world has listed its visitors.
 *
 * @param lacks what has neither arrived nor been refused yet, and has to: until there is nothing, the page stays open
 */
export async function visitHostile(world: World, place: LaunchContext, lacks: () => string[] | Promise<string[]>): Promise<void> {
  world.serve(hostilePage(hosts, [...redirectsBy(codes), 'http://other.test/redirect?to=http%3A%2F%2Fpublic.test%2Fredirected'], stun));
  const giveUp = performance.now() + deadlineMs;
  await loadHostile(place, 'http://public.test/', async () => {
    for (;;) {
      await world.collect();
      const missing = [...(world.visitors.some(({ path }) => path === '/done') ? [] : ['/done']), ...(await lacks())];
      if (missing.length === 0) return;
      if (performance.now() > giveUp) throw new Error(`Waited ${deadlineMs} ms for attempts of the page; missing: ${missing.join(', ')}`);
      await delay(500);
    }
  });
  await world.collect();
}
