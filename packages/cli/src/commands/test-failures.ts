// A reporter that prints only the failures of a run: the tests' own output may be thousands of lines above the end, and a CI often keeps only the
// last lines. Each file with a failure stands in a line of its own.
import { relative, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

const fileLine = 'In the file ';
const passedLine = 'Passed: ';
const lineOf = (file: string) => `${fileLine}${relative(process.cwd(), file)}\n\n`;

export default async function* failures(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    // A summary with a file is that file's.
    if (type === 'test:summary' && data.file !== undefined)
      yield data.success ? `${passedLine}${relative(process.cwd(), data.file)}\n` : lineOf(data.file);
    if (type !== 'test:fail') continue;
    // A file that ended before its summary fails as a test of its path.
    if (resolve(data.name) === data.file) yield lineOf(data.file);
    const { error } = data.details;
    if ('failureType' in error && error.failureType === 'subtestsFailed') continue;
    yield `✖ ${data.name} (${relative(process.cwd(), data.file ?? '')})\n${inspect(error.cause ?? error)}\n\n`;
  }
}

/** What the reporter wrote, for people: without the files that passed. */
export const withoutPassed = (report: string): string =>
  report
    .split('\n')
    .filter((line) => !line.startsWith(passedLine))
    .join('\n');

/**
 * A file whose output was cut off, or that never ran, says nothing: what is not known to have passed counts as failed.
 * @param report that the reporter wrote
 * @param all files that should have run, from the folder in which they ran
 */
export function failedFiles(report: string, all: readonly string[] = []): string[] {
  const named = (start: string) => report.split('\n').flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []));
  const passed = named(passedLine);
  return [...new Set([...named(fileLine), ...all.filter((file) => !passed.includes(file))])];
}
