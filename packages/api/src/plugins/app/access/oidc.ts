// Jobs of GitHub, GitLab and others that ask without a secret: each has a short-lived JWT by which its forge says what it is (OpenID Connect).
import type { OidcRule } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { ProblemError } from '../../../shared/problems.ts';
import type { LiveToken } from '../../../tables/tokens-repository.ts';
import { isSafe, issuerKeys } from './oidc-keys.ts';
import { fitsPattern } from './scope.ts';

/** Who a job is, and when its own token ends, ms since 1970; or why it is nobody. */
export type Job = { token: LiveToken; until: number } | { words: string };

declare module 'fastify' {
  interface FastifyInstance {
    oidc: {
      /** @throws ProblemError issuer-away: nobody can tell. */
      verify(jwt: string): Promise<Job>;
    };
  }
}

/** What only the issuer can sign, and everybody can check. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
/** How much the clocks of issuer and service may differ. */
const toleranceMs = 30_000;

export const isJwt = (token: string): boolean => /^ey[\w-]*\.[\w-]+\.[\w-]*$/.test(token);

export default fp(async (app) => {
  const { accessOptions: access, now } = app;
  const rules = access.kind === 'tokens' ? (access.oidc ?? []) : [];
  assertRules(rules);
  const keys = new Map(rules.map(({ issuer, jwksUrl }) => [issuer, issuerKeys(issuer, { jwksUrl })]));
  const ids = new Map<string, number>();
  for (const rule of rules) {
    try {
      ids.set(rule.name, await app.store.access.putRule(rule));
    } catch (error) {
      if (error instanceof ProblemError) refuse(rule, error.message);
      throw error;
    }
  }

  app.decorate('oidc', {
    async verify(jwt) {
      const issuer = issuerOf(jwt);
      const ofIssuer = rules.filter((rule) => rule.issuer === issuer);
      const find = keys.get(issuer ?? '');
      if (find === undefined) {
        const found = issuer === undefined ? 'names no issuer' : `is of issuer ${shown(issuer)}`;
        return { words: `The job's token ${found}, from which this service takes none (access.oidc).` };
      }
      try {
        const { payload } = await jwtVerify(jwt, find, {
          ...{ issuer: ofIssuer[0]?.issuer ?? '', audience: [...new Set(ofIssuer.map(({ audience }) => audience))], algorithms },
          ...{ currentDate: new Date(now()), clockTolerance: toleranceMs / 1_000, requiredClaims: ['exp'] },
        });
        const fitting = ofIssuer.find((rule) => fits(payload, rule));
        if (fitting === undefined)
          return { words: `No rule of this service (access.oidc) fits the job: ${claimWords(payload, ofIssuer)}.` };
        const token = await app.store.access.findLiveTokenById(ids.get(fitting.name) ?? 0);
        if (token === undefined) return { words: `The rule "${fitting.name}" (access.oidc), which fits the job, was revoked.` };
        return { token, until: (payload.exp ?? 0) * 1_000 + toleranceMs };
      } catch (error) {
        const words = faultOf(error, ofIssuer);
        if (words !== undefined) return { words };
        app.log.warn({ err: error, issuer }, 'the keys of an issuer of jobs’ tokens could not be read');
        const detail = `The keys of ${issuer} could not be read, so nobody can tell whether the job's token is right. The service's log says why. Ask again.`;
        throw new ProblemError('issuer-away', detail);
      }
    },
  });
});

function issuerOf(jwt: string): string | undefined {
  try {
    const { iss } = decodeJwt(jwt);
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

function fits(payload: JWTPayload, { audience, claims }: OidcRule): boolean {
  return (
    [payload.aud ?? []].flat().includes(audience) && Object.entries(claims).every(([name, pattern]) => hasClaim(payload, name, pattern))
  );
}

/** Of a list, such as GitLab's groups, one that fits is enough. */
function hasClaim(payload: JWTPayload, name: string, pattern: string): boolean {
  const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
  const values = Array.isArray(value) ? value : [value];
  return values.some((each) => ['string', 'number', 'boolean'].includes(typeof each) && fitsPattern(String(each), pattern));
}

/** Those that rules look at, and the subject: what the job's owner needs to see which one is missing. */
function claimWords(payload: JWTPayload, rules: readonly OidcRule[]): string {
  const names = new Set([...rules.flatMap(({ claims }) => Object.keys(claims)), 'sub']);
  return [...names].map((name) => `${name} ${Object.hasOwn(payload, name) ? shown(payload[name]) : 'is missing'}`).join(', ');
}

/** What is wrong with a token itself; undefined: nobody can tell. */
function faultOf(error: unknown, rules: readonly OidcRule[]): string | undefined {
  if (error instanceof errors.JWTExpired) return `The job's token ended ${timeOf(error.payload.exp)}. Ask the forge for another.`;
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, payload } = error;
    if (claim === 'aud') {
      const expected = [...new Set(rules.map(({ audience }) => JSON.stringify(audience)))].join(' or ');
      return `The job's token is for audience ${shown(payload.aud)}; expected ${expected}.`;
    }
    if (claim === 'nbf') return `The job's token begins to be valid ${timeOf(payload.nbf)}, which is not yet.`;
    return `The job's token has no valid ${claim}.`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return `The job's token is not signed by an algorithm that is taken here: ${algorithms.join(', ')}.`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return `The signature of the job's token is wrong.`;
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return `The job's token is signed by a key that its issuer does not have.`;
  if (error instanceof errors.JWTInvalid || error instanceof errors.JWSInvalid) return `The job's token is no JWT that can be read.`;
  return undefined;
}

const timeOf = (seconds: unknown): string => {
  const time = new Date(Number(seconds) * 1_000);
  return Number.isNaN(time.getTime()) ? 'at no time' : `at ${time.toISOString()}`;
};

/** Of what a token says, which may be long. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

/** Forges that everybody may have a job at, and the claims by which they say whose it is. */
const everybodys: Readonly<Record<string, readonly string[]>> = {
  'https://token.actions.githubusercontent.com': [
    ...['repository', 'repository_id', 'repository_owner', 'repository_owner_id', 'enterprise', 'enterprise_id', 'sub'],
  ],
  'https://gitlab.com': ['project_path', 'project_id', 'namespace_path', 'namespace_id', 'sub'],
};

/** @throws Error for the operator. */
function assertRules(rules: readonly OidcRule[]): void {
  for (const [place, rule] of rules.entries()) {
    const { name, issuer, jwksUrl } = rule;
    const claims = Object.entries(rule.claims).filter(([claim]) => claim !== 'iss' && claim !== 'aud');
    if (rules.findIndex((other) => other.name === name) !== place) refuse(rule, 'There are two of this name. Give each its own.');
    for (const url of [issuer, ...(jwksUrl === undefined ? [] : [jwksUrl])])
      if (!isSafe(url)) refuse(rule, `${url} is not https: whoever is on the way could make tokens.`);
    if (rules.some((other) => other.issuer === issuer && other.jwksUrl !== jwksUrl))
      refuse(rule, `Rules of issuer ${issuer} have different jwksUrl. Give them the same.`);
    if (!claims.some(([, pattern]) => /[^*]/.test(pattern)))
      refuse(
        rule,
        `It names no claim but issuer and audience: every job at ${issuer} could ask. Name one, such as repository or project_path.`,
      );
    const whose = everybodys[issuer.replace(/\/$/, '')];
    if (whose !== undefined && !claims.some(([claim, pattern]) => whose.includes(claim) && namesOwner(pattern)))
      refuse(
        rule,
        `It does not say whose jobs may ask, and everybody has jobs at ${issuer}. Name one of ${whose.join(', ')} with no * at its start.`,
      );
  }
}

/** `repo:*` of a subject is everybody's too. */
const namesOwner = (pattern: string): boolean =>
  !pattern.replace(/^(repo|repository_owner|project_path|namespace_path):/, '').startsWith('*');

function refuse({ name }: OidcRule, words: string): never {
  throw new Error(`access.oidc: The rule "${name}" cannot be used. ${words}`);
}
