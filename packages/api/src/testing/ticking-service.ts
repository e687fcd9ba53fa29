// An api whose clock and loops a test moves: reads times (milliseconds since 1970) from standard input, one on a line, does what is due
// by then, and says so on standard output.
// node ticking-service.ts DATABASE EVIDENCE scheduler|notifications
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { buildApi } from '../app.ts';

const [database = '', evidenceDirectory = '', loop = 'scheduler'] = process.argv.slice(2);
let now = 0;
const app = await buildApi({ database, evidenceDirectory, now: () => now });
writeSync(1, 'ready\n');
for await (const line of createInterface(process.stdin)) {
  now = Number(line);
  await app[loop === 'scheduler' ? 'scheduler' : 'notifications'].tick();
  writeSync(1, 'done\n');
}
await app.close();
