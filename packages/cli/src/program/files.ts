// The data folder, and the files that options name.
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './errors.ts';

export interface DataFolder {
  path: string;
  database: string;
  evidence: string;
  origin: string;
  /** The option with which another command finds this folder, such as ` --data /tmp/x`; empty where it needs none. */
  flag: string;
}

/**
 * The folder named by --data or PRONGHORN_DATA, else .pronghorn in this checkout; created if missing.
 *
 * @throws UsageError when it can't be created
 */
export function dataFolder(named: string | undefined): DataFolder {
  const path = resolve(named ?? fileURLToPath(new URL('../../../../.pronghorn', import.meta.url)));
  try {
    // For its owner only. Root's can be passed through but not read: the demo's servers run as nobody, and their files are below.
    makeFolder(path, process.geteuid?.() === 0 ? 0o711 : 0o700);
  } catch (error) {
    throw new UsageError(`The data folder ${path} can't be created (${reasonOf(error)}). Name another with --data.`);
  }
  const isUsual = named === undefined || named === process.env.PRONGHORN_DATA;
  return {
    path,
    database: join(path, 'pronghorn.db'),
    evidence: join(path, 'evidence'),
    origin: join(path, 'origin'),
    flag: isUsual ? '' : ` --data ${quoted(named)}`,
  };
}

/**
 * Creates a folder and those above it. mkdir's own `recursive` never returns in Node 24 where a file system takes no folders, as below /proc.
 *
 * @param mode of the last one
 * @throws the system's error
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(path) !== path) {
      makeFolder(dirname(path));
      mkdirSync(path, mode);
    } else if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/** The system's reason, in words for common ones. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? (code || message);
}

const reasons: Record<string, string> = {
  EEXIST: 'a file of that name exists',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

// Opens for appending, so that an existing file stays as it is until there is something to write.
const append = (path: string) => closeSync(openSync(path, 'a'));

/** @throws UsageError naming the option, its path and what is wrong with that */
export function mustBeWritable(option: string, path: string | undefined, attempt: (path: string) => void = append): void {
  if (path === undefined) return;
  try {
    attempt(path);
  } catch (error) {
    throw new UsageError(`--${option} ${path} can't be written (${reasonOf(error)}). Name another path.`);
  }
}

/**
 * @param what the file is, such as The condition file, or the option that names it
 * @param hint what to do about it
 * @throws UsageError naming the file and what is wrong with it
 */
export function readText(file: string, what: string, hint = ''): string {
  try {
    return textOf(readFileSync(file)).replace(/^\ufeff/, '');
  } catch (error) {
    throw new UsageError(`${what} ${file} can't be read (${reasonOf(error)}).${hint}`);
  }
}

/** PowerShell writes UTF-16, and marks it. */
function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return Buffer.from(bytes.subarray(0, bytes.length & ~1))
      .swap16()
      .toString('utf16le');
  return bytes.toString('utf8');
}

/** As `readText`. */
export function readJson(file: string, what: string, hint = ''): unknown {
  const text = readText(file, what, hint);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} ${file} is not JSON (${(error as Error).message}).${hint}`);
  }
}

/** @param hint what to do where that fails. @throws UsageError naming the file and what is wrong with it */
export function writeText(file: string, text: string, hint: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${file} can't be written (${reasonOf(error)}). ${hint}`);
  }
}

/** Quoted for a shell. */
export function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
