// HTTPS records of a page's hosts, asked for from where its visits stand: of the resolver that the link has, over the link.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ServiceBinding } from '@pronghorn/core/adoption';
import type { Place } from '../chrome/launch.ts';

const program = fileURLToPath(new URL('https-records-program.ts', import.meta.url));
/** Hundreds of names, of which some are never answered. */
const atMostMs = 60_000;

/**
 * @param names as `httpsRecordName` makes them
 * @param place where the program is started: nameservers are asked from there
 * @returns the bindings of each name that was answered, an empty list where it has none; names that nobody answered are missing
 */
export async function askHttpsRecords(names: readonly string[], { enter, fence }: Place): Promise<Map<string, ServiceBinding[]>> {
  if (names.length === 0) return new Map();
  const [command = '', ...args] = [...enter, ...(fence?.around ?? []), process.execPath, '--disable-warning=ExperimentalWarning', program];
  const said = await new Promise<string>((resolve) => {
    const child = execFile(command, args, { timeout: atMostMs, killSignal: 'SIGKILL', maxBuffer: 16 * 2 ** 20 }, (error, stdout) =>
      // What can't be asked is not known; discovery goes on by Alt-Svc.
      resolve(error === null ? stdout : '{}'),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(JSON.stringify(names));
  });
  return new Map(Object.entries(JSON.parse(said) as Record<string, ServiceBinding[]>));
}
