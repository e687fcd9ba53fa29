// The command for a container for each visit as the documentation has it, on a project's network and labelled as the project's.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { label, type Project } from './engine.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Of containers that perform a visit. */
export const visitLabel = 'pronghorn.visit';

/** @param images what the project's images are named by */
export function documentedVisitCommand(project: Project, images: string): string {
  const found = /--visit-command \\\n\s+'(docker run [^']*)'/.exec(readFileSync(`${root}/docs/containers.md`, 'utf8'))?.[1];
  if (found === undefined) throw new Error('docs/containers.md has no --visit-command by docker run.');
  const mine = `docker run --label ${label}=${project.name} --label ${visitLabel} --network ${project.name}_lab`;
  return `cd '${root}' && exec ${found.replace('docker run', mine).replace('localhost/pronghorn/runner:dev', `${images}/runner:dev`)}`;
}
