// How folders and servers of this machine are served.
import type { Command } from 'commander';
import type { TargetOptions } from '../local/targets.ts';

export const localOptions = (command: Command) =>
  command
    .option('--root <folder>', 'folder that is served as / (default: the topmost one named)')
    .option('--fallback <page>', 'page of the folder that answers where there is none, such as index.html')
    .option('--outside', 'let pages of folders and local servers load from other hosts', false)
    .option('--front', 'put nginx with HTTP/2 and HTTP/3 before servers on the loopback (default: unless --link is direct)')
    .option('--no-front', 'measure those servers directly');

export interface LocalOptions {
  root?: string;
  fallback?: string;
  outside: boolean;
  front?: boolean;
}

export const targetOptions = ({ root, fallback, front, link }: LocalOptions & { link: string }): TargetOptions => ({
  root,
  fallback,
  front: front ?? link !== 'direct',
});
