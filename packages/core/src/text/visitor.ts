// A visitor in one line: the differences from the default visitor.
import type { Step, Visitor } from '../schemas/visitor.ts';

/** Without secrets, which a visitor only has by reference. Two certificates differ in their last characters. */
export function visitorWords(visitor: Visitor): string {
  const { userAgent, headers = [], cookies = [], basicAuth, ca, proxy, block = [], firstPartyOnly, ownHosts = [] } = visitor;
  const { clientCertificate, proxyAuth } = visitor;
  const { device, viewport, cpuSlowdown, language, steps = [] } = visitor;
  const parts = [
    device !== undefined && device !== 'desktop' && device,
    viewport && `viewport ${viewport.width}x${viewport.height}${viewport.scale === undefined ? '' : ` at ${viewport.scale}`}`,
    cpuSlowdown !== undefined && `CPU ${cpuSlowdown} times slower`,
    language && `language ${language}`,
    userAgent && `user agent ${userAgent}`,
    ...headers.map(({ name, value }) => `header ${name}: ${value}`),
    ...cookies.map(({ name, value, domain }) => `cookie ${name}=${value}${domain === undefined ? '' : ` of ${domain}`}`),
    basicAuth && `login as ${basicAuth.user} with ${basicAuth.password}`,
    ca && `CA …${ca.replace(/-----[A-Z ]+-----|\s/g, '').slice(-12)}`,
    clientCertificate && `client certificate ${clientCertificate}`,
    proxy && `proxy ${proxy}${proxyAuth === undefined ? '' : ` as ${proxyAuth.user} with ${proxyAuth.password}`}`,
    block.length > 0 && `without ${block.join(', ')}`,
    firstPartyOnly && 'first party only',
    ownHosts.length > 0 && `own hosts ${ownHosts.join(', ')}`,
    afterWords(visitor),
    steps.length > 0 &&
      `steps: ${steps.map((step) => ('value' in step ? `${stepWords(step)} to ${step.value}` : 'type' in step && step.text !== undefined ? `${stepWords(step)} (${step.text})` : stepWords(step))).join(', ')}`,
  ];
  return parts.filter((part) => typeof part === 'string' && part !== '').join('; ') || usual;
}

const usual = 'a usual visitor';

/** What precedes a warm view of this visitor; undefined: the page itself. */
export function afterWords({ after }: Visitor): string | undefined {
  if (after === undefined) return undefined;
  return after.length === 0 ? 'opened first, with nothing kept' : `after ${after.join(', ')}`;
}

/** The effect of a step, without secrets. */
export function stepWords(step: Step): string {
  if ('goto' in step) return `goto ${step.goto}`;
  if ('click' in step) return `click ${step.click}`;
  if ('type' in step) return `type ${step.secret ?? 'text'} into ${step.type}`;
  if ('waitFor' in step) return `wait for ${step.waitFor}`;
  if ('waitForUrl' in step) return `wait for a URL with ${step.waitForUrl}`;
  if ('waitMs' in step) return `wait ${step.waitMs} ms`;
  if ('cookie' in step) return `set the cookie ${step.cookie}`;
  return `set ${step.storage} in local storage`;
}
