// Several processes on one database, whose clocks a test moves together. Run as a program it is one of them: an api whose clock and loops a test
// moves. It reads times (milliseconds since 1970) from standard input, one on a line, does what is due by then, and says so on standard output.
// node ticking-services.ts OPTIONS(JSON) scheduler|notifications
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { sayAtOnce } from '@pronghorn/core/testing';
import { type ApiOptions, buildApi } from '../app.ts';

/** @returns what makes all of them do at the same moment what is due by a time, and waits until they have. */
export async function tickingServices(
  t: TestContext,
  count: number,
  options: Pick<ApiOptions, 'database' | 'evidenceDirectory' | 'threads'>,
  loop: 'scheduler' | 'notifications',
): Promise<(time: number) => Promise<void>> {
  const services = await Promise.all(
    Array.from({ length: count }, async () => {
      const script = import.meta.filename;
      const child = spawn(process.execPath, [script, JSON.stringify(options), loop], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      t.after(async () => {
        child.stdin.end();
        if (child.exitCode === null) await once(child, 'exit');
      });
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      const said = async (word: string) => {
        const { value } = await lines.next();
        if (value !== word) throw new Error(`a service said ${value ?? 'nothing more'}; expected ${word}`);
      };
      await said('ready');
      return { child, said };
    }),
  );
  return async (time) => {
    for (const { child } of services) child.stdin.write(`${time}\n`);
    await Promise.all(services.map(({ said }) => said('done')));
  };
}

if (import.meta.main) {
  const [options = '', loop = 'scheduler'] = process.argv.slice(2);
  let now = 0;
  const app = await buildApi({ ...JSON.parse(options), now: () => now });
  sayAtOnce('ready');
  for await (const line of createInterface(process.stdin)) {
    now = Number(line);
    await app[loop === 'scheduler' ? 'scheduler' : 'notifications'].tick();
    sayAtOnce('done');
  }
  await app.close();
}
