// The documented command for a container for each visit, on a project's network and with its label.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { label, type Project } from './engine.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Label of containers that perform a visit. */
export const visitLabel = 'pronghorn.visit';

/** @param images prefix of the project's image names */
export function documentedVisitCommand(project: Project, images: string): string {
  const command = /--visit-command \\\n\s+'(docker run [^']*)'/.exec(readFileSync(`${root}/docs/containers.md`, 'utf8'))?.[1];
  if (command === undefined) throw new Error('docs/containers.md has no --visit-command by docker run.');
  const mine = `docker run --label ${label}=${project.name} --label ${visitLabel} --network ${project.name}_lab`;
  return `cd '${root}' && exec ${command.replace('docker run', mine).replace('localhost/pronghorn/runner:dev', `${images}/runner:dev`)}`;
}
