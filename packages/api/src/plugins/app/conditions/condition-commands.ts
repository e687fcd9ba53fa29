import type { Condition } from '@pronghorn/core/schemas';
import { found, ProblemError } from '../../../shared/problems.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import { assertNoPreset, assertStorable } from '../../../tables/conditions-repository.ts';
import { assertUnchanged } from '../revalidation.ts';

export const conditionCommands = ({ conditions, audit }: Tables) => ({
  /** Stores a condition unless the same is stored. @throws ProblemError already-different, invalid-condition, preset-condition. */
  create(condition: Condition, caller: Caller): 'new' | 'same' {
    assertStorable(condition);
    const added = conditions.add(condition);
    if (added === 'different') {
      const { name } = condition;
      throw new ProblemError(
        'already-different',
        `Another condition is stored as ${name}. Change it by PUT /api/v1/conditions/${name}, or give this one another name.`,
      );
    }
    if (added === 'new') audit.of(caller, 'condition.create', condition.name);
    return added;
  },

  /** Stores a condition in place of the one of its name. @throws ProblemError invalid-condition, preset-condition, changed-meanwhile. */
  put(condition: Condition, caller: Caller): 'new' | 'replaced' {
    assertStorable(condition);
    assertUnchanged(caller, conditions.find(condition.name));
    const put = conditions.put(condition);
    audit.of(caller, put === 'new' ? 'condition.create' : 'condition.replace', condition.name);
    return put;
  },

  /** @throws ProblemError preset-condition, not-found, changed-meanwhile. */
  delete(name: string, caller: Caller): void {
    assertNoPreset(name);
    assertUnchanged(caller, found(conditions.find(name), `condition ${name} of yours`));
    conditions.delete(name);
    audit.of(caller, 'condition.delete', name);
  },
});
