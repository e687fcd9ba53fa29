// Runs a command line to the exit code of its outcome.
import { type Command, CommanderError } from 'commander';
import { failureCode, failureCodes } from './errors.ts';
import { printError } from './terminal.ts';

/** The exit code of a program that has run. */
const codes = new WeakMap<Command, number>();

/**
 * @param called how users call it, such as ./pronghorn
 * @param words what follows the program's name
 * @param isUsage true for further errors that the user can fix
 * @returns the exit code
 */
export async function runProgram(
  program: Command,
  called: string,
  words: readonly string[],
  isUsage = async (_: unknown) => false,
): Promise<number> {
  program.helpCommand('help [command]', 'the same as COMMAND --help');
  settle(program, called);
  try {
    await program.parseAsync(words, { from: 'user' });
    return codes.get(program) ?? 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : failureCodes.usage;
    printError(error);
    const code = failureCode(error);
    return code === failureCodes.error && (await isUsage(error)) ? failureCodes.usage : code;
  }
}

/** An action; a number that it returns is the exit code. */
export const ending =
  <Given extends unknown[]>(action: (...given: Given) => unknown) =>
  async (...given: Given): Promise<void> => {
    const code = await action(...given);
    // Commander's last argument is always the command.
    if (typeof code === 'number') codes.set(rootOf(given.at(-1) as Command), code);
  };

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

/** An action that loads its module when it runs, since declaring commands must stay light. It is `ending`, too. */
export const running = <Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) =>
  ending(async (...given: unknown[]) => ((await load())[name] as (...given: unknown[]) => unknown)(...given));

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
