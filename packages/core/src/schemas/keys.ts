/** The keys of an object literal, typed; only for literals, where no unknown key can hide. */
export function literalKeys<T extends object>(literal: T): (keyof T & string)[] {
  return Object.keys(literal) as (keyof T & string)[];
}
