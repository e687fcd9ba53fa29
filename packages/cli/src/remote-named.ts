// What a service keeps under names, such as schedules and gates.
import { itemsOf } from '@pronghorn/core/client';
import type { Page } from '@pronghorn/core/schemas';
import { UsageError } from './data.ts';
import { Refusal, type RemoteApi } from './remote.ts';

export type Named = { id: string; name: string };

/** All of a list, page by page. @param path such as /schedules */
export const itemsAt = <T>(api: RemoteApi, path: string): AsyncGenerator<T> =>
  itemsOf<T>(({ limit, cursor = '' }) => api.get(`${path}?limit=${limit}${cursor && `&cursor=${cursor}`}`));
export const allOf = <T>(api: RemoteApi, path: string): Promise<T[]> => Array.fromAsync(itemsAt<T>(api, path));

/** @param noun what it is, such as gate; with an s it is their path */
export async function findByName<T extends Named>(api: RemoteApi, noun: string, name: string): Promise<T | undefined> {
  return (await api.get<Page<T>>(`/${noun}s?name=${encodeURIComponent(name)}`)).items[0];
}

/**
 * The one of this name, else of this id.
 *
 * @param noun what it is, such as gate; with an s it is their path
 * @throws UsageError when there is none, with the names of those that there are
 */
export async function findNamed<T extends Named>(api: RemoteApi, noun: string, given: string): Promise<T> {
  const found = (given === '' ? undefined : await findByName<T>(api, noun, given)) ?? (await findById<T>(api, noun, given));
  if (found) return found;
  const names = (await allOf<T>(api, `/${noun}s`)).map(({ name }) => `"${name}"`).join(', ');
  throw new UsageError(`There is no ${noun} "${given}"; ${names === '' ? 'there are none' : `there are ${names}`}.`);
}

async function findById<T>(api: RemoteApi, noun: string, id: string): Promise<T | undefined> {
  if (!/^\d+$/.test(id)) return undefined;
  try {
    return await api.get<T>(`/${noun}s/${id}`);
  } catch (error) {
    if (error instanceof Refusal && error.problem.status === 404) return undefined;
    throw error;
  }
}
