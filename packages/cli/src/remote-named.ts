// What a service keeps under names, such as schedules and gates.
import type { Page } from '@pronghorn/core';
import { UsageError } from './data.ts';
import type { RemoteApi } from './remote.ts';

/** All of a list, page by page. @param path such as /schedules */
export async function allOf<T>(api: RemoteApi, path: string): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page<T> = await api.get(`${path}?limit=100${cursor && `&cursor=${cursor}`}`);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/**
 * The one of this name, else of this id.
 *
 * @param noun what it is, such as gate; with an s it is their path
 * @throws UsageError when there is none, with the names of those that there are
 */
export async function findNamed<T extends { id: string; name: string }>(api: RemoteApi, noun: string, given: string): Promise<T> {
  const all = await allOf<T>(api, `/${noun}s`);
  const found = all.find(({ name }) => name === given) ?? all.find(({ id }) => id === given);
  if (found) return found;
  const names = all.map(({ name }) => `"${name}"`).join(', ');
  throw new UsageError(`There is no ${noun} "${given}"; ${names === '' ? 'there are none' : `there are ${names}`}.`);
}
