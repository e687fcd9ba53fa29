export { type Answer, allItems, Client, type Given, itemsOf, type Route } from './client.ts';
export { ApiDenied, ApiRefusal, ApiUnavailable, reasonOf, retryAfterOf } from './errors.ts';
export { backoffMs, pause, type RetryPolicy, retrying } from './retry.ts';
