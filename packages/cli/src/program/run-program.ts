// Runs a command line, and ends with the exit code of its outcome.
import { type Command, CommanderError } from 'commander';
import { failureCode, failureCodes } from './errors.ts';
import { printError } from './terminal.ts';

/**
 * @param called how users call it, such as ./pronghorn
 * @param isUsage true for further errors that the user can fix
 */
export async function runProgram(program: Command, called: string, isUsage = async (_: unknown) => false): Promise<void> {
  program.helpCommand('help [command]', 'the same as COMMAND --help');
  settle(program, called);
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : failureCodes.usage;
    else {
      printError(error);
      const code = failureCode(error);
      process.exitCode = code === failureCodes.error && (await isUsage(error)) ? failureCodes.usage : code;
    }
  }
}

/** An action that loads its module when it runs, since declaring commands must stay light. A number that the function returns is the exit code. */
export const running =
  <Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) =>
  async (...given: unknown[]): Promise<void> => {
    const action = (await load())[name] as (...given: unknown[]) => unknown;
    const code = await action(...given);
    if (typeof code === 'number') process.exitCode = code;
  };

/** An error about an option names the command whose help lists the options; one about too many arguments says how to write lists. */
function settle(command: Command, words: string): void {
  command.configureHelp({ helpWidth: Math.min(process.stdout.columns || 100, 100) }).exitOverride();
  command.configureOutput({
    outputError: (text, write) =>
      write(text.includes('too many arguments') ? `${text.trimEnd()} Separate the items of a list by commas, without spaces.\n` : text),
  });
  command.showHelpAfterError(`(see ${words} --help)`);
  for (const one of command.commands) settle(one, `${words} ${one.name()}`);
}
