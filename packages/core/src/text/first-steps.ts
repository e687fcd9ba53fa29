// What to do about visits that are invalid.
import type { InvalidReason } from '../vocabulary/reason.ts';

const repeated = 'Pronghorn repeats such visits. If many are lost,';
/** What to do first about an invalid visit. */
export const firstSteps: Readonly<Record<InvalidReason, string>> = {
  'dns-error': 'Check the host’s spelling, the runner’s network, and that its resolver knows the host.',
  'tls-error': 'Check the certificate and its chain, or name its authority under “Visitor”.',
  'quic-error': 'Check that UDP reaches the server’s port and that the server speaks HTTP/3, or leave HTTP/3 out.',
  'connection-error': 'Check that the server runs and that the runner may reach it.',
  'http-status': 'Open the address in a browser. If this status is right, give it as the page’s expected status.',
  'not-a-page': 'Measure the page that leads to this file.',
  'protocol-unavailable': 'Measure only the protocols that the host offers, or what visitors get: --discovery alt-svc.',
  'wrong-protocol': 'Look at the protocols of the requests in the waterfall.',
  'protocol-unproven': 'Measure the cold view, or a page whose document comes from the network.',
  'connection-reused': `${repeated} report it as a fault of Pronghorn.`,
  redirected: 'Measure the address that the page ends on.',
  'out-of-reach': 'Start every server that the page needs first, and have the page name it in full or by relative addresses.',
  'left-page': 'Measure the address that the page ends on, or give it the login or consent that it asks for.',
  challenge: 'Let the runner’s address pass at the site’s bot protection.',
  incomplete: 'Look at the failed requests in the waterfall.',
  'load-timeout': 'Look in the waterfall for what never ended. Raise the load timeout, or measure on a faster network.',
  'page-too-big': 'Raise the campaign’s limits of requests and bytes.',
  'tab-crashed': 'Give the runner more memory, and open the page in a browser.',
  'browser-crashed': `${repeated} give the runner more memory.`,
  'busy-machine': `${repeated} stop other programs on the runner’s machine.`,
  'no-visual-progress': `${repeated} open the page in a browser: it may show nothing.`,
  'step-failed': 'Check the steps, login and consent that the page needs first.',
  'secret-missing': 'Give the runner the secret, and allow it for the page’s hosts.',
  'not-confirmed': 'Confirm that the server may be loaded with requests.',
  'engine-error': `${repeated} look in the runner’s log.`,
};
