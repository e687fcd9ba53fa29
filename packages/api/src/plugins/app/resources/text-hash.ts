/**
 * A number by which a text is found: 32 bits of FNV-1a over its UTF-16 units. Texts of the same number are told apart by comparing them.
 *
 * Stored with every text: another function needs a migration. Source: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
 */
export function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place++) {
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  }
  return hash >>> 0;
}
