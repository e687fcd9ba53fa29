import type { SiteTags } from '@pronghorn/core/schemas';
import { found } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import { assertUnchanged } from '../revalidation.ts';

export const siteCommands = ({ audit, sites }: Pick<Tables, 'audit' | 'sites'>) => ({
  /** @throws ProblemError not-found, changed-meanwhile. */
  setTags(id: string, { tags }: SiteTags, caller: Caller): void {
    const siteId = rowId(id);
    found(sites.listedOne(siteId), `site ${id}`);
    const before = sites.tagsOf(siteId);
    assertUnchanged(caller, { tags: before } satisfies SiteTags);
    const sorted = [...tags].sort();
    if (JSON.stringify(sorted) === JSON.stringify(before)) return;
    sites.setTags(siteId, sorted);
    audit.of(caller, 'site.tag', siteId, { tags: sorted });
  },
});
