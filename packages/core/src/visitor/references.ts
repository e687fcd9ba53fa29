// References to a visitor's secrets, and values that may only be given by reference.
import type { SiteRequest } from '../schemas/campaign.ts';
import type { Step, Visitor } from '../schemas/visitor.ts';

export type ReferenceKind = 'env' | 'file' | 'secret';
export interface Reference {
  kind: ReferenceKind;
  /** Name of the variable, the file or the secret. */
  name: string;
}

/** @returns undefined for a literal text. */
export function referenceOf(text: string): Reference | undefined {
  const match = /^(env|file|secret):(.+)$/.exec(text);
  return match === null ? undefined : { kind: match[1] as ReferenceKind, name: match[2] as string };
}

/** Each text of a visitor that may be a reference, with its pointer. */
export function* referableTexts(visitor: Visitor): Generator<{ pointer: string; text: string; secret: boolean }> {
  for (const [i, { name, value }] of (visitor.headers ?? []).entries())
    yield { pointer: `headers/${i}/value`, text: value, secret: carriesSecret(name) };
  for (const [i, { name, value }] of (visitor.cookies ?? []).entries())
    yield { pointer: `cookies/${i}/value`, text: value, secret: carriesSecret(name) };
  if (visitor.basicAuth !== undefined) yield { pointer: 'basicAuth/password', text: visitor.basicAuth.password, secret: true };
  if (visitor.proxyAuth !== undefined) yield { pointer: 'proxyAuth/password', text: visitor.proxyAuth.password, secret: true };
  if (visitor.clientCertificate !== undefined) yield { pointer: 'clientCertificate', text: visitor.clientCertificate, secret: true };
  for (const [i, one] of (visitor.steps ?? []).entries()) yield* textsOfStep(one, `steps/${i}`);
}

function* textsOfStep(step: Step, pointer: string): Generator<{ pointer: string; text: string; secret: boolean }> {
  if ('type' in step && step.secret !== undefined) yield { pointer: `${pointer}/secret`, text: step.secret, secret: true };
  if ('cookie' in step) yield { pointer: `${pointer}/value`, text: step.value, secret: carriesSecret(step.cookie) };
  if ('storage' in step) yield { pointer: `${pointer}/value`, text: step.value, secret: carriesSecret(step.storage) };
}

/** True if the name suggests a secret: anyone who can see the campaign could see the value too. */
const carriesSecret = (name: string): boolean =>
  /^(cookie|(proxy-)?authorization)$|token|secret|passw|session|credential|jwt|api[-_.]?key|(^|[-_.])(auth|key|sid)([-_.]|$)|sess(ion)?[-_.]?id/i.test(
    name,
  );

/** The visitor of one page: the campaign's, overridden by the site's. */
export function visitorOf(campaign: { visitor?: Visitor }, site: Pick<SiteRequest, 'visitor'> | undefined): Visitor {
  return { ...campaign.visitor, ...site?.visitor };
}
