export { type Answer, Client, type Given, itemsOf, type Message, type Route } from './client.ts';
export { ApiDenied, ApiRefusal, ApiUnavailable, reasonOf, retryAfterOf } from './errors.ts';
export { backoffMs, pause, retrying } from './retry.ts';
