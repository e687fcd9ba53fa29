// Measures what this machine's link does under each condition, beside what it should do.

import type { Condition, LinkCheck } from '@pronghorn/core/schemas';
import { counted, describeCondition } from '@pronghorn/core/text';
import { conditionSets } from '@pronghorn/core/vocabulary';
import { chooseBackend, linkTable, openLink } from '@pronghorn/runner';
import { LocalService } from '../connection/local-service.ts';
import { type ConditionWishes, conditionWishes, resolveConditions } from '../measure/request.ts';
import { type ConditionedOptions, type LinkingOptions, linkWishes } from '../options/measuring.ts';
import { type DataFolder, dataFolder } from '../program/files.ts';
import { dim, redraw, table, yellow } from '../program/terminal.ts';

export type LinkCheckOptions = LinkingOptions & ConditionedOptions & { json?: true; data?: string };

/** @returns 0 when every condition is within tolerance, else 1 */
export async function linkCheck(conditions: string[], options: LinkCheckOptions): Promise<number> {
  const wishes = conditionWishes({ ...options, conditions }, []);
  const path = linkWishes(options);
  const complete = await conditionsOf(wishes, dataFolder(options.data));
  await chooseBackend(path.choice, complete);
  const started = performance.now();
  const link = await openLink({ ...path, conditions: complete, outside: false });
  const startMs = performance.now() - started;
  const checks: LinkCheck[] = [];
  try {
    for (const condition of complete) {
      redraw(`measuring ${condition.name} (${checks.length + 1} of ${complete.length})`);
      checks.push(await link.measure(condition));
    }
  } finally {
    redraw();
    await link.close();
  }
  if (options.json) console.log(JSON.stringify(checks, null, 2));
  else print(checks, startMs);
  return checks.every(({ faults }) => faults.length === 0) ? 0 : 1;
}

/** Those of the options, else all. */
async function conditionsOf(wishes: ConditionWishes, data: DataFolder): Promise<Condition[]> {
  await using service = await LocalService.open(data);
  const list = wishes.list.length > 0 ? wishes.list : (await service.conditions()).map(({ name }) => name);
  return (await resolveConditions(service, { ...wishes, list })).complete;
}

function print(checks: readonly LinkCheck[], startMs: number): void {
  const { header, rows, left } = linkTable(checks);
  console.log(table(header, rows, left));
  for (const { condition, faults } of checks) for (const fault of faults) console.log(yellow(`${condition}: ${fault}`));
  const out = checks.filter(({ faults }) => faults.length > 0).length;
  const verdict =
    out === 0
      ? `All ${counted(checks.length, 'condition')} within tolerance`
      : `${out} of ${counted(checks.length, 'condition')} out of tolerance`;
  console.log(dim(`\n${verdict}. Link ${checks[0]?.backend}, kernel ${checks[0]?.kernel}, open after ${(startMs / 1_000).toFixed(1)} s.`));
}

/** @param options.json prints the format of a condition file */
export async function listConditions({ data, json }: { json?: true; data?: string }): Promise<number> {
  await using service = await LocalService.open(dataFolder(data));
  const conditions = await service.conditions();
  if (json) {
    console.log(JSON.stringify(conditions, null, 2));
    return 0;
  }
  const listed = conditions.map((condition) => [condition.name, describeCondition(condition)]);
  console.log(table(['condition', 'what it does to packets'], listed, [0, 1]));
  console.log(
    `\n${table(
      ['set', 'conditions that its name stands for'],
      conditionSets.map(({ name, conditions }) => [name, conditions.join(', ')]),
      [0, 1],
    )}`,
  );
  return 0;
}
