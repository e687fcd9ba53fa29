// A reporter for `node --test`: a line of JSON for each test and suite that ended, and for each process that ended otherwise.
import { resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** A test or suite that ended. */
export interface Ended {
  /** Where it is declared. */
  file: string;
  line: number;
  name: string;
  /** 0: at the top of its file. */
  nesting: number;
  ms: number;
  /** Why it was skipped; undefined where it ran. */
  skipped?: string;
  /** The error of one that failed; empty where one inside of it failed. */
  failed?: string;
}

export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { data } = event;
    // A file that ended before its summary, killed or by process.exit, fails as a test of its path. Others of that name are its process.
    const isFile = resolve(data.name) === data.file;
    if (isFile && event.type === 'test:pass') continue;
    const ended: Ended = {
      file: data.file ?? '',
      line: data.line ?? 0,
      name: data.name,
      nesting: data.nesting,
      ms: data.details.duration_ms,
    };
    if (data.skip !== undefined && data.skip !== false) ended.skipped = String(data.skip);
    // One that is still to be made to pass proves nothing.
    const isTodo = data.todo !== undefined && data.todo !== false;
    if (isTodo) ended.skipped ??= 'it is still to be done';
    if (event.type === 'test:fail' && !isTodo) {
      const { error } = event.data.details;
      const isInside = 'failureType' in error && error.failureType === 'subtestsFailed';
      const { exitCode, signal } = error as Error & { exitCode?: number | null; signal?: string | null };
      ended.failed = isInside ? '' : isFile ? `its process ended by ${signal ?? `exit code ${exitCode}`}` : wordsOf(error.cause ?? error);
    }
    yield `${JSON.stringify(ended)}\n`;
  }
}

/** What failed first, and then what failed while the test cleaned up, which would hide it. */
const wordsOf = (error: unknown): string =>
  error instanceof Error && 'suppressed' in error && 'error' in error
    ? `${wordsOf(error.suppressed)}\n\nand while it cleaned up: ${wordsOf(error.error)}`
    : inspect(error);
