// Explains what Chrome’s network stack logs of a page. These are extra visits: they belong to no campaign and never count.

import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { conditionNamed, presets } from '@pronghorn/core/network';
import { type Condition, type ConnectionFindings, defaultLimits, type Finding, type WhyNotH3 } from '@pronghorn/core/schemas';
import { counted, listed, nameMeant, protocolName, quantityWords } from '@pronghorn/core/text';
import { type Discovery, metricOf, type Protocol, type View } from '@pronghorn/core/vocabulary';
import type { ServerWish } from '@pronghorn/origin';
import { chooseBackend, type NetlogVisit, netlogVisits, puppeteerEngine } from '@pronghorn/runner';
import { resolveTargets, targetOf, targetOptions } from '../local/targets.ts';
import { demoScene } from '../measure/demo-origin.ts';
import { sceneOf } from '../measure/measure.ts';
import type { Occasion } from '../measure/perform.ts';
import { conditionsOfFile } from '../measure/request.ts';
import { type LinkingOptions, type LocalOptions, linkWishes } from '../options/measuring.ts';
import { meantWords } from '../options/values.ts';
import { UsageError } from '../program/errors.ts';
import { type DataFolder, dataFolder, makeFolder, reasonOf } from '../program/files.ts';
import { interruption } from '../program/interrupt.ts';
import { dim, plain, wrap } from '../program/terminal.ts';

export interface NetlogOptions extends LinkingOptions, LocalOptions {
  sites?: string[];
  origin: ServerWish;
  protocols: Protocol[];
  condition: string;
  discovery: Discovery;
  view: View;
  out?: string;
  json?: true;
  data?: string;
}

/** @returns 0; 1 when a log is missing, 130 when it was interrupted */
export async function netlog(page: string | undefined, options: NetlogOptions): Promise<number> {
  if ((page === undefined) === (options.sites === undefined))
    throw new UsageError('Name either a page, or pages of the demo with --sites.');
  const condition = conditionOf(options.condition);
  const data = dataFolder(options.data);
  const folder = resolve(options.out ?? join(data.path, 'netlogs'));
  try {
    makeFolder(folder);
  } catch (error) {
    throw new UsageError(`The folder ${folder} can't be created (${reasonOf(error)}).`);
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
        const visits = { url, condition, protocols, discovery, view, isolation: 'auto', browser: 'chrome', limits } as const;
        const print = async (visit: NetlogVisit) => {
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
        await netlogVisits({ engine, link }, visits, print, signal);
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
  // A server's log of a connection is complete when the connection is closed.
  if (qlogs !== undefined) for (const path of copyQlogs(qlogs, written)) console.error(styleText('dim', `${path} (the server’s)`));
  if (signal.aborted) return 130;
  if (options.json !== true)
    console.error(
      dim('Chrome’s netlog viewer, qvis and waterfall-tools open the logs. They contain URLs and headers: check one before you share it.'),
    );
  return isWhole ? 0 : 1;
}

/**
 * Copies the server's qlogs of these connections beside the netlogs: a qlog's name is the connection id that Chrome chose first (RFC 9000 §7.2).
 *
 * @returns their paths
 */
function copyQlogs(folder: string, netlogs: readonly { netlog: string; content: string }[]): string[] {
  const qlogs = readdirSync(folder).flatMap((name) => {
    const id = /^([0-9a-f]{16,40})_server\.sqlog$/.exec(name)?.[1];
    return id === undefined ? [] : [{ name, id }];
  });
  return netlogs.flatMap(({ netlog, content }) =>
    qlogs
      .filter(({ id }) => content.includes(`"connection_id":"${id}"`))
      .map(({ name }, place) => {
        const path = netlog.replace(/\.netlog\.json$/, `${place === 0 ? '' : `-${place + 1}`}.server.sqlog`);
        copyFileSync(join(folder, name), path);
        return path;
      }),
  );
}

/** Other work on the machine does not spoil such a visit. */
const limits = { ...defaultLimits, loadTimeoutMs: 'auto', foreignCpuShare: 1 } as const;

/** @throws UsageError where the condition is unknown, or the file has not exactly one */
function conditionOf(wish: string): Condition {
  const preset = conditionNamed(wish);
  if (preset !== undefined) return preset;
  if (!wish.endsWith('.json')) {
    const meant = nameMeant(
      wish,
      presets.map(({ name }) => name),
    );
    throw new UsageError(`There is no condition ${wish}.${meantWords(meant)} ./pronghorn conditions lists all.`);
  }
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
  const targets = await resolveTargets([targetOf(page)], targetOptions(options));
  const scene = await sceneOf([condition], targets, { ...wishes, outside: options.outside, engine: 'puppeteer' });
  return { ...scene, qlogs: undefined, sites: targets.sites.map(({ url, name = new URL(url).host }) => ({ url, name })) };
}

/** @param visit of that site under that condition */
export function netlogReport(
  { site, condition }: { site: string; condition: string },
  { protocol, outcome, findings }: NetlogVisit,
): string {
  const verdict =
    outcome.verdict === 'valid'
      ? `valid, onLoad ${quantityWords('onLoad', metricOf(outcome.metrics, 'onLoad') ?? Number.NaN)} with the log`
      : `invalid: ${outcome.reason}, ${outcome.detail}`;
  const heading = `${styleText('bold', plain(site))} ${condition}, ${protocolName(protocol)}: ${plain(verdict)}`;
  if (findings === null) return `${heading}\nNo netlog: Chrome gave none, or lost part of it.`;
  const others = Map.groupBy(findings.notOverH3, ({ why }) => ('unknown' in why ? `unknown: ${why.unknown}` : whyNotH3[why.found]));
  return [
    heading,
    ...findings.connections.flatMap(connectionLines),
    ...(others.size === 0 ? [] : [`Not over HTTP/3: ${counted(findings.notOverH3.length, 'request')}`]),
    ...[...others].map(([why, requests]) => wrapped(`${requests.length} ${why}, such as ${requests[0]?.url}`)),
  ].join('\n');
}

const whyNotH3: Record<WhyNotH3, string> = {
  cached: 'from a cache',
  'not-offered': 'to hosts without HTTP/3',
  'not-known-yet': 'that began before their host had offered it',
  broken: 'to hosts whose HTTP/3 Chrome had given up',
  'race-lost': 'whose other connection was ready first',
  'quic-failed': 'whose QUIC connection failed',
};

function connectionLines({ host, protocol, rttMs, handshake, bytesByRoundTrip, quic }: ConnectionFindings): string[] {
  return [
    `${styleText('bold', plain(host))} ${known(protocol, protocolName)}, round trip ${known(rttMs, ms)}`,
    `connected in ${known(handshake, ({ ms: took, roundTrips }) => `${roundTrips} round trips (${ms(took)})`)}`,
    `kB by round trip: ${known(bytesByRoundTrip, (sums) => sums.map(kilobytes).join(' '))}`,
    ...(quic === null ? [] : quicLines(quic)),
  ].map((line, index) => (index === 0 ? line : wrapped(line)));
}

function quicLines({ urls, holes, priorities, capped }: NonNullable<ConnectionFindings['quic']>): string[] {
  const name = (stream: number) => pathOf(urls[stream]) ?? `stream ${stream}`;
  return [
    `holes: ${known(holes, ({ count, longest: [longest] }) =>
      longest === undefined
        ? 'none'
        : `${count}, the longest ${ms(longest.ms)} in ${name(longest.stream)}, during which ${kilobytes(longest.foreignBytes)} kB of other responses arrived`,
    )}`,
    `priorities: ${known(
      priorities,
      ({ signals, notFollowed, passedBefore, followed, undecided }) =>
        `${counted(signals, 'signal')}, ${notFollowed} not followed, ${passedBefore} passed before the response began, ${followed} followed, ${undecided} undecided`,
    )}`,
    ...('found' in priorities
      ? priorities.found.worst.map(
          ({ stream, value, passedBytes, passedBeforeBytes, rule }) =>
            `  ${kilobytes(passedBytes + passedBeforeBytes)} kB passed ${name(stream)} (${value}): ${rules[rule]}`,
        )
      : []),
    `capped: ${known(capped, (streams) =>
      streams.length === 0
        ? 'no stream'
        : listed(
            streams.map(
              ({ stream, windowBytes, roundTrips }) =>
                `${name(stream)} at ${kilobytes(windowBytes)} kB in each of ${roundTrips} round trips`,
            ),
          ),
    )}`,
  ];
}

const rules = { urgency: 'less urgent ones', order: 'of later requests', sharing: 'without a turn of its own' };

const known = <T>(one: Finding<T>, say: (found: T) => string): string => ('found' in one ? say(one.found) : `unknown (${one.unknown})`);
const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const kilobytes = (bytes: number) => (bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0);
const wrapped = (line: string) => wrap(line, Math.min(process.stdout.columns || 100, 100) - 2).replace(/^/gm, '  ');

function pathOf(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  return parsed === null ? undefined : plain(`${parsed.pathname}${parsed.search}`);
}
