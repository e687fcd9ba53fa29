// Where files of evidence lie below their folder.
import { statSync } from 'node:fs';
import { join } from 'node:path';

/** @param hash SHA-256 of the content, in hex: its name. Files are spread over 256 folders by its first two digits. */
export const evidencePath = (directory: string, hash: string): string => join(directory, hash.slice(0, 2), hash);

/** Of what is being received, before it has a hash. */
export const incomingPath = (directory: string, name = ''): string => join(directory, 'incoming', name);

/** Undefined: there is no such file. */
export const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

/** What was being received for longer than this is of a process that died. */
export const staleMs = 3_600_000;
