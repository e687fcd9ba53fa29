// The demo: real Chrome on real pages of a real server with HTTP/3, behind a link, on this machine alone.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { styleText } from 'node:util';
import { conditionNamed } from '@pronghorn/core/network';
import type { Campaign, Condition } from '@pronghorn/core/schemas';
import { counted, describeCondition, listed, protocolName } from '@pronghorn/core/text';
import { type DemoSite, isWebSite, type Origin, readAccessLog, type ServerWish } from '@pronghorn/origin';
import { chooseBackend, type LinkChoice, LinkUnavailable } from '@pronghorn/runner';
import type { Command } from 'commander';
import type { ConditionWishes } from '../conditions.ts';
import { type DataFolder, UsageError } from '../data.ts';
import type { House } from '../house.ts';
import {
  conditionWishes,
  type MeasuringOptions,
  measureOptions,
  measuring,
  originOption,
  type RequestOf,
  requestOf,
  sitesOption,
} from '../options/measuring.ts';
import { between } from '../options/values.ts';
import { labOf, type OriginWishes, openDemo } from '../origin.ts';
import { prove } from '../proof.ts';
import { wrap } from '../terminal.ts';
import { measure, type Scene } from './measure.ts';
import { type MeasureOptions, tellFewRounds } from './perform.ts';
import { tell } from './results.ts';

/** Of two conditions: a difference in all rounds is shown by seven, and nine bear one or two that go the other way by a little. */
const briefRounds = 9;

export function addDemo(program: Command): void {
  measuring(program.command('demo'), { protocols: ['h2', 'h3'], roundsWords: `${briefRounds}; of other sites and conditions 10 to 20` })
    .description('measure pages of a local server with HTTP/3, near and far away; nothing leaves this machine')
    .addOption(sitesOption())
    .option('--all', 'all five usual sites, also over a bad link, in as many rounds as `measure` takes')
    .addOption(originOption())
    .option('--port <n>', 'port of the demo’s server (default: 4433, or any that is free)', between(1, 65_535))
    .option('--no-open', 'end when done, also on a terminal')
    .action(async ({ all = false, ...options }: MeasuringOptions & DemoOptions) => {
      const wishes = conditionWishes(options, []);
      const isBrief = !all && options.sites === undefined && wishes.list.length === 0;
      process.exitCode = await demo(
        all ? undefined : (options.sites ?? ['article']),
        requestOf(isBrief ? { ...options, rounds: options.rounds ?? briefRounds } : options),
        wishes.list.length > 0 ? wishes : { ...wishes, list: await usualConditions(options.link, all) },
        measureOptions(options),
        options.open && process.stdout.isTTY === true && process.env.CI !== 'true',
        { server: options.origin, port: options.port },
      );
    });
}

interface DemoOptions {
  sites?: string[];
  all?: boolean;
  open: boolean;
  port?: number;
  origin: ServerWish;
}

/**
 * Measures demo sites and holds the browser's word against the server's log.
 *
 * @param names of the sites to measure; undefined for the usual ones
 * @param keepOpen whether the results stay open in a browser page until Ctrl-C
 */
async function demo(
  names: readonly string[] | undefined,
  asked: RequestOf,
  conditions: ConditionWishes,
  options: MeasureOptions,
  keepOpen: boolean,
  server: OriginWishes,
): Promise<number> {
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const { sites, origin, ...scene } = await demoScene(complete, options, server, names);
    return {
      ...scene,
      request: { name: 'Demo', ...asked(sites.map(({ url, name }) => ({ url, name }))) },
      created: (campaign) => {
        tellPlan(campaign);
        tellFewRounds(campaign);
      },
      tell: async (house, campaign) => {
        const code = await tell(house, campaign, options);
        // A contradiction between the two witnesses is no detail: the demo has failed.
        return (await tellProof(house, campaign, origin)) ? code : 1;
      },
      ...(keepOpen ? { keepOpen: (house, campaign) => openPage(house, campaign, options.data) } : {}),
    };
  };
  return await measure({ conditions, setScene }, options);
}

/**
 * The demo origin behind a link, with some of its sites, and says so.
 *
 * @param names of the sites, `web` for those of the web; undefined for the few that stand for the most
 * @throws UsageError for a name that no site has
 */
export async function demoScene(
  complete: readonly Condition[],
  options: Pick<MeasureOptions, 'data' | 'link'>,
  server: OriginWishes,
  names: readonly string[] | undefined,
): Promise<Omit<Scene, 'request' | 'tell' | 'keepOpen'> & { origin: Origin; sites: readonly DemoSite[] }> {
  const web = names?.some((name) => name === webGroup || isWebSite(name)) ?? false;
  const stage = await openDemo(complete, options, { ...server, web });
  try {
    const { origin } = stage;
    const unknown = names?.find((name) => name !== webGroup && !origin.sites.some((site) => site.name === name));
    if (unknown !== undefined)
      throw new UsageError(
        `The demo has no site "${unknown}"; it has ${origin.sites.map(({ name }) => name).join(', ')}${web ? '' : `, and those of the ${webGroup}`}.`,
      );
    const sites = sitesOf(origin.sites, names);
    const { backend } = await stage.link();
    const where = backend === 'direct' ? 'on this machine' : `behind an emulated network (${backend})`;
    console.error(wrap(`${origin.settings.server} ${origin.settings.version} ${where} serves ${sites.map(({ name }) => name).join(', ')}`));
    return { ...stage, lab: labOf(origin), sites };
  } catch (error) {
    await stage.close();
    throw error;
  }
}

/** The name of the sites that are like pages in production. */
const webGroup = 'web';
/** Only by their own names: a campaign of several protocols takes no plain http, and 10,000 requests take a minute a visit. */
const byNameAlone = ['plain-http', 'ten-thousand'];

/** @param names undefined: the few that stand for the most */
export function sitesOf(sites: readonly DemoSite[], names: readonly string[] | undefined): DemoSite[] {
  return sites.filter(({ name, truth, web }) => {
    if (names === undefined) return truth === undefined && !web;
    return names.includes(name) || (web && names.includes(webGroup) && !byNameAlone.includes(name));
  });
}

/** What is going to be done and how long that takes: a visit of the demo's pages about two seconds, and what comes before the first half a minute. */
function tellPlan({ spec, sites, progress: { rounds } }: Campaign): void {
  const visits = rounds * spec.protocols.length;
  const over = listed(spec.protocols.map(protocolName));
  const [done, noun] = spec.engine === 'transaction' ? ['gets REST calls', 'run'] : ['is loaded', 'load'];
  const pages = sites.length === 1 ? `The page ${sites[0]?.name}` : `Each of ${sites.length} pages`;
  const under = listed(spec.conditions.map((condition) => `${condition.name} (${describeCondition(condition)})`));
  const minutes = Math.ceil((30 + 2 * visits) / 60);
  console.error(
    wrap(
      `${pages} ${done} over ${over}, in ${counted(spec.rounds, 'round')} under each of: ${under}. ` +
        `${counted(visits, noun)}, about ${counted(minutes, 'minute')}.`,
    ),
  );
}

/** A near path and a long one, and with all a lossy one; the near one alone where this machine can't make the others. */
export async function usualConditions(choice: LinkChoice, all = false): Promise<string[]> {
  const usual = ['native', 'latency-100', ...(all ? ['medium'] : [])];
  try {
    await chooseBackend(
      choice,
      usual.flatMap((name) => conditionNamed(name) ?? []),
    );
    return usual;
  } catch (error) {
    if (!(error instanceof LinkUnavailable)) throw error;
    console.error(wrap(`Only the condition native: ${error.message}`));
    return ['native'];
  }
}

/** @returns whether the browser and the server's log agree on everything */
async function tellProof(house: House, campaign: Campaign, origin: Origin): Promise<boolean> {
  const visits = [];
  for await (const visit of house.visits(campaign.id)) {
    if (visit.counted && visit.outcome.verdict === 'valid') visits.push({ visit, resources: await house.resources(visit.id) });
  }
  if (visits.length === 0) return true;
  const { proven, objects, logged, contradictions } = prove(visits, await readAccessLog(origin.accessLog), origin.sites);
  const [noun, what, whose, object] =
    campaign.spec.engine === 'transaction'
      ? ['run', 'every answer', 'client’s', 'answer']
      : ['visit', 'the document and every object', 'browser’s', 'object'];
  const percent = (part: number, whole: number) => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(part === whole ? 0 : 1)} %`);
  console.log(
    wrap(
      `\nProof: in ${proven} of ${counted(visits.length, `valid ${noun}`)} (${percent(proven, visits.length)}) ${what} came over the protocol asked for, by the ${whose} word; ` +
        `the server’s log agrees on ${logged} of ${counted(objects, object)} (${percent(logged, objects)}).`,
    ),
  );
  for (const line of contradictions.slice(0, 5)) console.log(styleText('yellow', wrap(line)));
  if (contradictions.length > 5) console.log(styleText('yellow', `… and ${contradictions.length - 5} more.`));
  return contradictions.length === 0;
}

/** @returns the address of the campaign's page, which a desktop's browser is asked to open */
function openPage(house: House, campaign: Campaign, data: DataFolder): string {
  const url = `${house.url}/#/campaigns/${campaign.id}?token=${house.token}`;
  if (process.env.DISPLAY !== undefined || process.env.WAYLAND_DISPLAY !== undefined) {
    // Whether there is a browser to open is not our matter: the address is printed.
    // A file leads there: other users of the machine can read command lines, and the address has the token.
    const leading = join(data.path, 'open.html');
    writeFileSync(leading, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, { mode: 0o600 });
    spawn('xdg-open', [pathToFileURL(leading).href], { stdio: 'ignore', detached: true })
      .once('error', () => {})
      .unref();
  }
  return url;
}
