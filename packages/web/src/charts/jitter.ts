// Where dots that share a row stand across it: by chance, yet the same visit at the same place whenever and wherever it is drawn.

/** In [−1, 1), by the id alone (FNV-1a). */
export function jitterOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  // Its low bits are the last character's: spread them.
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 31 - 1;
}
