// Walls against bots: finds the one that answered instead of the page. Pronghorn respects them, and only reports them.
import type { Resource } from '@pronghorn/core/schemas';
import type { Evidence, SlimResponse, VisitRequest } from '../gather/evidence.ts';
import { documentResponse } from './document.ts';

interface Wall {
  vendor: string;
  /** Response headers of the document that only a wall sends. */
  headers?: Readonly<Record<string, RegExp>>;
  /** URLs that only a wall's page loads. */
  loads?: RegExp;
  /** URLs that pages behind the vendor load as well: a sign only where almost nothing else was loaded. */
  alsoLoads?: RegExp;
}

/**
 * Signs that each vendor documents or sends. A page that merely embeds Turnstile, reCAPTCHA or hCaptcha in a form loads their scripts too, and
 * so do pages that a vendor watches without a wall (Cloudflare's `jsd`, Imperva's and AWS's sensors): those are no signs by themselves.
 * https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
 * https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-how-it-works.html
 */
const walls: readonly Wall[] = [
  {
    vendor: 'Cloudflare',
    headers: { 'cf-mitigated': /challenge/ },
    loads: /\/cdn-cgi\/challenge-platform\/.*\/orchestrate\/(chl_page|jsch|managed|captcha)\//,
    alsoLoads: /\/cdn-cgi\/challenge-platform\/|^https:\/\/challenges\.cloudflare\.com\//,
  },
  {
    vendor: 'AWS WAF',
    headers: { 'x-amzn-waf-action': /challenge|captcha/ },
    alsoLoads: /\.awswaf\.com\/.*\/(challenge|captcha)(\.compact)?\.js/,
  },
  {
    vendor: 'DataDome',
    headers: { 'x-dd-b': /./ },
    loads: /^https:\/\/(geo|ct)\.captcha-delivery\.com\//,
  },
  {
    vendor: 'HUMAN (PerimeterX)',
    headers: { 'x-px-blocked': /./ },
    loads: /^https:\/\/captcha\.(perimeterx\.net|px-cdn\.net|px-cloud\.net)\/|\/captcha\/captcha\.js\?.*(appId=PX|\bu=)/,
  },
  { vendor: 'Imperva', loads: /\/_Incapsula_Resource\?.*(CWUDNSAI|incident_id)/, alsoLoads: /\/_Incapsula_Resource/ },
  { vendor: 'Akamai', headers: { 'sec-cp-challenge': /./ }, loads: /\/_sec\/cp_challenge\// },
  { vendor: 'Kasada', loads: /\/ips\.js\?.*KP_UIDz/ },
  { vendor: 'Fastly', loads: /\/_fs-ch-[^/]+\// },
  { vendor: 'Vercel', headers: { 'x-vercel-mitigated': /challenge|deny/ } },
  { vendor: 'Anubis', loads: /\/\.within\.website\/x\/cmd\/anubis\// },
];

/** Share of the objects that discovery loaded: a wall's own page has no more. */
const nextToNothing = 0.25;
/** A page of fewer objects may as well be a form with a captcha. */
const minUsual = 8;

/** @returns the vendor whose wall answered, with its sign; null if no wall is known to. */
export function challengeOf(
  { usual, view }: Pick<VisitRequest, 'usual' | 'view'>,
  evidence: Evidence,
  resources: readonly Resource[],
): string | null {
  const response = documentResponse(evidence);
  for (const { vendor, headers, loads, alsoLoads } of walls) {
    const sign = headers && signIn(response, headers);
    if (sign) return `${vendor} (${sign})`;
    const loaded = loads && resources.find(({ url }) => loads.test(url));
    if (loaded) return `${vendor} (it loaded ${loaded.url.slice(0, 120)})`;
    const also = alsoLoads && resources.find(({ url }) => alsoLoads.test(url));
    const small = usual !== null && view === 'cold' && usual.requests >= minUsual && resources.length <= nextToNothing * usual.requests;
    if (also && small)
      return `${vendor} (${resources.length} objects where discovery found ${usual.requests}, ${also.url.slice(0, 120)} among them)`;
  }
  return null;
}

function signIn(response: SlimResponse | undefined, headers: Readonly<Record<string, RegExp>>): string | null {
  for (const [name, value] of Object.entries(response?.headers ?? {})) {
    if (headers[name.toLowerCase()]?.test(value)) return `${name.toLowerCase()}: ${value.slice(0, 60)}`;
  }
  return null;
}
