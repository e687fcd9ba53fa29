// What the link of this machine does under each condition, beside what the condition says.
import { styleText } from 'node:util';
import type { LinkCheck } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { chooseBackend, linkTable, openLink } from '@pronghorn/runner';
import type { Command } from 'commander';
import { type ConditionWishes, resolveConditions } from '../conditions.ts';
import { type DataFolder, dataFolder } from '../data.ts';
import { House } from '../house.ts';
import {
  type ConditionedOptions,
  conditionWishes,
  customConditions,
  type LinkingOptions,
  linking,
  linkWishes,
} from '../options/measuring.ts';
import { dataOption } from '../options/place.ts';
import { table, wrap } from '../terminal.ts';
import type { LinkWishes } from './perform.ts';

/** Adds `link` with its command. */
export function addLinkCheck(program: Command): void {
  const link = program.command('link').description('the emulated network path between Chrome and the pages');
  linking(customConditions(link.command('check')))
    .description('measure what the link does under each condition, beside what the condition says')
    .argument('[condition...]', 'names of conditions; default: all')
    .option('--json', 'every number, as stored with a round')
    .addOption(dataOption())
    .action(async (names: string[], options: LinkingOptions & ConditionedOptions & { json?: true; data?: string }) => {
      const wishes = conditionWishes({ ...options, conditions: names }, []);
      process.exitCode = await linkCheck(wishes, {
        data: dataFolder(options.data),
        link: linkWishes(options),
        json: options.json === true,
      });
    });
}

/** @returns 0 when every condition is within tolerance, else 1 */
async function linkCheck(wishes: ConditionWishes, options: { data: DataFolder; link: LinkWishes; json: boolean }): Promise<number> {
  const house = await House.open(options.data);
  const { complete } = await (wishes.list.length === 0
    ? house.conditions().then((all) => resolveConditions(house, { ...wishes, list: all.map(({ name }) => name) }))
    : resolveConditions(house, wishes)
  ).finally(() => house.close());
  await chooseBackend(options.link.choice, complete);
  const started = performance.now();
  const link = await openLink({ ...options.link, conditions: complete, outside: false });
  const startMs = performance.now() - started;
  const checks: LinkCheck[] = [];
  try {
    for (const condition of complete) {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[Kmeasuring ${condition.name} (${checks.length + 1} of ${complete.length})`);
      checks.push(await link.measure(condition));
    }
  } finally {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    await link.close();
  }
  if (options.json) console.log(JSON.stringify(checks, null, 2));
  else print(checks, startMs);
  return checks.every(({ faults }) => faults.length === 0) ? 0 : 1;
}

function print(checks: readonly LinkCheck[], startMs: number): void {
  const { header, rows, left } = linkTable(checks);
  console.log(table(header, rows, left));
  for (const { condition, faults } of checks) for (const fault of faults) console.log(styleText('yellow', wrap(`${condition}: ${fault}`)));
  const out = checks.filter(({ faults }) => faults.length > 0).length;
  const verdict =
    out === 0
      ? `All ${counted(checks.length, 'condition')} within tolerance`
      : `${out} of ${counted(checks.length, 'condition')} out of tolerance`;
  console.log(
    styleText(
      'dim',
      wrap(`\n${verdict}. Link ${checks[0]?.backend}, kernel ${checks[0]?.kernel}, open after ${(startMs / 1_000).toFixed(1)} s.`),
    ),
  );
}
