import { once } from 'node:events';
import type { DataFolder } from '../data.ts';
import { House } from '../house.ts';

/** Shows what was measured in a browser page, until Ctrl-C. */
export async function serve(port: number, data: DataFolder): Promise<number> {
  const house = await House.open(data, port);
  console.log(`Results of ${data.path} are at ${house.url}/ until Ctrl-C.`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await house.close();
  return 0;
}
