// A runner of a service somewhere else: `pronghorn runner`.

import { hostname } from 'node:os';
import { type Capabilities, isolationsOf } from '@pronghorn/core/schemas';
import {
  ApiDenied,
  ApiRefusal,
  chromeExecutor,
  commandExecutor,
  dividedExecutor,
  type Executor,
  type ExecutorOptions,
  runRunner,
  surveyCapabilities,
  surveyVisitCommand,
  withContainers,
} from '@pronghorn/runner';
import { type Command, Option } from 'commander';
import { leaving } from '../interrupt.ts';
import { labOfFile } from '../lab-file.ts';
import { type LinkingOptions, linking, linkWishes } from '../options/measuring.ts';
import { apiOption, namedToken, tokenFileOption } from '../options/place.ts';
import { serviceUrl, tokenHint } from '../remote.ts';
import { failureCodes } from '../run-program.ts';
import { reachWords } from '../runner-beside.ts';
import { plain, tellError } from '../terminal.ts';
import type { LinkWishes } from './perform.ts';

export function addRunner(program: Command): void {
  linking(
    program
      .command('runner')
      .description('perform a service’s campaigns on this machine, until stopped')
      .addOption(apiOption().makeOptionMandatory())
      .addOption(tokenFileOption())
      .option('--name <name>', 'unique name of this runner', hostname())
      .addOption(new Option('--location <name>', 'where it stands; campaigns can ask for a location').env('PRONGHORN_LOCATION')),
  )
    .addOption(new Option('--lab <file>', 'file written by a demo origin on this network').env('PRONGHORN_LAB'))
    .addOption(
      new Option(
        '--visit-command <command>',
        'command that performs each visit of campaigns with isolation container; ends in `pronghorn visit`',
      ).env('PRONGHORN_VISIT_COMMAND'),
    )
    .option('--no-fence', 'let visits over the link direct reach all that this machine reaches, inner networks too')
    .option('--once', 'perform one round, then end (exit code 1 if it failed): for one container a round')
    .option('--no-evidence', 'do not store the raw evidence of each visit (about 50 KB)')
    .action(async (options: LinkingOptions & Omit<RunnerCommandOptions, 'link'>) => {
      process.exitCode = await runner({ ...withoutEmpty(options), link: linkWishes(options) });
    });
}

interface RunnerCommandOptions {
  api: string;
  tokenFile?: string;
  name: string;
  location?: string;
  lab?: string;
  visitCommand?: string;
  fence: boolean;
  once?: true;
  evidence: boolean;
  link: LinkWishes;
}

/**
 * Works until the first SIGTERM or Ctrl-C, which lets it finish its round, or the second, which does not.
 * @returns the exit code: 0, 77 when its token is refused, or 1 when the service will have nothing else of it; with `once` also 1 when its round
 * failed, and 130 when it was told to stop: whoever makes one after the other ends there
 */
async function runner(options: RunnerCommandOptions): Promise<number> {
  const url = serviceUrl(options.api);
  const token = namedToken(options);
  const elsewhere = options.lab === undefined ? undefined : labOfFile(options.lab);
  const { capabilities, workplace } = await measuringBy(options.visitCommand, {
    ...options.link,
    fencing: options.fence ? 'fenced' : 'unfenced',
    allowNet: [...options.link.allowNet, ...(elsewhere?.addresses ?? [])],
    lab: elsewhere?.lab,
  });
  const { drain, stop } = leaving();
  const enough = new AbortController();
  let failed = false;
  drain.addEventListener('abort', () =>
    say('Told to stop: the round that runs is finished, no other is taken. Once more gives it back at once.'),
  );
  say(
    `Runner "${options.name}" offers itself to ${url}. It has ${capabilities.browsers.join(', ')}; engines: ${capabilities.engines.join(', ')}; links: ${capabilities.backends.join(', ')}; isolations: ${isolationsOf(capabilities).join(', ')}.`,
  );
  const reach = reachWords(capabilities);
  if (reach !== undefined) say(reach);
  try {
    await runRunner({
      apiUrl: url,
      token: token ?? undefined,
      name: options.name,
      location: options.location ?? null,
      capabilities,
      workplace,
      keepEvidence: options.evidence,
      drain: AbortSignal.any([drain, enough.signal]),
      stop,
      events: {
        registered: (id) => say(`Registered as runner ${id}.`),
        leased: ({ round, site }) => {
          say(`Round ${round.id} of campaign ${round.campaignId}: ${site.name}, ${round.condition}, ${round.view}.`);
          if (options.once) enough.abort();
        },
        completed: ({ round }) => {
          say(`Round ${round.id} is complete.`);
        },
        failed: () => {
          failed = true;
        },
        discovered: ({ failure }, { name }) => failure !== null && say(`${name} can't be measured: ${failure.detail}`),
        warned: say,
      },
    });
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    tellError(error, { after: tokenHint(token) });
    return error instanceof ApiDenied ? failureCodes.refused : 1;
  }
  say('Stopped.');
  if (!options.once) return 0;
  if (drain.aborted) return 130;
  return failed ? 1 : 0;
}

/** A variable of the environment that is set to nothing gives nothing. */
function withoutEmpty<T extends { location?: string; lab?: string; visitCommand?: string }>(options: T): T {
  const { location, lab, visitCommand, ...others } = options;
  return { ...others, ...(location && { location }), ...(lab && { lab }), ...(visitCommand && { visitCommand }) } as T;
}

/** @throws Error when neither this machine nor the visit command can measure, or the latter fails */
async function measuringBy(
  visitCommand: string | undefined,
  options: ExecutorOptions,
): Promise<{ capabilities: Capabilities; workplace: Executor }> {
  const workplace = chromeExecutor(options);
  if (visitCommand === undefined) return { capabilities: await surveyCapabilities(options.choice, options.fencing), workplace };
  const containers = await surveyVisitCommand(visitCommand, options.choice, options.fencing);
  const here = await surveyCapabilities(options.choice, options.fencing).catch((error: Error) => {
    say(error.message);
    return null;
  });
  const capabilities = withContainers(here, containers);
  if (isolationsOf(capabilities).length === 1)
    say('This machine itself can do less than its containers: it takes campaigns with the isolation container alone.');
  return { capabilities, workplace: dividedExecutor(workplace, commandExecutor(visitCommand, options, containers)) };
}

/** One line of a log: what keeps the service's journal adds its own time, if it is wanted. */
function say(text: string): void {
  console.log(`${new Date().toISOString()} ${plain(text)}`);
}
