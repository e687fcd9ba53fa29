export { type AgentEvents, type AgentOptions, runAgent } from './agent.ts';
export { checkChrome } from './chrome/check.ts';
export { findChrome } from './chrome/find.ts';
export { sweep } from './chrome/run-folder.ts';
export type { Engine, Lab, Load, Loaded } from './engines/engine.ts';
export { puppeteerEngine } from './engines/puppeteer.ts';
export { processIdentity } from './machine/process-identity.ts';
