// Texts that no visit with resources uses any longer are deleted in two passes of many steps: the first reads what visits use, which locks nothing; the
// second deletes what was not seen, each time after reading what came meanwhile. So it is right beside uploads of this process and of others.
import type { Store } from '../../../store/store.ts';
import type { Tables } from '../../../store/tables.ts';

export const createTextReads = ({ resources }: Pick<Tables, 'resources'>) => ({
  /** What a sweep begins with; undefined: nothing was removed since the last one. @returns the removal that it is for, and the newest text. */
  unswept(): { removal: number; newest: number } | undefined {
    const removal = resources.removal();
    return removal === undefined ? undefined : { removal, newest: resources.newestText() };
  },
  usedAfter: resources.textsUsedAfter,
  after: resources.textsAfter,
});

export const textCommands = ({ resources }: Pick<Tables, 'resources'>) => ({
  /**
   * Deletes texts that visits up to one do not use, unless later ones do.
   * @param removal given with the last texts: then none is unused. @returns the last of the later visits, and all texts that they use.
   */
  deleteUnused(ids: readonly number[], usedThrough: number, removal: number | null): { through: number; used: Set<number> } {
    const used = new Set<number>();
    let through = usedThrough;
    for (let isLast = false; !isLast; ) {
      const some = resources.textsUsedAfter(through, 1_000);
      for (const id of some.ids) used.add(id);
      ({ through, isLast } = some);
    }
    for (const id of ids) if (!used.has(id)) resources.deleteText(id);
    if (removal !== null) resources.noteSwept(removal);
    return { through, used };
  },
});

/**
 * @returns undefined where nothing was removed since the last sweep; else what takes a step of so many visits or texts, and says whether it was the
 *   last.
 */
export async function createSweep(texts: Store['texts']): Promise<((size: number) => Promise<boolean>) | undefined> {
  const begin = await texts.unswept();
  if (begin === undefined) return undefined;
  const { removal, newest } = begin;
  const bits = new Uint8Array((newest >> 3) + 1); // a bit for each text; those that come later are not looked at
  const isUsed = (id: number) => ((bits[id >> 3] ?? 0) & (1 << (id & 7))) !== 0;
  const note = (ids: Iterable<number>) => {
    for (const id of ids) if (id <= newest) bits[id >> 3] = (bits[id >> 3] ?? 0) | (1 << (id & 7));
  };
  let [seen, swept, isRead] = [0, 0, false];

  async function read(atMost: number): Promise<void> {
    const { through, ids, isLast } = await texts.usedAfter(seen, atMost);
    note(ids);
    [seen, isRead] = [through, isLast];
  }
  async function deleteSome(atMost: number): Promise<boolean> {
    const ids = (await texts.after(swept, atMost)).filter((id) => id <= newest);
    const isLast = ids.length < atMost;
    const { through, used } = await texts.deleteUnused(
      ids.filter((id) => !isUsed(id)),
      seen,
      isLast ? removal : null,
    );
    note(used);
    seen = through;
    swept = ids.at(-1) ?? swept;
    return isLast;
  }
  return async (size) => {
    if (isRead) return deleteSome(size);
    await read(Math.ceil(size / 10)); // a visit has some hundred texts
    return false;
  };
}
