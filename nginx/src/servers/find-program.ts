// Looks for a server's program: named by the user, brought by an installer, or the system's.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../../../', import.meta.url));

export interface Search {
  /** The program's name, its folder's below the tools, and its variable's after PRONGHORN_. */
  program: 'nginx' | 'caddy';
  /** What it must be, for messages. */
  wanted: string;
  /** The script that brings it, below the checkout. */
  installer: string;
  /** That it must have; undefined: any. */
  version: string | undefined;
  /** What keeps a program from being used, such as "is without HTTP/3"; undefined when it will do. Not asked of what anybody named or brought without a version. */
  lacks(path: string): string | undefined;
}

/**
 * With a version, the one that was brought for it. Without, `PRONGHORN_NAME`; else the one that was brought, in `$PRONGHORN_TOOLS` or .tools of the checkout; else one of the system.
 * @throws {Error} that says what was looked at and what to do.
 */
export function findProgram({ program, wanted, installer, version, lacks }: Search): string {
  const brings = process.env.PRONGHORN_TOOLS || join(checkout, '.tools');
  if (version !== undefined) {
    const folder = join(brings, `${program}-${version}`);
    const path = join(folder, program);
    if (!isExecutable(path)) throw new Error(`no ${wanted}: there is none at ${path}. Run ${installer} ${folder} ${version}`);
    const reason = lacks(path);
    if (reason !== undefined) throw new Error(`no ${wanted}: ${path} ${reason}`);
    return path;
  }
  const variable = `PRONGHORN_${program.toUpperCase()}`;
  const named = process.env[variable];
  if (named) {
    if (!isExecutable(named)) throw new Error(`${variable} names ${named}, which is not an executable file`);
    return named;
  }
  const tools = join(brings, program);
  const brought = join(tools, program);
  if (isExecutable(brought)) return brought;
  const folders = [...(process.env.PATH ?? '').split(':').filter(Boolean), '/usr/sbin', '/usr/local/sbin'];
  const found = [...new Set(folders.map((folder) => join(folder, program)))].filter(isExecutable);
  const reasons: string[] = [];
  for (const path of found) {
    const reason = lacks(path);
    if (reason === undefined) return path;
    reasons.push(`${path} ${reason}`);
  }
  throw new Error(
    `no ${wanted}: there is none at ${brought}, and ${reasons.length > 0 ? reasons.join(', ') : 'the system has none'}. ` +
      `Run ${installer} ${tools}, or let ${variable} name one`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
