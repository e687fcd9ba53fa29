// The demo: real Chrome on real pages of a real server with HTTP/3, behind a link, all on this machine.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { styleText } from 'node:util';
import type { Campaign, Condition } from '@pronghorn/core/schemas';
import { counted, describeCondition, grouped, listed, protocolName } from '@pronghorn/core/text';
import { type Origin, readAccessLog, type ServerWish } from '@pronghorn/origin';
import type { LocalService } from '../connection/local-service.ts';
import { briefRounds, type MeasuringOptions } from '../options/measuring.ts';
import type { DataFolder } from '../program/files.ts';
import { wrap, yellow } from '../program/terminal.ts';
import { demoScene, usualConditions } from './demo-origin.ts';
import { prove } from './log-crosscheck.ts';
import { measure, type Scene } from './measure.ts';
import { printFewRounds } from './perform.ts';
import { conditionWishes, measureOptions, requestOf } from './request.ts';
import { printResults } from './results.ts';

export interface DemoOptions extends MeasuringOptions {
  sites?: string[];
  all?: boolean;
  open: boolean;
  port?: number;
  origin: ServerWish;
}

/** Measures demo sites and compares the browser's reports with the server's log. @returns as `measure` */
export async function demo(given: DemoOptions): Promise<number> {
  const { all = false, sites: named, origin: server, port } = given;
  const wishes = conditionWishes(given, []);
  const isBrief = !all && named === undefined && wishes.list.length === 0;
  const names = all ? undefined : (named ?? ['article']);
  const makeRequest = requestOf(isBrief ? { ...given, rounds: given.rounds ?? briefRounds } : given);
  const conditions = wishes.list.length > 0 ? wishes : { ...wishes, list: await usualConditions(given.link, all) };
  const options = measureOptions(given);
  const keepOpen = given.open && process.stdout.isTTY === true && process.env.CI !== 'true';
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const { sites, origin, ...scene } = await demoScene(complete, options, { server, port }, names);
    return {
      ...scene,
      request: { name: 'Demo', ...makeRequest(sites) },
      created: (campaign) => {
        printPlan(campaign);
        printFewRounds(campaign);
      },
      print: async (service, campaign) => {
        const code = await printResults(service, campaign, options);
        // If browser and log contradict each other, the demo has failed.
        return (await printProof(service, campaign, origin)) ? code : 1;
      },
      ...(keepOpen ? { keepOpen: (service, campaign) => openPage(service, campaign, options.data) } : {}),
    };
  };
  return await measure({ conditions, setScene }, options);
}

/** Prints what is measured and how long it takes: about two seconds for each visit of the demo's pages, and half a minute before the first. */
function printPlan({ spec, sites, progress: { rounds } }: Campaign): void {
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

/** @returns whether the browser and the server's log agree on everything */
async function printProof(service: LocalService, campaign: Campaign, origin: Origin): Promise<boolean> {
  const visits = [];
  for await (const visit of service.visits(campaign.id)) {
    if (visit.counted && visit.outcome.verdict === 'valid') visits.push({ visit, resources: await service.resources(visit.id) });
  }
  if (visits.length === 0) return true;
  const { proven, objects, logged, contradictions } = prove(visits, await readAccessLog(origin.accessLog), origin.sites);
  const [noun, what, whose, object] =
    campaign.spec.engine === 'transaction'
      ? ['run', 'every answer', 'client', 'answer']
      : ['visit', 'the document and every object', 'browser', 'object'];
  const percent = (part: number, whole: number) => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(part === whole ? 0 : 1)} %`);
  console.log(
    wrap(
      `\nProof: in ${grouped(proven)} of ${counted(visits.length, `valid ${noun}`)} (${percent(proven, visits.length)}) ${what} came over the requested protocol, as the ${whose} reports; ` +
        `the server’s log agrees on ${grouped(logged)} of ${counted(objects, object)} (${percent(logged, objects)}).`,
    ),
  );
  for (const line of contradictions.slice(0, 5)) console.log(yellow(line));
  if (contradictions.length > 5) console.log(styleText('yellow', `… and ${contradictions.length - 5} more.`));
  return contradictions.length === 0;
}

/** @returns the address of the campaign's page, which a desktop's browser is asked to open */
function openPage(service: LocalService, campaign: Campaign, data: DataFolder): string {
  const url = `${service.url}/#/campaigns/${campaign.id}?token=${service.token}`;
  if (process.env.DISPLAY !== undefined || process.env.WAYLAND_DISPLAY !== undefined) {
    // Without a browser this does nothing: the address is also printed. A file leads there, since the address has the token, and other users of the
    // machine can read command lines.
    const leading = join(data.path, 'open.html');
    writeFileSync(leading, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, { mode: 0o600 });
    spawn('xdg-open', [pathToFileURL(leading).href], { stdio: 'ignore', detached: true })
      .once('error', () => {})
      .unref();
  }
  return url;
}
