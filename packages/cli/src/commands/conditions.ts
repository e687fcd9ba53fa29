// Lists the conditions that a campaign can be run under, by name.
import { describeCondition } from '@pronghorn/core';
import type { DataFolder } from '../data.ts';
import { House } from '../house.ts';
import { table } from '../terminal.ts';

/** @param asJson prints them as a condition file holds them */
export async function listConditions(data: DataFolder, asJson: boolean): Promise<number> {
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
