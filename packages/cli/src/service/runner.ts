// A runner of a service elsewhere, and the command in which its `--visit-command` ends.

import { createInterface } from 'node:readline';
import { ApiDenied, ApiRefusal } from '@pronghorn/core/client';
import { type Capabilities, isolationsOf, type Lease } from '@pronghorn/core/schemas';
import {
  answerLine,
  chromeExecutor,
  commandExecutor,
  type DemoOrigin,
  dividedExecutor,
  type Executor,
  type ExecutorOptions,
  performRequest,
  readRequest,
  runRunner,
  surveyCapabilities,
  surveyVisitCommand,
  withContainers,
} from '@pronghorn/runner';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { serviceUrl, tokenHint } from '../connection/remote-service.ts';
import { namedToken } from '../connection/token.ts';
import { type LinkingOptions, linkWishes } from '../options/measuring.ts';
import { failureCodes, UsageError } from '../program/errors.ts';
import { readJson } from '../program/files.ts';
import { interruption, leaving } from '../program/interrupt.ts';
import { plain, printError } from '../program/terminal.ts';
import { reachWords } from './runner-beside.ts';

export interface RunnerOptions extends LinkingOptions {
  api: string;
  tokenFile?: string;
  name: string;
  location?: string;
  lab?: string;
  visitCommand?: string;
  fence: boolean;
  once?: true;
  evidence: boolean;
}

/**
 * Works until the first SIGTERM or Ctrl-C, after which it finishes its round, or the second, after which it does not.
 * @returns the exit code: 0, 77 when its token is refused, 1 when the service refuses the runner otherwise; with `once` also 1 when its round failed, and
 * 130 when it was stopped, so that a loop around it ends
 */
export async function runner(given: RunnerOptions): Promise<number> {
  const options = { ...withoutEmpty(given), link: linkWishes(given) };
  const url = serviceUrl(options.api);
  const token = namedToken(options);
  const elsewhere = options.lab === undefined ? undefined : labOfFile(options.lab);
  const { capabilities, executor } = await measuringBy(options.visitCommand, {
    ...options.link,
    fencing: options.fence ? 'fenced' : 'unfenced',
    allowNet: [...options.link.allowNet, ...(elsewhere?.addresses ?? [])],
    lab: elsewhere?.lab,
  });
  const { drain, stop } = leaving();
  const enough = new AbortController();
  let failed = false;
  drain.addEventListener('abort', () => say('Stopping: the current round is finished first. A second signal gives it back at once.'));
  say(
    `Runner "${options.name}" registers with ${url}. Browsers: ${capabilities.browsers.join(', ')}; engines: ${capabilities.engines.join(', ')}; links: ${capabilities.backends.join(', ')}; isolations: ${isolationsOf(capabilities).join(', ')}.`,
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
      executor,
      keepEvidence: options.evidence,
      drain: AbortSignal.any([drain, enough.signal]),
      stop,
      events: {
        registered: (id) => say(`Registered as runner ${id}.`),
        leased: (lease) => {
          say(`${roundName(lease)}.`);
          if (options.once) enough.abort();
        },
        completed: (lease) => {
          say(`${roundName(lease)} is complete.`);
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
    printError(error, { after: tokenHint(token) });
    return error instanceof ApiDenied ? failureCodes.refused : 1;
  }
  say('Stopped.');
  if (!options.once) return 0;
  if (drain.aborted) return 130;
  return failed ? 1 : 0;
}

/** Drops options whose environment variable is set, but empty. */
function withoutEmpty<T extends { location?: string; lab?: string; visitCommand?: string }>(options: T): T {
  const { location, lab, visitCommand, ...others } = options;
  return { ...others, ...(location && { location }), ...(lab && { lab }), ...(visitCommand && { visitCommand }) } as T;
}

/** @throws Error when neither this machine nor the visit command can measure, or the latter fails */
async function measuringBy(
  visitCommand: string | undefined,
  options: ExecutorOptions,
): Promise<{ capabilities: Capabilities; executor: Executor }> {
  const executor = chromeExecutor(options);
  if (visitCommand === undefined) return { capabilities: await surveyCapabilities(options.choice, options.fencing), executor };
  const containers = await surveyVisitCommand(visitCommand, options.choice, options.fencing);
  const here = await surveyCapabilities(options.choice, options.fencing).catch((error: Error) => {
    say(error.message);
    return null;
  });
  const capabilities = withContainers(here, containers);
  if (isolationsOf(capabilities).length === 1)
    say('This machine can do less than its containers, so it takes only campaigns with the isolation container.');
  return { capabilities, executor: dividedExecutor(executor, commandExecutor(visitCommand, options, containers)) };
}

/** Numbered within its page, condition and view, as in the dashboard; ids count the rounds of all campaigns. */
const roundName = ({ round, site }: Pick<Lease, 'round' | 'site'>): string =>
  `Campaign ${round.campaignId}: ${site.name}, ${round.condition}, ${round.view}, round ${round.number} (id ${round.id})`;

/** Prints a log line. */
function say(text: string): void {
  console.log(`${new Date().toISOString()} ${plain(text)}`);
}

const check = Compile(
  Type.Object({
    /** The parent domain of all its hosts. */
    domain: Type.String({ minLength: 1 }),
    /** The addresses of its hosts. */
    addresses: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    trust: Type.Object({
      spki: Type.String({ minLength: 1 }),
      hostRules: Type.String({ minLength: 1 }),
      /** For Firefox; absent where an origin serves only Chrome. */
      ca: Type.Optional(Type.String({ minLength: 1 })),
    }),
    settings: Type.Record(Type.String(), Type.Unknown()),
  }),
);

export interface LabElsewhere {
  lab: DemoOrigin;
  /** Visits must be able to reach these. */
  addresses: readonly string[];
}

/** @throws UsageError when the file can't be read, or is not from a demo origin */
export function labOfFile(path: string): LabElsewhere {
  const content = readJson(path, 'The lab file', ' The demo origin writes it when it starts.');
  if (!check.Check(content)) {
    const [fault] = check.Errors(content);
    throw new UsageError(`The lab file ${path} is not one of a demo origin: at ${fault?.instancePath || '/'}: ${fault?.message}.`);
  }
  const { domain, addresses, trust, settings } = content;
  return { addresses, lab: { trust, settings, serves: (hostname) => hostname === domain || hostname.endsWith(`.${domain}`) } };
}

/**
 * Also ends at the end of standard input: then the runner is gone, and not every wrapper passes a signal on.
 *
 * @returns the exit code: 0 when it answered, 130 when it was stopped
 */
export async function visit(): Promise<number> {
  const stop = new AbortController();
  const lines = createInterface({ input: process.stdin });
  const line = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('close', () =>
      reject(
        new UsageError('Standard input ended without a request. A wrapper around this command must pass it on, as `docker run -i` does.'),
      ),
    );
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
  });
  interruption().addEventListener('abort', () => stop.abort(new Error('Stopped: nothing was measured.')));
  lines.once('close', () => stop.abort(new Error('Standard input has ended, so the runner is gone. Nothing was measured.')));
  try {
    const answer = answerLine(await performRequest(readRequest(await line), stop.signal));
    await new Promise((written) => process.stdout.write(answer, written));
    return 0;
  } catch (error) {
    if (error !== stop.signal.reason) throw error;
    printError(error);
    return 130;
  } finally {
    process.stdin.destroy();
  }
}
