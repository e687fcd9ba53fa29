// Schemathesis, an API fuzzer, in .tools: brought by pip when it is first needed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The one that this was written with; it runs on Python 3.10 and later. */
const version = '4.32.5';
const folder = fileURLToPath(new URL('../../../.tools/schemathesis', import.meta.url));

/**
 * @returns the start of its command line, or why there is none, in words. By Python's `-m`: the scripts that pip writes name the folder in which
 * they were written, and are lost where that moves.
 */
export function findSchemathesis(): { command: readonly [program: string, ...args: string[]] } | { missing: string } {
  const program = `${folder}/${version}/bin/python`;
  const command = [program, '-m', 'schemathesis.cli'] as const;
  if (existsSync(`${folder}/${version}/bin/st`)) return { command };
  const python = spawnSync('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'], { stdio: 'ignore' });
  if (python.status !== 0) return { missing: 'schemathesis needs Python 3.10 or later with venv (Debian: apt install python3-venv)' };
  const made = spawnSync('python3', ['-m', 'venv', `${folder}/${version}`], { encoding: 'utf8' });
  const installed = spawnSync(program, ['-m', 'pip', 'install', '--quiet', `schemathesis==${version}`], { encoding: 'utf8' });
  if (made.status === 0 && installed.status === 0) return { command };
  return { missing: `pip could not install schemathesis ${version}: ${(made.stderr || installed.stderr || '').trim().split('\n').at(-1)}` };
}
