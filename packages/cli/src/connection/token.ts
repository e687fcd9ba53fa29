// The token that requests carry: one that options, a file or the environment name, else what GitHub or GitLab signs for their job (OpenID Connect).
import { setTimeout as delay } from 'node:timers/promises';
import { UsageError } from '../program/errors.ts';
import { readText } from '../program/files.ts';

/** What a request carries: a token, a function that fetches the job's own when needed, or none. */
export type Token = string | JobToken | null;
/** @param service its address, the audience where none is named. @throws Error where the forge gives none */
type JobToken = (service: string) => Promise<string>;

export interface TokenOptions {
  token?: string;
  tokenFile?: string;
}
export interface AskingOptions extends TokenOptions {
  audience?: string;
}

/** The named token, else that of the GitHub or GitLab job that this is. @throws UsageError as namedToken */
export const tokenOf = ({ audience, ...options }: AskingOptions, environment = process.env): Token =>
  namedToken(options, environment.PRONGHORN_TOKEN) ?? jobTokenOf(environment, audience);

/**
 * The command line goes before the environment.
 *
 * @returns null when none is given
 * @throws UsageError when the file can't be read or is empty
 */
export function namedToken({ token, tokenFile }: TokenOptions, environment = process.env.PRONGHORN_TOKEN): string | null {
  if (tokenFile === undefined) return (token ?? environment)?.trim() || null;
  const content = readText(tokenFile, 'The token file').trim();
  if (content === '') throw new UsageError(`The token file ${tokenFile} is empty; expected one line with a token.`);
  return content;
}

/** A token is replaced this long before it expires, so that it is still valid on arrival. */
const marginMs = 60_000;
/** For a token that does not say how long it lasts. */
const shortMs = 4 * 60_000;
const waitsMs = [500, 1_000, 2_000];
const timeoutMs = 10_000;

/**
 * GitLab puts a token into the variable that the job's `id_tokens:` names; GitHub answers requests for one in jobs with the permission
 * `id-token: write`.
 *
 * @param audience default: the service's address; GitLab's is in the job's file.
 * @returns null where this is neither.
 */
export function jobTokenOf(
  { PRONGHORN_ID_TOKEN, ACTIONS_ID_TOKEN_REQUEST_URL, ACTIONS_ID_TOKEN_REQUEST_TOKEN }: NodeJS.ProcessEnv,
  audience?: string,
): JobToken | null {
  const given = PRONGHORN_ID_TOKEN?.trim();
  if (given) return async () => given;
  if (!ACTIONS_ID_TOKEN_REQUEST_URL || !ACTIONS_ID_TOKEN_REQUEST_TOKEN) return null;
  const [url, secret] = [ACTIONS_ID_TOKEN_REQUEST_URL, ACTIONS_ID_TOKEN_REQUEST_TOKEN];
  let cached: { token: Promise<string>; until: number } | undefined;
  return (service) => {
    if (cached !== undefined && Date.now() < cached.until) return cached.token;
    const fetched = { token: fromGithub(url, secret, audience ?? service), until: Number.POSITIVE_INFINITY };
    cached = fetched;
    fetched.token.then(
      (token) => {
        fetched.until = Date.now() + lastingMs(token) - marginMs;
      },
      () => {
        cached = undefined;
      },
    );
    return fetched.token;
  };
}

async function fromGithub(given: string, secret: string, audience: string): Promise<string> {
  const url = URL.parse(given);
  if (url === null) throw new Error(`ACTIONS_ID_TOKEN_REQUEST_URL is "${given}"; expected the URL that GitHub sets.`);
  url.searchParams.set('audience', audience);
  for (let tries = 0; ; tries++) {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const headers = { authorization: `Bearer ${secret}`, accept: 'application/json' };
      const answer = await fetch(url, { headers, signal, redirect: 'error' });
      if (!answer.ok) throw new Error(`it answered ${answer.status} ${answer.statusText}`);
      const { value } = (await answer.json()) as { value?: unknown };
      if (typeof value !== 'string' || value === '') throw new Error('its answer has no token');
      return value;
    } catch (error) {
      const waitMs = waitsMs[tries];
      if (waitMs !== undefined) {
        await delay(waitMs);
        continue;
      }
      const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
      throw new Error(
        `GitHub gave no token for this job (${cause?.code ?? message}). Run the job again, or give a token with --token-file or PRONGHORN_TOKEN.`,
      );
    }
  }
}

/** By the token's own times, since this machine's clock may differ from GitHub's. */
function lastingMs(jwt: string): number {
  try {
    const { iat, exp } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as { iat?: number; exp?: number };
    if (iat !== undefined && exp !== undefined) return (exp - iat) * 1_000;
  } catch {} // the service judges tokens
  return shortMs;
}
