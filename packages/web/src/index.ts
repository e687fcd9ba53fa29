// The dashboard as files: what a server of static files needs to know.
import { fileURLToPath } from 'node:url';

/** Absolute path of the folder to serve at `/`. It needs the REST API of packages/api under `/api/v1` of the same origin. */
export const webRoot: string = fileURLToPath(new URL('../public', import.meta.url));
