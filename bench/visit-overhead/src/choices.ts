// What the command line asks for.
import { parseArgs } from 'node:util';
import { type Mode, modes } from './modes.ts';
import { type TestedProtocol, testedProtocols } from './site.ts';

export interface Choices {
  rounds: number;
  protocols: TestedProtocol[];
  modes: Mode[];
  seed: number;
}

export const usage = `node bench visit-overhead/browsertime [rounds] [--protocols LIST] [--modes LIST] [--seed N]

  rounds       default 3, about 3 minutes each: everything is measured once in a round, in random order
  --protocols  of ${testedProtocols.join(', ')}; default h2
  --modes      of ${modes.map(({ name }) => name).join(', ')}; default all
  --seed       decides the orders; default: the time`;

/** @throws Error that says what is wrong with the arguments; undefined when help was asked for */
export function readChoices(args: string[]): Choices | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      protocols: { type: 'string', default: 'h2' },
      modes: { type: 'string', default: modes.map(({ name }) => name).join(',') },
      seed: { type: 'string', default: `${Math.floor(Date.now() / 1_000) % 2 ** 31}` },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  if (positionals.length > 1) throw new Error(`one number of rounds is expected, found ${positionals.join(' ')}`);
  return {
    rounds: whole('rounds', positionals[0] ?? '3', 1),
    protocols: values.protocols.split(',').map((name) => oneOf('protocol', name, testedProtocols, String)),
    modes: values.modes.split(',').map((name) => oneOf('mode', name, modes, (mode) => mode.name)),
    seed: whole('--seed', values.seed, 0),
  };
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value >= 2 ** 31)
    throw new Error(`${name} is ${text}, expected a whole number from ${least} on`);
  return value;
}

function oneOf<T>(what: string, name: string, known: readonly T[], nameOf: (item: T) => string): T {
  const found = known.find((item) => nameOf(item) === name);
  if (found === undefined) throw new Error(`there is no ${what} ${name}, only ${known.map(nameOf).join(', ')}`);
  return found;
}
