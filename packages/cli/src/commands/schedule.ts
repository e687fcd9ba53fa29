// Schedules of a service, made and looked at from anywhere.
import { readFileSync } from 'node:fs';
import { type Campaign, missedPolicies, type Page, type Schedule, type ScheduleRequest, type ScheduleStart } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { type Command, Option } from 'commander';
import { reasonOf, UsageError } from '../data.ts';
import { type AskingOptions, apiOption, asking, tokenOf } from '../options/place.ts';
import { between, percentage, repeated, withScheme, words } from '../options/values.ts';
import { type RemoteApi, remoteApi } from '../remote.ts';
import { allOf, findNamed } from '../remote-named.ts';
import { plain, table } from '../terminal.ts';

interface Remote extends AskingOptions {
  api: string;
}

interface Wishes extends Remote {
  cron: string;
  timeZone: string;
  campaign?: string;
  url: string[];
  rounds?: number;
  conditions?: string[];
  protocols?: string[];
  missed?: (typeof missedPolicies)[number];
  jitter?: number;
  gate?: string;
  baselineRuns?: number;
  threshold?: number;
}

/** Adds `schedule` with its commands. */
export function addSchedule(program: Command): void {
  const schedule = program.command('schedule').description('campaigns that a service starts by the clock');
  const remote = (command: Command) => asking(command.addOption(apiOption().makeOptionMandatory()));
  const named = (name: string, description: string, act: (api: RemoteApi, schedule: Schedule) => Promise<string>) =>
    remote(schedule.command(name))
      .description(description)
      .argument('<schedule>', 'its id, or its name')
      .action(async (given: string, options: Remote) => {
        const api = connect(options);
        console.log(await act(api, await findNamed<Schedule>(api, 'schedule', given)));
      });

  remote(schedule.command('list'))
    .description('all of them, when they start next, and what became of the last start')
    .action(async (options: Remote) => console.log(listed(await allOf<Schedule>(connect(options), '/schedules'))));
  remote(schedule.command('add'))
    .description('make one')
    .argument('<name>', 'of no other schedule')
    .requiredOption('--cron <expression>', "minute, hour, day of month, month, day of week, such as '30 2 * * *'")
    .option('--time-zone <zone>', 'IANA name, such as Europe/Berlin', 'UTC')
    .option('--campaign <file>', 'JSON, as POST /campaigns takes it')
    .addOption(new Option('--url <url>', 'page to measure (repeatable)').argParser(repeated<string>).default([], 'none'))
    .option('--rounds <n>', 'of the campaign', between(1, 10_000))
    .option('--conditions <list>', 'names of conditions of the service', words)
    .option('--protocols <list>', 'some of h1, h2, h3', words)
    .addOption(new Option('--missed <policy>', 'what becomes of starts while the service did not run').choices(missedPolicies))
    .option('--jitter <seconds>', 'start so much later at most', between(0, 999_999))
    .option('--gate <gate>', 'id or name of a gate that each campaign is held against')
    .option('--baseline-runs <n>', 'with how many campaigns before each is compared (default: 28)', between(0, 999_999))
    .option('--threshold <percent>', 'how much worse is a regression', percentage)
    .action(async (name: string, options: Wishes) => {
      const made = await connect(options).post<Schedule>('/schedules', requestOf(name, options));
      console.log(`Schedule ${made.id}, "${plain(made.name)}", starts next at ${made.nextRuns[0] ?? 'no time'}.`);
    });
  named('starts', 'what became of its starts', async (api, { id }) => {
    const { items } = await api.get<Page<ScheduleStart>>(`/schedules/${id}/starts?limit=50`);
    const rows = items.map(({ dueAt, outcome, campaignId, words }) => [time(dueAt), outcome, campaignId ?? '', words]);
    return rows.length === 0 ? 'It never started.' : table(['due', 'outcome', 'campaign', ''], rows, [0, 1, 3]);
  });
  named('pause', 'start nothing until it is resumed', async (api, { id, name }) => {
    await api.post(`/schedules/${id}/pause`);
    return `Schedule ${id}, "${plain(name)}", is paused.`;
  });
  named('resume', 'go on after a pause', async (api, { id, name }) => {
    const { nextRuns } = await api.post<Schedule>(`/schedules/${id}/resume`);
    return `Schedule ${id}, "${plain(name)}", starts next at ${nextRuns[0] ?? 'no time'}.`;
  });
  named('remove', 'forget it; its campaigns stay', async (api, { id, name }) => {
    await api.delete(`/schedules/${id}`);
    return `Schedule ${id}, "${plain(name)}", is removed.`;
  });
  named('start', 'start its campaign now', async (api, { id }) => {
    const campaign = await api.post<Campaign>(`/schedules/${id}/start`);
    return `Campaign ${campaign.id} is started: ${counted(campaign.progress.rounds, 'round')}.`;
  });
}

const connect = (options: Remote) => remoteApi({ url: options.api, token: tokenOf(options) });

/** @throws UsageError */
export function requestOf(name: string, wishes: Omit<Wishes, keyof Remote>): ScheduleRequest {
  const { cron, timeZone, missed, jitter, gate, baselineRuns, threshold } = wishes;
  return {
    name,
    cron,
    timeZone,
    campaign: campaignOf(wishes),
    ...(missed === undefined ? {} : { missed }),
    ...(jitter === undefined ? {} : { jitterSeconds: jitter }),
    ...(gate === undefined ? {} : { gate }),
    ...(baselineRuns === undefined ? {} : { baselineRuns }),
    ...(threshold === undefined ? {} : { regressionThreshold: threshold / 100 }),
  };
}

function campaignOf({ campaign: file, url, rounds, conditions, protocols }: Omit<Wishes, keyof Remote>): ScheduleRequest['campaign'] {
  if ((file === undefined) === (url.length === 0))
    throw new UsageError('Say what is measured by --campaign or by --url; expected one of both.');
  const choices = {
    ...(url.length === 0 ? {} : { sites: url.map((one) => ({ url: withScheme(one) })) }),
    ...(rounds === undefined ? {} : { rounds }),
    ...(conditions === undefined ? {} : { conditions }),
    ...(protocols === undefined ? {} : { protocols }),
  };
  // What cannot be run the service refuses, with each wrong place.
  return { ...(file === undefined ? {} : parsed(file)), ...choices } as ScheduleRequest['campaign'];
}

function parsed(file: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new SyntaxError('it is no object');
  } catch (error) {
    const why = error instanceof SyntaxError ? `it holds no campaign: ${error.message}` : reasonOf(error);
    throw new UsageError(`The campaign file ${file} can't be read (${why}). docs/api.md shows what a campaign looks like.`);
  }
}

function listed(schedules: readonly Schedule[]): string {
  if (schedules.length === 0) return 'There are no schedules. Make one with: ./pronghorn schedule add NAME --cron … --url …';
  const rows = schedules.map(({ id, name, cron, timeZone, paused, nextRuns, lastStart }) => {
    const last = lastStart === null ? 'none' : `${time(lastStart.dueAt ?? lastStart.decidedAt)} ${lastStart.outcome}`;
    return [id, name, cron, timeZone, paused ? 'paused' : time(nextRuns[0] ?? null), last];
  });
  return table(['id', 'name', 'cron', 'time zone', 'next start (UTC)', 'last start (UTC)'], rows, [1, 2, 3, 4, 5]);
}

const time = (iso: string | null) => iso?.slice(0, 16).replace('T', ' ') ?? 'by hand';
