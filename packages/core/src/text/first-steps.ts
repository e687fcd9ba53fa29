// What to do about visits that are invalid.
import type { InvalidReason } from '../vocabulary/reason.ts';

const repeated = 'Pronghorn repeats such visits. If many are lost,';
/** What to do first about an invalid visit. */
export const firstSteps: Readonly<Record<InvalidReason, string>> = {
  'dns-error': 'Check the host’s spelling, the runner’s network, and that its resolver knows the host.',
  'tls-error': 'Check the certificate and its chain, or name its authority (--ca, or under “Visitor”).',
  'quic-error': 'Check that UDP reaches the server’s port, at the first of its addresses, and that it speaks HTTP/3, or leave HTTP/3 out.',
  'connection-error': 'Check that the server runs and that the runner’s network reaches it.',
  'http-status':
    'Open the address in a browser. If this status is right, give it as the page’s expected status; if the browser gets another, the site refuses the runner’s address or user agent.',
  'not-a-page': 'Measure the page that leads to this file.',
  'protocol-unavailable':
    'Where the protocol should work, look in a visit’s detail for what was advertised, tried and failed. Else leave it out, or measure what visitors get: --discovery alt-svc.',
  'wrong-protocol':
    'Look at the protocols of the requests in the waterfall. If the server chose another one for the document, leave this protocol out.',
  'protocol-unproven': 'Measure the cold view, or a page whose document comes from the network.',
  'connection-reused': `${repeated} report it as a fault of Pronghorn.`,
  redirected:
    'Measure the address that the page ends on. If that is another one each time, look in a visit’s detail for what differs: a login, a country, a session.',
  'out-of-reach': 'Start every server that the page needs first, and have the page name it in full or by relative addresses.',
  'left-page': 'Measure the address that the page ends on, or give it the login or consent that it asks for (--steps, or under “Visitor”).',
  challenge: 'Let the runner’s address pass at the site’s bot protection.',
  incomplete: 'Look at the failed requests in the waterfall: over which protocols they fail, and of which hosts.',
  'load-timeout':
    'Look in a visit’s detail for what never ended, and mend or block it (--block). If the page is only slow, raise the time limit (--timeout).',
  'page-too-big': 'Raise the campaign’s limits of requests and bytes (maxRequests, maxTransferBytes), or measure a smaller page.',
  'tab-crashed': 'Give the runner more memory, and open the page in a browser.',
  'browser-crashed': `${repeated} give the runner more memory.`,
  'busy-machine': `${repeated} stop other programs on the runner’s machine, and remove limits on the runner’s CPU time.`,
  'no-visual-progress': `${repeated} open the page in a browser: it may show nothing.`,
  'step-failed': 'Check the steps, login and consent that the page needs first.',
  'secret-missing': 'Give the runner the secret that a visit’s detail names, and allow it for the page’s hosts.',
  'not-confirmed': 'Let the server show that it is yours to load: a visit’s detail says what it has to answer.',
  'engine-error': `${repeated} look in a visit’s detail, and in the runner’s log.`,
};
