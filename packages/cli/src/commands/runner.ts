// A runner of a service somewhere else: `pronghorn runner`.
import { readFileSync } from 'node:fs';
import { ApiRefusal, chromeWorkplace, type LinkChoice, runRunner, surveyCapabilities } from '@pronghorn/runner';
import { UsageError } from '../data.ts';
import { leaving } from '../interrupt.ts';

export interface RunnerCommandOptions {
  api: string;
  tokenFile?: string;
  name: string;
  location?: string;
  evidence: boolean;
  link: { choice: LinkChoice; allowNet: readonly string[]; congestionControl: string };
}

/**
 * Works until the first SIGTERM or Ctrl-C, which lets it finish its round, or the second, which does not.
 * @returns the exit code: 0, or 1 when the service will have nothing of it
 */
export async function runner(options: RunnerCommandOptions): Promise<number> {
  const url = serviceUrl(options.api);
  const token = tokenFrom(options.tokenFile, process.env.PRONGHORN_TOKEN);
  const capabilities = await surveyCapabilities(options.link.choice);
  const { drain, stop } = leaving();
  drain.addEventListener('abort', () =>
    say('Told to stop: the round that runs is finished, no other is taken. Once more gives it back at once.'),
  );
  say(`Runner "${options.name}" works for ${url}. It has ${capabilities.browsers.join(', ')}; links: ${capabilities.backends.join(', ')}.`);
  try {
    await runRunner({
      apiUrl: url,
      token,
      name: options.name,
      location: options.location ?? null,
      capabilities,
      workplace: chromeWorkplace(options.link),
      keepEvidence: options.evidence,
      drain,
      stop,
      events: {
        registered: (id) => say(`Registered as runner ${id}.`),
        leased: ({ round, site }) =>
          say(`Round ${round.id} of campaign ${round.campaignId}: ${site.name}, ${round.condition}, ${round.view}.`),
        completed: ({ round }) => say(`Round ${round.id} is complete.`),
        discovered: ({ failure }, { site }) => failure !== null && say(`${site.name} can't be measured: ${failure.detail}`),
        warned: say,
      },
    });
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    console.error(`pronghorn: ${error.message}`);
    return 1;
  }
  say('Stopped.');
  return 0;
}

/** One line of a log: what keeps the service's journal adds its own time, if it is wanted. */
function say(text: string): void {
  console.log(`${new Date().toISOString()} ${text}`);
}

/** @throws UsageError */
function serviceUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--api is "${text}"; expected the address of a service, such as https://pronghorn.example.`);
  }
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--api has a user or a password in it; put the token into a file, see --token-file.');
  return url.href.replace(/(\/api\/v1)?\/?$/, '');
}

/**
 * A file goes before the environment, which other processes of the same user can read.
 * @throws UsageError when the file can't be read or is empty
 */
function tokenFrom(file: string | undefined, environment: string | undefined): string | undefined {
  if (file === undefined) return environment?.trim() || undefined;
  let content: string;
  try {
    content = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`The token file ${file} cannot be read: ${(error as Error).message}.`);
  }
  if (content === '') throw new UsageError(`The token file ${file} is empty; expected one line with a token of role runner.`);
  return content;
}
