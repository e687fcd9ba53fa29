import { fileURLToPath } from 'node:url';

/** The folder into which the launcher brings programs: PRONGHORN_TOOLS, else .tools of this checkout. */
export function tools(): string {
  return process.env.PRONGHORN_TOOLS ?? fileURLToPath(new URL('../../../../.tools', import.meta.url));
}
