import { readFileSync } from 'node:fs';

/** Of this Pronghorn, such as 0.1.0. */
export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
