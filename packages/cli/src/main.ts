// The `pronghorn` command.
import { commandLine } from './program/command-line.ts';

const code = await commandLine(process.argv.slice(2));
if (code !== 0) process.exitCode = code;
