import { once } from 'node:events';
import type { DataFolder } from '../data.ts';
import { House } from '../house.ts';
import { interruption } from '../interrupt.ts';

/** Shows what was measured in a browser page, until Ctrl-C. */
export async function serve(port: number, data: DataFolder): Promise<number> {
  const stop = interruption();
  const house = await House.open(data, port);
  console.log(`Results of ${data.path} are at ${house.url}/ until Ctrl-C.`);
  if (!stop.aborted) await once(stop, 'abort');
  await house.close();
  return 0;
}
