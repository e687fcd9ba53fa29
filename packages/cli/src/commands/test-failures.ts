// A reporter that prints only the failures of a run: the tests' own output may be thousands of lines above the end, and a CI often keeps only the
// last lines. Each file with a failure stands in a line of its own.
import { relative, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

const fileLine = 'In the file ';
const lineOf = (file: string) => `${fileLine}${relative(process.cwd(), file)}\n\n`;

export default async function* failures(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    // A summary with a file is that file's.
    if (type === 'test:summary' && data.file !== undefined && !data.success) yield lineOf(data.file);
    if (type !== 'test:fail') continue;
    // A file that ended before its summary fails as a test of its path.
    if (resolve(data.name) === data.file) yield lineOf(data.file);
    const { error } = data.details;
    if ('failureType' in error && error.failureType === 'subtestsFailed') continue;
    yield `✖ ${data.name} (${relative(process.cwd(), data.file ?? '')})\n${inspect(error.cause ?? error)}\n\n`;
  }
}

/** @param report that the reporter wrote @returns the test files that failed, from the folder in which they ran */
export function failedFiles(report: string): string[] {
  const lines = report.split('\n').filter((line) => line.startsWith(fileLine));
  return [...new Set(lines.map((line) => line.slice(fileLine.length)))];
}
