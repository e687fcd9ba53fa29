// A hostile page: asks for every address that it is given in every way that a page has, then says that it is done.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChrome, type Place } from '../src/chrome/launch.ts';
import { findChrome } from '../src/machine/find.ts';
import { forbiddenHosts, redirects } from './egress-forms.ts';
import { machine, publicHosts, type World } from './egress-world.ts';

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

/** Loads a page in a real Chrome, where it is told to stand, until the page says that it is done. */
async function loadHostile(place: Place, url: string, done: Promise<void>): Promise<void> {
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
  process.env.PRONGHORN_CHROME = wrapper;
  const chrome = await launchChrome({ protocol: 'h3', discovery: 'alt-svc', forced: [], browser: 'chrome', lab: undefined }, place);
  try {
    await chrome.session.send('Target.createTarget', { url });
    await done;
  } finally {
    await chrome.close();
    delete process.env.PRONGHORN_CHROME;
    rmSync(folder, { recursive: true, force: true });
  }
}

const literal = (host: string) => !/[%１。]/.test(host);
const hosts = [...forbiddenHosts.filter(literal), 'b.rebind.test', ...publicHosts.v4];
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

/** Loads the page in a Chrome of that place, until it has tried everything and the world has told who came. */
export async function visitHostile(world: World, place: Place): Promise<void> {
  world.serve(hostilePage(hosts, [...redirects, 'http://other.test/redirect?to=http%3A%2F%2Fpublic.test%2Fredirected'], stun));
  const done = new Promise<void>((resolve) => {
    world.onRequest = (requested) => {
      if (requested === '/done') resolve();
    };
  });
  await loadHostile(place, 'http://public.test/', done);
  await world.collect();
}
