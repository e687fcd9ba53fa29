// Commands of REST calls.
import { type Protocol, workloadLimits } from '@pronghorn/core/vocabulary';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FactorialOptions } from '../calls/design.ts';
import { dataOption } from '../options/connection-options.ts';
import { measuring } from '../options/measuring.ts';
import { byteCount, integerBetween } from '../options/values.ts';
import { ending, running } from '../program/run-program.ts';

const protocolByNumber: ReadonlyMap<string, Protocol> = new Map([
  ['1', 'h1'],
  ['2', 'h2'],
  ['3', 'h3'],
]);

function httpVersion(value: string): Protocol {
  const protocol = protocolByNumber.get(value);
  if (protocol === undefined)
    throw new InvalidArgumentError(`There is no HTTP/${value}; expected ${[...protocolByNumber.keys()].join(', ')}.`);
  return protocol;
}

export function addLoad(program: Command): void {
  program
    .command('load')
    .description('send requests over one protocol for some seconds, and show their rate and how long they take')
    .argument('<url>', 'https URL of your own server')
    .option('-d, --duration <seconds>', 'length of the run', integerBetween(1, workloadLimits.seconds), 10)
    .option('-t, --threads <n>', 'threads of the client (default: one for each core)', integerBetween(1, 256))
    .option('-c, --connections <n>', 'connections, opened before the clock starts', integerBetween(1, workloadLimits.users), 10)
    .option('-s, --streams <n>', 'concurrent requests on each connection; over HTTP/1.1 there is one', integerBetween(1, 100), 1)
    .addOption(new Option('--http <version>', '1, 2 or 3').argParser(httpVersion).default('h2', '2'))
    .option('-n, --requests <n>', 'end after this many on each stream, not after the duration', integerBetween(1, workloadLimits.requests))
    .option(
      '-R, --rate <n>',
      'requests to start per second, whether or not earlier ones have ended',
      integerBetween(1, workloadLimits.requestsPerSecond),
    )
    .addOption(new Option('--method <name>', 'method of each request').choices(['GET', 'POST']).default('GET'))
    .option('--body <size>', 'size of each POST body, which is generated, such as 2MB', byteCount, 0)
    .option('--ca <file>', 'PEM file of an authority to trust')
    .option('--timeout <seconds>', 'time limit of a request', integerBetween(1, 600), 30)
    .option('--json <file>', 'write all figures and the histograms')
    .option('--csv <file>', 'write a line for each second')
    .addOption(dataOption())
    .action(running(() => import('../calls/load.ts'), 'load'));
}

/** What quic-go uses, so that TCP uses the same. */
const congestionControl = 'reno';

/** A run of 20 ms is noisy. */
const scenarioRounds = 20;

export function addScenarios(program: Command): void {
  measuring(program.command('scenarios'), { rounds: scenarioRounds, congestionControl })
    .description('seven scenarios of REST calls against a built-in server: which protocol is faster, cold and warm?')
    .action(running(() => import('../calls/scenarios.ts'), 'measureScenarios'));
}

/** Those of `../calls/design.ts`. */
const builtInDesigns = ['rest-study', 'rest-study-brief'] as const;

export function addFactorial(program: Command): void {
  measuring(program.command('factorial'), { roundsWords: 'replications of the design', congestionControl })
    .description('a factorial study of REST calls against a built-in server: factors, interactions, tails')
    .argument('<study>', `${builtInDesigns.join(', ')}, or a file with a design; see docs/transactions.md`)
    .option('--runs-csv <file>', 'write a line for each run, with its levels')
    .action(
      ending(async (named: string, options: FactorialOptions, command: Command) => {
        const { measureDesign } = await import('../calls/design.ts');
        return await measureDesign(named, options, command.getOptionValueSource('protocols') === 'cli');
      }),
    );
}
