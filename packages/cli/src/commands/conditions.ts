// Lists the conditions that a campaign can be run under, by name.
import { describeCondition } from '@pronghorn/core/text';
import type { Command } from 'commander';
import { type DataFolder, dataFolder } from '../data.ts';
import { House } from '../house.ts';
import { dataOption } from '../options/place.ts';
import { table } from '../terminal.ts';

export function addConditions(program: Command): void {
  program
    .command('conditions')
    .description('list the network conditions that are known, with their numbers')
    .option('--json', 'as a condition file holds them')
    .addOption(dataOption())
    .action(async ({ data, json = false }: { json?: boolean; data?: string }) => {
      process.exitCode = await listConditions(dataFolder(data), json);
    });
}

/** @param asJson prints them as a condition file holds them */
async function listConditions(data: DataFolder, asJson: boolean): Promise<number> {
  const house = await House.open(data);
  try {
    const conditions = await house.conditions();
    if (asJson) console.log(JSON.stringify(conditions, null, 2));
    else
      console.log(
        table(
          ['condition', 'what it does to packets'],
          conditions.map((condition) => [condition.name, describeCondition(condition)]),
          [0, 1],
        ),
      );
    return 0;
  } finally {
    await house.close();
  }
}
