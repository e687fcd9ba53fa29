export { type Answer, Client, pagesOf, type Request } from './client.ts';
export { ApiDenied, ApiRefusal, ApiUnavailable, reasonOf, retryAfterOf } from './errors.ts';
export { backoffMs, pause, retrying } from './retry.ts';
