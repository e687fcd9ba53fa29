export { type Answer, allItems, Client, type Given, itemsOf, pathOf, type Route } from './client.ts';
export { ApiDenied, ApiRefusal, ApiUnavailable, reasonOf, retryAfterOf } from './errors.ts';
export { backoffMs, pause, type RetryPolicy, retrying } from './retry.ts';
