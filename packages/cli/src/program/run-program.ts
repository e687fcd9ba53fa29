// Runs a command line, and says by the exit code what became of it: docs/gates.md and docs/operation.md have the codes.
import { type Command, CommanderError } from 'commander';
import { tellError } from './terminal.ts';
import { failureCode, failureCodes } from './errors.ts';

/**
 * @param called how it is called, such as ./pronghorn
 * @param isUsage of other errors, whether the person at the terminal can mend them
 */
export async function runProgram(program: Command, called: string, isUsage = async (_: unknown) => false): Promise<void> {
  program.helpCommand('help [command]', 'the same as COMMAND --help');
  settle(program, called);
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : failureCodes.usage;
    else {
      tellError(error);
      const code = failureCode(error);
      process.exitCode = code === failureCodes.error && (await isUsage(error)) ? failureCodes.usage : code;
    }
  }
}

/** A wrong option is told with the command whose help has the right ones; what is left over, with how lists are written. */
function settle(command: Command, words: string): void {
  command.configureHelp({ helpWidth: Math.min(process.stdout.columns || 100, 100) }).exitOverride();
  command.configureOutput({
    outputError: (text, write) =>
      write(text.includes('too many arguments') ? `${text.trimEnd()} Items of a list are separated by commas, without spaces.\n` : text),
  });
  command.showHelpAfterError(`(see ${words} --help)`);
  for (const one of command.commands) settle(one, `${words} ${one.name()}`);
}
