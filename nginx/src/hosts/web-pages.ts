// The pages of the web: what each stands for, where it begins, and what its host does that a host of the demo does not. What a page
// does stands in upstream/web/.
import type { Host } from './hosts.ts';

export interface WebPage {
  name: string;
  title: string;
  standsFor: string;
  /** The site whose files lie under /assets/, and whose document it resembles. Default: article. */
  base?: 'article' | 'shop' | 'large';
  /** Default: /. */
  path?: string;
  /** Labels of other hosts that the page takes something from. */
  alsoFrom?: readonly string[];
  host?: Omit<Partial<Host>, 'name' | 'number' | 'serves'>;
}

const numbered = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind}-${n + 1}`);
/** Labels of third parties by the server that they share; web-hosts.ts has the traits of each server. */
export const thirdPartyServers = {
  cdn: [...numbered('cdn', 6), 'flaky', 'slow-h3'],
  tags: numbered('tags', 7),
  ads: numbered('ads', 6),
  images: numbered('images', 5),
  edge: numbered('edge', 4),
};
export const thirdPartyLabels = Object.values(thirdPartyServers).flat();

export const webPages: readonly WebPage[] = [
  {
    name: 'third-parties',
    title: 'News with thirty third parties',
    standsFor: 'Pages that advertising pays for: tags, ads and pictures of thirty hosts over five servers, some unwell.',
    alsoFrom: thirdPartyLabels,
  },
  {
    name: 'udp-outage',
    title: 'A host whose UDP falls silent',
    standsFor: 'Networks and servers that stop answering UDP for a while.',
    alsoFrom: ['edge-1'],
  },
  {
    name: 'flaky-host',
    title: 'A host that fails now and then',
    standsFor: 'A third party that resets or refuses one request in twenty.',
    base: 'shop',
    alsoFrom: ['flaky'],
  },
  {
    name: 'slow-protocol',
    title: 'A host that is slow over one protocol',
    standsFor: 'A CDN whose HTTP/3 goes another way.',
    base: 'shop',
    alsoFrom: ['slow-h3'],
  },
  { name: 'alt-port', title: 'HTTP/3 on another port', standsFor: 'Alt-Svc that names another port.', host: { altSvc: 'next-port' } },
  {
    name: 'https-record',
    title: 'HTTP/3 without Alt-Svc',
    standsFor: 'HTTP/3 that an HTTPS record alone announces.',
    host: { altSvc: 'none' },
  },
  { name: 'no-h3', title: 'No HTTP/3', standsFor: 'Sites that speak HTTP/2 at best.', host: { protocols: ['h1', 'h2'] } },
  {
    name: 'plain-http',
    title: 'HTTP alone',
    standsFor: 'Sites without TLS.',
    host: { protocols: ['h1'], plain: true },
  },
  {
    name: 'application',
    title: 'An application that hydrates, then fetches',
    standsFor: 'React, Vue and Next with data of the client: 60 ms after load 300 ms of script, then a request of 60 ms, then content.',
    base: 'shop',
  },
  {
    name: 'application-timer',
    title: 'An application that fetches by a timer',
    standsFor: 'Content that the page requests 200 ms after load.',
    base: 'shop',
  },
  {
    name: 'application-at-once',
    title: 'An application that works at load',
    standsFor: 'Content after 400 ms of script that begins with the load event.',
    base: 'shop',
  },
  {
    name: 'application-tasks',
    title: 'An application with six tasks of 900 ms',
    standsFor: 'Heavy hydration in slices.',
    base: 'shop',
  },
  {
    name: 'long-task',
    title: 'A task of six seconds after load',
    standsFor: 'A page whose script holds the main thread for long.',
    base: 'shop',
  },
  {
    name: 'preconnect',
    title: 'Hints to connect ahead',
    standsFor: 'preconnect and dns-prefetch to a host whose picture is requested 500 ms later.',
    alsoFrom: ['hinted'],
  },
  { name: 'speculation', title: 'Speculation rules', standsFor: 'Pages that prefetch and prerender what comes next.' },
  { name: 'early-hints', title: 'Early Hints', standsFor: 'A 103 that names style sheets 600 ms before the document.', base: 'shop' },
  { name: 'service-worker', title: 'A service worker', standsFor: 'Applications that keep their files themselves.', base: 'shop' },
  { name: 'popup-ready', title: 'A popup at DOMContentLoaded', standsFor: 'Pop-unders, without a gesture.' },
  { name: 'popup-load', title: 'A popup at load', standsFor: 'Pop-unders and SSO probes, without a gesture.' },
  { name: 'cookie-reload', title: 'A reload after a cookie', standsFor: 'Locale, currency and A/B cookies that a script sets.' },
  { name: 'canonical', title: 'A canonical URL', standsFor: 'location.replace to the canonical URL of the same host.' },
  {
    name: 'consent',
    title: 'A consent desk',
    standsFor: 'A redirect to another host until the cookie of a consent is there.',
    alsoFrom: ['consent-desk'],
  },
  { name: 'geo', title: 'A redirect by country', standsFor: 'A redirect to a path of the visitor’s language.', base: 'shop' },
  { name: 'wall-403', title: 'A bot wall with 403', standsFor: 'Walls that refuse by the name of the browser.' },
  { name: 'wall-200', title: 'A bot wall with 200', standsFor: 'Interstitials that look like a page.' },
  { name: 'wall-reload', title: 'A bot wall that reloads', standsFor: 'Interstitials that set a cookie by script and load again.' },
  {
    name: 'wall-protocol',
    title: 'A bot wall by protocol',
    standsFor: 'HTTP/1.1 of a Chrome is a sign of a bot: over it, a redirect to /captcha with 200.',
  },
  { name: 'event-stream', title: 'An event stream', standsFor: 'EventSource that stays open.' },
  { name: 'long-polling', title: 'Long polling', standsFor: 'A request that is answered after 25 s, again and again.' },
  { name: 'open-fetch', title: 'A fetch that never ends', standsFor: 'Streamed answers.' },
  { name: 'hero-video', title: 'A hero video', standsFor: 'A film of 6 MB that plays behind the headline.' },
  { name: 'websocket', title: 'A WebSocket', standsFor: 'Prices and chats that are pushed.', base: 'shop' },
  { name: 'ten-megabytes', title: 'Ten megabytes', standsFor: 'Heavy pages on slow networks.', base: 'large' },
  { name: 'ten-thousand', title: 'Ten thousand requests', standsFor: 'Maps of tiles, and mistakes.' },
  { name: 'animated', title: 'A page that paints for a minute', standsFor: 'Carousels, spinners and backgrounds that never rest.' },
  { name: 'soft-404', title: 'A soft 404', standsFor: 'Pages that are gone and say so with 200.', base: 'shop', path: '/pots/1884' },
  { name: 'basic-auth', title: 'Basic authentication', standsFor: 'Staging hosts: user ada, password sagebrush.' },
  { name: 'login', title: 'A login', standsFor: 'A form, a session cookie: user ada, password sagebrush.', base: 'shop' },
  {
    name: 'corporate-ca',
    title: 'A company’s CA',
    standsFor: 'Hosts inside companies whose certificates no public CA signed.',
    host: { certificate: 'corporate' },
  },
  {
    name: 'proxied',
    title: 'Behind a proxy',
    standsFor: 'Networks whose only way out is an HTTP proxy.',
    host: { behindProxy: true },
  },
  {
    name: 'blocked',
    title: 'What a page stops itself',
    standsFor: 'Pictures that its own policy forbids and requests that it aborts.',
    alsoFrom: ['cdn-1'],
  },
  { name: 'lazy', title: 'Lazy pictures', standsFor: 'Seven pictures 1,000 to 4,000 px below the top.', base: 'shop' },
  {
    name: 'frames',
    title: 'Frames of other sites, and workers',
    standsFor: 'Embedded players, maps and payment forms; work off the main thread.',
    alsoFrom: ['frame-a', 'frame-b'],
  },
];
