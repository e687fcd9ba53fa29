// Schemathesis, an API fuzzer, in .tools: brought by pip when it is first needed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The one that this was written with; it runs on Python 3.10 and later. */
const version = '4.32.5';
const folder = fileURLToPath(new URL('../../../.tools/schemathesis', import.meta.url));

/**
 * @returns the path of its command, or why there is none, in words.
 */
export function findSchemathesis(): { command: string } | { missing: string } {
  const command = `${folder}/${version}/bin/st`;
  if (existsSync(command)) return { command };
  const python = spawnSync('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'], { stdio: 'ignore' });
  if (python.status !== 0) return { missing: 'schemathesis needs Python 3.10 or later with venv (Debian: apt install python3-venv)' };
  const made = spawnSync('python3', ['-m', 'venv', `${folder}/${version}`], { encoding: 'utf8' });
  const installed = spawnSync(`${folder}/${version}/bin/pip`, ['install', '--quiet', `schemathesis==${version}`], { encoding: 'utf8' });
  if (made.status === 0 && installed.status === 0 && existsSync(command)) return { command };
  return { missing: `pip could not install schemathesis ${version}: ${(made.stderr || installed.stderr || '').trim().split('\n').at(-1)}` };
}
