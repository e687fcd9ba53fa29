// The inside of a runner's `--visit-command`: performs what one line on standard input asks for, and answers on standard output.
import { createInterface } from 'node:readline';
import { answerLine, performRequest, readRequest } from '@pronghorn/runner';
import type { Command } from 'commander';
import { UsageError } from '../data.ts';
import { interruption } from '../interrupt.ts';
import { tellError } from '../terminal.ts';

export function addVisit(program: Command): void {
  program
    .command('visit')
    .description('perform one visit for a runner: what the command of its --visit-command ends in')
    .action(async () => {
      process.exitCode = await visit();
    });
}

/**
 * The end of standard input ends it too: whoever asked is gone, and not everything between tells that by a signal.
 *
 * @returns the exit code: 0 when it answered, 130 when it was broken off
 */
async function visit(): Promise<number> {
  const stop = new AbortController();
  const lines = createInterface({ input: process.stdin });
  const line = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('close', () =>
      reject(
        new UsageError('Standard input ended without a request. What stands around this command must pass it on, as `docker run -i` does.'),
      ),
    );
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
  });
  interruption().addEventListener('abort', () => stop.abort(new Error('Told to stop: nothing was measured.')));
  lines.once('close', () => stop.abort(new Error('Standard input has ended, so whoever asked is gone: nothing was measured.')));
  try {
    const answer = answerLine(await performRequest(readRequest(await line), stop.signal));
    await new Promise((written) => process.stdout.write(answer, written));
    return 0;
  } catch (error) {
    if (error !== stop.signal.reason) throw error;
    tellError(error);
    return 130;
  } finally {
    process.stdin.destroy();
  }
}
