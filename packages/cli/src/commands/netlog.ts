// What Chrome's network stack logs of a page, and what that says. These are extra visits: of no campaign, and no number of theirs counts.
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { conditionNamed } from '@pronghorn/core/network';
import { type Condition, defaultLimits } from '@pronghorn/core/schemas';
import { type Discovery, discoveries, type Protocol, protocols, type View, views } from '@pronghorn/core/vocabulary';
import { chooseBackend, type NetlogVisit, netlogVisits, puppeteerEngine } from '@pronghorn/runner';
import { type Command, Option } from 'commander';
import { conditionsOfFile } from '../conditions.ts';
import { type DataFolder, dataFolder, makeFolder, reasonOf, UsageError } from '../data.ts';
import { interruption } from '../interrupt.ts';
import { resolveTargets, targetOf } from '../local/targets.ts';
import { netlogReport } from '../netlog-report.ts';
import { type LocalOptions, localOptions, targetOptions } from '../options/local.ts';
import { type LinkingOptions, linking, linkWishes, originOption, sitesOption } from '../options/measuring.ts';
import { dataOption } from '../options/place.ts';
import { listOf } from '../options/values.ts';
import type { OriginWishes } from '../origin.ts';
import { wrap } from '../terminal.ts';
import { demoScene } from './demo.ts';
import { sceneOf } from './measure.ts';
import type { Occasion } from './perform.ts';

interface NetlogOptions extends LinkingOptions, LocalOptions {
  sites?: string[];
  origin: OriginWishes['server'];
  protocols: Protocol[];
  condition: string;
  discovery: Discovery;
  view: View;
  out?: string;
  json?: true;
  data?: string;
}

export function addNetlog(program: Command): void {
  linking(localOptions(program.command('netlog')))
    .description('load a page over HTTP/3, or over --protocols, and tell what Chrome’s network log shows')
    .argument('[url]', 'page: a URL, a folder such as ./dist or a page in it, a server such as http://localhost:3000/')
    .addOption(sitesOption())
    .addOption(originOption())
    .addOption(new Option('--protocols <list>', 'some of h1, h2, h3').argParser(listOf(protocols)).default(['h3' as Protocol], 'h3'))
    .option('--condition <name>', 'a condition that ./pronghorn conditions lists, or a JSON file with one', 'native')
    .addOption(new Option('--discovery <how>', 'how Chrome comes to HTTP/3').choices(discoveries).default('forced'))
    .addOption(new Option('--view <view>', 'cold: nothing kept; warm: the repeat view').choices(views).default('cold'))
    .option('--out <folder>', 'where the logs are written (default: netlogs/ in the data folder)')
    .option('--json', 'print the findings as JSON')
    .addOption(dataOption())
    .action(async (page: string | undefined, options: NetlogOptions) => {
      process.exitCode = await netlog(page, options);
    });
}

/** @returns 0; 1 when a log could not be had, 130 when it was interrupted */
async function netlog(page: string | undefined, options: NetlogOptions): Promise<number> {
  if ((page === undefined) === (options.sites === undefined)) throw new UsageError('Name a page, or pages of the demo with --sites.');
  const condition = conditionOf(options.condition);
  const data = dataFolder(options.data);
  const folder = resolve(options.out ?? join(data.path, 'netlogs'));
  try {
    makeFolder(folder);
  } catch (error) {
    throw new UsageError(`The folder ${folder} can't be made (${reasonOf(error)}).`);
  }
  await chooseBackend(options.link, [condition]);
  const { sites, lab, link: opened, qlogs, close } = await openScene(page, condition, options, data);
  const written: { netlog: string; content: string }[] = [];
  const signal = interruption();
  let isWhole = true;
  try {
    const link = await opened();
    const engine = puppeteerEngine(lab, link.vantagePoint, { ahead: false });
    const stop = () => void engine.close();
    signal.addEventListener('abort', stop);
    try {
      for (const { name, url } of sites) {
        const { protocols, discovery, view } = options;
        const asked = { url, condition, protocols, discovery, view, isolation: 'auto', browser: 'chrome', limits } as const;
        const tell = async (visit: NetlogVisit) => {
          const path = join(folder, `${name.replace(/[^a-z0-9.-]+/gi, '-').slice(0, 80)}-${condition.name}-${visit.protocol}.netlog.json`);
          if (visit.file !== null) {
            writeFileSync(path, visit.file, { mode: 0o600 });
            written.push({ netlog: path, content: visit.file });
          }
          isWhole &&= visit.file !== null;
          if (options.json === true) {
            const { protocol, outcome, findings } = visit;
            console.log(
              JSON.stringify({ site: name, url, condition: condition.name, protocol, outcome, findings, file: visit.file && path }),
            );
            return;
          }
          console.log(netlogReport({ site: name, condition: condition.name }, visit));
          if (visit.file !== null) console.log(styleText('dim', `${path} (${(visit.file.length / 1e6).toFixed(1)} MB)\n`));
        };
        await netlogVisits({ engine, link }, asked, tell, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      await engine.close();
    }
  } finally {
    await close();
  }
  // What a server logs of a connection is whole when that is closed.
  if (qlogs !== undefined) for (const path of copyQlogs(qlogs, written)) console.error(styleText('dim', `${path} (the server’s)`));
  if (signal.aborted) return 130;
  if (options.json !== true)
    console.error(
      styleText(
        'dim',
        wrap('The logs open in Chrome’s netlog viewer, qvis and waterfall-tools. They have URLs and headers: look before you pass one on.'),
      ),
    );
  return isWhole ? 0 : 1;
}

/**
 * Puts the server's qlogs of the connections of netlogs beside these: a qlog is named by the connection id that Chrome chose first (RFC 9000 §7.2).
 *
 * @returns their paths
 */
function copyQlogs(folder: string, netlogs: readonly { netlog: string; content: string }[]): string[] {
  const found = readdirSync(folder).flatMap((name) => {
    const id = /^([0-9a-f]{16,40})_server\.sqlog$/.exec(name)?.[1];
    return id === undefined ? [] : [{ name, id }];
  });
  return netlogs.flatMap(({ netlog, content }) =>
    found
      .filter(({ id }) => content.includes(`"connection_id":"${id}"`))
      .map(({ name }, place) => {
        const path = netlog.replace(/\.netlog\.json$/, `${place === 0 ? '' : `-${place + 1}`}.server.sqlog`);
        copyFileSync(join(folder, name), path);
        return path;
      }),
  );
}

/** Other work on the machine makes no such visit worthless. */
const limits = { ...defaultLimits, loadTimeoutMs: 'auto', foreignCpuShare: 1 } as const;

/** @throws UsageError when there is no such condition, or not one */
function conditionOf(wish: string): Condition {
  const known = conditionNamed(wish);
  if (known !== undefined) return known;
  if (!wish.endsWith('.json')) throw new UsageError(`There is no condition ${wish}: ./pronghorn conditions lists them.`);
  const [only, ...others] = conditionsOfFile(wish);
  if (only === undefined || others.length > 0)
    throw new UsageError(`The condition file ${wish} has ${others.length + (only === undefined ? 0 : 1)} conditions; expected one.`);
  return only;
}

async function openScene(
  page: string | undefined,
  condition: Condition,
  options: NetlogOptions,
  data: DataFolder,
): Promise<
  Pick<Occasion, 'lab' | 'link'> & { sites: readonly { name: string; url: string }[]; qlogs: string | undefined; close(): Promise<void> }
> {
  const wishes = { data, link: linkWishes(options) };
  if (page === undefined) {
    const qlog = options.origin.name === 'caddy';
    const scene = await demoScene([condition], wishes, { server: options.origin, port: undefined, qlog }, options.sites);
    return { ...scene, qlogs: scene.origin.qlogs };
  }
  const found = await resolveTargets([targetOf(page)], targetOptions(options));
  const scene = await sceneOf([condition], found, { ...wishes, outside: options.outside });
  return { ...scene, qlogs: undefined, sites: found.sites.map(({ url, name = new URL(url).host }) => ({ url, name })) };
}
