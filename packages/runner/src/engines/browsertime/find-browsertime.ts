// Where browsertime and what it starts are on this machine. The launcher brings all of it when it is first asked for.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { findChrome, isExecutable, onPath, tools } from '../../machine/find.ts';

export interface Found {
  version: string;
  /** Its folder. */
  package: string;
  chrome: string;
  chromedriver: string;
  /** What a video takes; undefined: not asked for. */
  video: { xvfb: string; ffmpeg: string; python: string } | undefined;
}

/**
 * @param video whether SpeedIndex is wanted too
 * @throws Error that names all that is missing and says how to bring it
 */
export function findBrowsertime(video: boolean): Found {
  const folder = join(tools(), 'browsertime', 'node_modules', 'browsertime');
  const version = versionOf(folder);
  const chromedriver = executable('chromedriver', 'PRONGHORN_CHROMEDRIVER');
  const xvfb = executable('Xvfb');
  const ffmpeg = executable('ffmpeg');
  const python = pythonWithPictures();
  const missing = [
    ...(version === undefined ? ['browsertime itself'] : []),
    ...(chromedriver === undefined ? ['chromedriver (package chromium-driver, or named by PRONGHORN_CHROMEDRIVER)'] : []),
    ...(video && xvfb === undefined ? ['Xvfb (package xvfb)'] : []),
    ...(video && ffmpeg === undefined ? ['ffmpeg (package ffmpeg)'] : []),
    ...(video && python === undefined ? ['Python with numpy and Pillow (packages python3-numpy and python3-pil)'] : []),
  ];
  if (missing.length > 0 || version === undefined || chromedriver === undefined) {
    throw new Error(
      `The engine browsertime lacks ${missing.join(', ')}. \`./pronghorn doctor --engine browsertime\` brings what is missing; see docs/engines.md.`,
    );
  }
  const all = video && xvfb !== undefined && ffmpeg !== undefined && python !== undefined ? { xvfb, ffmpeg, python } : undefined;
  return { version, package: folder, chrome: findChrome('chrome'), chromedriver, video: all };
}

function versionOf(folder: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
  } catch {
    return undefined;
  }
}

function executable(name: string, variable = ''): string | undefined {
  const named = process.env[variable];
  const candidates = named ? [named] : [...onPath(name), `/usr/bin/${name}`, `/usr/local/bin/${name}`].filter(isAbsolute);
  return candidates.find(isExecutable);
}

let python: string | undefined;

/** The system's, whose packages the launcher installs, before another that stands first in PATH. */
function pythonWithPictures(): string | undefined {
  const candidates = ['/usr/bin/python3', executable('python3')].filter((path) => path !== undefined);
  python ??= candidates.find((path) => spawnSync(path, ['-c', 'import numpy, PIL'], { stdio: 'ignore' }).status === 0);
  return python;
}
