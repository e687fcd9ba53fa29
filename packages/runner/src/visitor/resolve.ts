// Follows the references of a visitor: the one place where secrets come in.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Step, Visitor } from '@pronghorn/core/schemas';
import { cookieValueProblem, headerValueProblem, ownHosts, type Reference, referenceOf } from '@pronghorn/core/visitor';
import type { CpuSlowdown } from '../machine/environment.ts';
import { type LoadVisitor, type ResolvedStep, VisitorError } from './load-visitor.ts';

export interface Secret {
  value: string;
  /** Patterns of hosts that it may be sent to or typed at; null: those that its owner names by using it. */
  hosts: readonly string[] | null;
}

/** @throws VisitorError that names what is missing */
export type SecretSource = (reference: Reference) => Promise<Secret>;

export const noSecrets: SecretSource = async ({ kind, name }) => {
  throw missing(`${kind}:${name} can’t be resolved here.`);
};

/** @returns what to do where the variable of `env:NAME` has no value; undefined: it has one */
export const missingVariable = (name: string): string | undefined =>
  process.env[name] ? undefined : `The variable ${name} of env:${name} is not set. Set it for this command.`;

/** Environment and files of this process: for campaigns that the command measures itself. */
export const localSecrets: SecretSource = async ({ kind, name }) => {
  if (kind === 'env') {
    const lacks = missingVariable(name);
    if (lacks !== undefined) throw missing(lacks);
    return { value: process.env[name] as string, hosts: null };
  }
  if (kind === 'secret')
    throw missing(`secret:${name} belongs to a service, and this command measures without one. Use env:NAME or file:PATH.`);
  const value = (await contentOf(name)).replace(/\r?\n$/, '');
  if (value === '') throw missing(`The file ${name} of file:${name} is empty.`);
  return { value, hosts: null };
};

/** Limit of a secret; a certificate with its chain has some thousand bytes. */
const maxBytes = 100_000;
/** Longest wait for a pipe whose writer may prompt a person. */
const maxWaitMs = 60_000;
const lookMs = 50;

/** Protects from a pipe without a writer, and from endless input. */
async function contentOf(file: string): Promise<string> {
  const unread = (why: string) => missing(`The file ${file} of file:${file} can't be read (${why}).`);
  const code = (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'unknown cause';
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => Promise.reject(unread(code(error))));
  const content = Buffer.alloc(maxBytes + 1);
  const deadline = performance.now() + maxWaitMs;
  try {
    for (let bytes = 0; bytes < content.length; ) {
      const result = await handle.read(content, bytes, content.length - bytes, null).catch(code);
      if (result === 'EAGAIN' && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, lookMs));
      else if (typeof result === 'string') throw unread(result);
      else if (result.bytesRead === 0) return content.toString('utf8', 0, bytes);
      else bytes += result.bytesRead;
    }
  } finally {
    await handle.close();
  }
  throw unread(`it has more than ${maxBytes} bytes`);
}

const missing = (message: string) => new VisitorError('secret-missing', message);

/**
 * @returns the visitor as a load has it, without state; and all secrets, to be kept out of what is stored
 * @throws VisitorError where a reference leads nowhere, its secret may not go to the page's host, or the proxy is not a URL
 */
export async function resolveVisitor(
  visitor: Visitor,
  pageUrl: string,
  secretOf: SecretSource,
  cpuSlowdown: CpuSlowdown,
): Promise<{ visitor: LoadVisitor; secrets: string[] }> {
  const secrets = new Set<string>();
  const own = ownHosts(pageUrl, visitor);
  const proxyHost = visitor.proxy === undefined ? undefined : URL.parse(visitor.proxy)?.hostname;
  if (visitor.proxy !== undefined && proxyHost === undefined)
    throw new VisitorError('step-failed', `The proxy ${visitor.proxy} is not a URL; expected one such as http://proxy.example:3128.`);
  const follow = async (text: string): Promise<Secret> => {
    const reference = referenceOf(text);
    if (reference === undefined) return { value: text, hosts: null };
    const secret = await secretOf(reference);
    // A part of the page's URL is shown with that anyway, and without it no URL would match the page's.
    if (!pageUrl.includes(secret.value)) secrets.add(secret.value);
    // With an authority of the visitor, or over plain http, a proxy can be every host.
    if (proxyHost !== undefined && secret.hosts !== null && !coveredBy(proxyHost, secret.hosts))
      throw missing(
        `${text} may go to ${secret.hosts.join(', ')}, and this visitor's requests pass a proxy. Seal it for ${proxyHost} too.`,
      );
    return secret;
  };
  const sentTo = async (text: string, patterns: readonly string[], whose: string): Promise<string> => {
    const { value, hosts } = await follow(text);
    const refused = hosts === null ? undefined : patterns.find((pattern) => !coveredBy(pattern, hosts));
    if (refused !== undefined) throw missing(`${text} may go to ${hosts?.join(', ')}, and ${whose}. Seal it for ${refused} too.`);
    return value;
  };
  const sent = (text: string): Promise<string> => sentTo(text, own, `this page's own hosts are ${own.join(', ')}`);
  /** Goes to the hosts of its domain, whichever page requests them. */
  const cookie = async ({ value, domain }: { value: string; domain?: string }): Promise<string> => {
    const host = domain?.replace(/^\./, '').toLowerCase();
    const follows = host === undefined ? sent(value) : sentTo(value, [host, `*.${host}`], `the cookie goes to ${host} and all below it`);
    return fit(value, await follows, cookieValueProblem);
  };
  const header = async ({ value }: { value: string }): Promise<string> => fit(value, await sent(value), headerValueProblem);

  const password = async ({ password: text }: { password: string }, follows: (text: string) => Promise<string>): Promise<string> =>
    fit(text, await follows(text), headerValueProblem);

  const certificate = async (text: string): Promise<string> => {
    const pem = await sent(text);
    // Pages never see it: searching their results for it would waste time.
    secrets.delete(pem);
    checkCertificate(text, pem);
    return pem;
  };
  const { headers, cookies, basicAuth, clientCertificate, proxyAuth, steps, ...rest } = visitor;
  const named = async <T extends { value: string }>(list: readonly T[], sentOf: (one: T) => Promise<string>) =>
    await Promise.all(list.map(async (one) => ({ ...one, value: await sentOf(one) })));
  const resolveStep = async (step: Step): Promise<ResolvedStep> => {
    if ('cookie' in step) return { ...step, value: await cookie(step) };
    if ('storage' in step) return { ...step, value: await sent(step.value) };
    if (!('type' in step) || step.secret === undefined) return step;
    const { value, hosts } = await follow(step.secret);
    return { ...step, text: value, hosts };
  };
  const resolved: LoadVisitor['visitor'] = {
    ...rest,
    ...(headers === undefined ? {} : { headers: await named(headers, header) }),
    ...(cookies === undefined ? {} : { cookies: await named(cookies, cookie) }),
    ...(basicAuth === undefined ? {} : { basicAuth: { user: basicAuth.user, password: await password(basicAuth, sent) } }),
    ...(clientCertificate === undefined ? {} : { clientCertificate: await certificate(clientCertificate) }),
    ...(proxyAuth === undefined
      ? {}
      : { proxyAuth: { user: proxyAuth.user, password: await password(proxyAuth, async (text) => (await follow(text)).value) } }),
    ...(steps === undefined ? {} : { steps: await Promise.all(steps.map(resolveStep)) }),
  };
  // Requests carry these in another form than the visitor's.
  const accounts = [resolved.basicAuth, resolved.proxyAuth].flatMap((account) => account ?? []);
  const coded = accounts.map(({ user, password }) => Buffer.from(`${user}:${password}`).toString('base64'));
  const load = { visitor: resolved, pageUrl, ownHosts: own, state: { cookies: [], storage: [] }, cpuSlowdown };
  return { visitor: load, secrets: [...secrets, ...coded] };
}

/** Literal values were checked when the campaign was made. @throws VisitorError, without the value */
function fit(text: string, value: string, problemOf: (value: string) => string | undefined): string {
  const problem = problemOf(value);
  if (problem !== undefined && referenceOf(text) !== undefined) throw missing(`What ${text.slice(0, 200)} leads to ${problem}.`);
  return value;
}

function checkCertificate(reference: string, pem: string): void {
  const expected = 'Expected a certificate and its private key without a passphrase, both as PEM in one text.';
  let fits: boolean;
  try {
    fits = new X509Certificate(pem).checkPrivateKey(createPrivateKey(pem));
  } catch {
    // The library's message may quote the secret.
    throw missing(`${reference} holds no client certificate. ${expected}`);
  }
  if (!fits)
    throw missing(`The certificate of ${reference} does not match its private key. ${expected} The certificate itself comes first.`);
}

/** True if other patterns cover all hosts of a pattern. */
const coveredBy = (pattern: string, hosts: readonly string[]): boolean =>
  hosts.some(
    (host) => host === pattern || (host.startsWith('*.') && pattern.replace(/^\*/, '').endsWith(host.slice(1))) || host === `*.${pattern}`,
  );
