// Prints only the failures of a run: the tests' own output may be thousands of lines above the end, and a CI often keeps only the last lines.
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export default async function* failures(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    if (type !== 'test:fail') continue;
    const { error } = data.details;
    if ('failureType' in error && error.failureType === 'subtestsFailed') continue;
    yield `✖ ${data.name} (${relative(process.cwd(), data.file ?? '')})\n${inspect(error.cause ?? error)}\n\n`;
  }
}
