export { type Api, type ApiOptions, buildApi } from './app.ts';
export { type RunningApi, startApi } from './server.ts';
