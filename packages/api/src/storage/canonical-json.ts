import { createHash } from 'node:crypto';

/** JSON with the keys of every object in alphabetical order: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, nested: unknown) =>
    nested !== null && typeof nested === 'object' && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  );
}

/** SHA-256 of a value's canonical JSON: the same content, the same 32 bytes. */
export const contentHash = (value: unknown): Buffer => createHash('sha256').update(canonicalJson(value)).digest();
