import { LRUCache } from 'lru-cache';

/** Keeps the newest answers by their keys: what is asked for again is not made again. */
export function remembered<Value extends object>(max: number): (key: string, make: () => Value) => Value {
  const cache = new LRUCache<string, Value, () => Value>({ max, memoMethod: (_key, _stale, { context }) => context() });
  return (key, make) => cache.memo(key, { context: make });
}
