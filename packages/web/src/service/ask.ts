// The REST API for the dashboard: core's client, with the reader's cookie. docs/api.md describes the routes.
import {
  type Answer,
  ApiDenied,
  ApiRefusal,
  ApiUnavailable,
  allItems,
  Client,
  type Given,
  pathOf,
  type Route,
} from '@pronghorn/core/client';
import type { Page } from '@pronghorn/core/schemas';
import { hearTime } from './clock.ts';

/** Called when the service no longer knows the reader. */
let signedOut = () => {};
export function whenSignedOut(act: () => void): void {
  signedOut = act;
}

/** The service refuses, or does not answer: no fault of the page. */
export const isApiError = (error: unknown): error is ApiRefusal | ApiUnavailable =>
  error instanceof ApiRefusal || error instanceof ApiUnavailable;
/** The same request may succeed a little later. */
export const mayPass = (error: unknown): boolean => error instanceof ApiUnavailable;

/** Without a slash at the end. */
export const serviceUrl = (): string => new URL('.', document.baseURI).href.replace(/\/$/, '');

/** Whether this page's address leads nowhere from other machines. */
export const isOnlyHere = (): boolean => /^(?:127\.|localhost$|\[::1)/.test(location.hostname);

/** The address of a route, for links and downloads. */
export const addressOf = <R extends Route>(route: R, given = {} as Given<R>): string => `${serviceUrl()}/api/v1${pathOf(route, given)}`;

let made: Client | undefined;
/** Of a public link; null: the reader's cookie says who asks. */
let linkSecret: string | null = null;
/** From now on this page shows what the link opens, also to who is signed in. @param secret null: no longer */
export function askByLink(secret: string | null): void {
  linkSecret = secret;
  made = undefined;
}

function client(): Client {
  made ??= new Client({
    ...{ service: serviceUrl(), token: linkSecret, timeoutMs: null, fetch: timedFetch },
    ...{ refusalText: errorText, unavailableText: errorText },
  });
  return made;
}

function errorText({ what, status, detail }: { what: string; status: number | null; detail: string | undefined }): string {
  return detail ?? (status === null ? 'The Pronghorn service does not answer.' : `The service answered ${status} to ${what}.`);
}

const timedFetch: typeof fetch = async (...request) => {
  const sentAt = Date.now();
  const response = await fetch(...request);
  // An answer from the browser's cache has an old date.
  if (!response.headers.get('cache-control')?.includes('max-age')) hearTime(response.headers.get('date'), sentAt, Date.now());
  return response;
};

/** @throws ApiRefusal or ApiUnavailable; the signal's reason where the signal ended the request */
export async function ask<R extends Route>(route: R, given = {} as Given<R>): Promise<Answer<R>['body']> {
  try {
    return (await client().ask(route, given)).body;
  } catch (error) {
    if (error instanceof ApiDenied && error.status === 401 && linkSecret === null && !route.endsWith(' /session')) signedOut();
    throw error;
  }
}

/** The type of a route's items; `never` for a route without a list. */
export type ItemOf<R extends Route> = Answer<R>['body'] extends Page<infer Item> ? Item : never;
export type ListRoute = { [R in Route]: Answer<R>['body'] extends Page<unknown> ? R : never }[Route];

/** All items of a list, page by page, or its first `max`. Throws as `ask`. */
export const readList = <R extends ListRoute>(route: R, given = {} as Given<R>, max?: number): Promise<ItemOf<R>[]> =>
  allItems(
    (page) => ask(route, { ...given, query: { ...(given as { query?: object }).query, ...page } } as Given<R>) as Promise<Page<ItemOf<R>>>,
    { limit: 1000, ...(max !== undefined && { max }) },
  );
