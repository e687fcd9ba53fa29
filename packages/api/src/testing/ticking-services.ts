// Several processes on one database, whose clocks a test moves together.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

/** @returns what makes all of them do at the same moment what is due by a time, and waits until they have. */
export async function tickingServices(
  t: TestContext,
  count: number,
  paths: { database: string; evidenceDirectory: string },
  loop: 'scheduler' | 'notifications',
): Promise<(time: number) => Promise<void>> {
  const services = await Promise.all(
    Array.from({ length: count }, async () => {
      const script = join(import.meta.dirname, 'ticking-service.ts');
      const child = spawn(process.execPath, [script, paths.database, paths.evidenceDirectory, loop], {
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
