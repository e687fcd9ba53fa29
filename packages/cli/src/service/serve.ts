// The long-running service: api, dashboard and, optionally, a runner, on one data folder. Messages for people go to standard error; standard output is
// its log.

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type ApiOptions, type RunningApi, startApi } from '@pronghorn/api';
import { conditionNamed } from '@pronghorn/core/network';
import type { Fencing } from '@pronghorn/runner';
import { builtDashboard } from '@pronghorn/web';
import { budgetBytes, type ConfiguredOptions, configOf } from '../config/read.ts';
import type { Config } from '../config/schema.ts';
import { type Demo, demoExecutor, openDemo, sitesOf, usualConditions } from '../measure/demo-origin.ts';
import { UsageError } from '../program/errors.ts';
import { type DataFolder, dataFolder } from '../program/files.ts';
import { onSignals } from '../program/interrupt.ts';
import { wrap } from '../program/terminal.ts';
import { type BesideRunner, startBeside } from './runner-beside.ts';

export interface ServeOptions extends ConfiguredOptions {
  host?: string;
  port?: number;
  runner?: true;
  fence: boolean;
  demo?: true;
  open?: true;
  publicReading?: true;
  printConfig?: true;
}

/** @returns the exit code: as of `serve`; 0 where the configuration was printed */
export async function serveOrPrint(options: ServeOptions): Promise<number> {
  const { config, printed, origins } = configOf(options, {
    'listen.host': options.host,
    'listen.port': options.port,
    'runner.enabled': options.runner ?? options.demo,
    'runner.fence': options.fence ? undefined : false,
    'access.kind': options.open === true || options.demo === true ? 'open' : undefined,
    'access.publicReading': options.publicReading,
  });
  if (options.printConfig === true) {
    console.log(printed());
    return 0;
  }
  if (options.demo !== true) return await serve(config);
  // Newcomers read its messages, not its log.
  if (origins['log.level'] === 'default') config.log.level = 'warn';
  return await serveDemo(config, options.open === true ? undefined : randomBytes(32).toString('hex'));
}

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|::1)$/.test(host);

/** Closing may take this long; then the process ends as it is, which the database survives. */
const closeMs = 20_000;

/**
 * Serves beside a demo origin until a signal ends it.
 *
 * @param ownToken the only token that this machine's users may ask with; undefined: none is needed
 * @returns as `serve`
 */
async function serveDemo(config: Config, ownToken: string | undefined): Promise<number> {
  const { host } = config.listen;
  if (!isLoopback(host)) {
    throw new UsageError(
      `--demo is only for this machine, but listen.host is ${host}: its sign-in link would cross the network unencrypted. ` +
        'Add --host 127.0.0.1, or leave out --demo to sign in with tokens.',
    );
  }
  // From here on there is something to clean up.
  const ended = ending();
  const { link, allowNet, congestionControl } = config.runner;
  const conditions = (await usualConditions(link)).flatMap((name) => conditionNamed(name) ?? []);
  const wishes = { data: dataFolder(config.data), link: { choice: link, allowNet, congestionControl } };
  const open = (outside: boolean) => openDemo(conditions, wishes, { server: { name: 'nginx' }, port: undefined, outside });
  // Where a firewall keeps visits on this machine, the demo's own pages still work.
  const demo = await open(true).catch(async (error: Error) => {
    const alone = await open(false);
    say(wrap(`Only the demo's pages can be measured: ${error.message}`));
    return alone;
  });
  try {
    if (await Promise.race([ended, undefined])) return 0;
    return await serve(config, { demo, ownToken, ended });
  } finally {
    await demo.close();
  }
}

/**
 * Serves until SIGTERM, SIGINT or SIGHUP; the second one ends the process at once.
 * @returns the exit code: 0, or 1 where it could not end in time
 */
async function serve(
  config: Config,
  { demo, ownToken, ended = ending() }: { demo?: Demo; ownToken?: string | undefined; ended?: Promise<NodeJS.Signals> } = {},
): Promise<number> {
  const data = dataFolder(config.data);
  if (config.access.kind === 'open' && !isLoopback(config.listen.host)) {
    throw new UsageError(
      `The api may not listen on ${config.listen.host} while access is open: anyone who can reach it would be admin. ` +
        'Listen on 127.0.0.1, or leave out --open (access.kind tokens).',
    );
  }
  let firstToken: string | undefined;
  const api = await startApi({
    threads: true,
    ...apiOptions(config, data, (token) => {
      firstToken = token;
    }),
    ...(ownToken === undefined ? {} : { access: { kind: 'open', ownToken } }),
    offeredSites: sitesOf(demo?.origin.sites ?? [], undefined).map(({ name, title, url, standsFor }) => ({ name, title, url, standsFor })),
    webRoot: await builtDashboard(say),
    ...listening(config),
  });
  const executor = demo && (await demoExecutor(demo));
  const runner = config.runner.enabled
    ? startBeside(api, config.runner, { token: ownToken, executor, fencing: fencingOf(config) })
    : undefined;
  say(`Pronghorn serves ${data.path} at ${api.url}/ until Ctrl-C.`);
  if (api.metricsUrl !== null) say(`Metrics are at ${api.metricsUrl}/metrics.`);
  if (demo !== undefined) say(`Try it: ${api.url}/#/${ownToken === undefined ? '' : `?token=${ownToken}`}`);
  if (firstToken !== undefined) printFirstToken(api.url, firstToken);
  if (config.runner.enabled && config.log.level !== 'silent') say(`Runner ${config.runner.name ?? hostname()} works in this process.`);
  api.log.info({ event: 'service-started', url: api.url, data: data.path }, 'The service is ready.');

  const never = new Promise<never>(() => {});
  const failure = await Promise.race([
    ended,
    runner?.failed.then(({ message }) => new Error(`The runner ended: ${message}`)) ?? never,
    // Otherwise each page would seem to refuse connections.
    demo?.failed.then(({ message }) => new Error(`The service ends, since ${message}. Start it again.`)) ?? never,
  ]);
  if (failure instanceof Error) say(failure.message);
  return await end(api, runner, config.shutdown.drainSeconds, failure instanceof Error);
}

/** With open access only this machine's users can ask, who may reach all of it, as with `measure`. */
const fencingOf = ({ access, runner }: Config): Fencing => (access.kind === 'tokens' && runner.fence ? 'fenced' : 'unfenced');

async function end(api: RunningApi, runner: BesideRunner | undefined, drainSeconds: number, hasFailed: boolean): Promise<number> {
  api.log.info({ event: 'service-stopping' }, 'The service ends.');
  if (runner && !hasFailed) say(`The runner finishes its round, in at most ${drainSeconds} seconds; a second Ctrl-C ends it at once.`);
  await runner?.drain(hasFailed ? 0 : drainSeconds * 1_000);
  const closed = await Promise.race([api.close().then(() => true), timeout(closeMs).then(() => false)]);
  if (!closed) {
    say(`Not everything ended within ${closeMs / 1_000} seconds; stored data is safe.`);
    process.exit(1);
  }
  return hasFailed ? 1 : 0;
}

const listening = ({ listen, metrics }: Config) => ({
  ...listen,
  ...(metrics.access === 'own-port' ? { metricsAt: { host: metrics.host, port: metrics.port } } : {}),
});

/** The api's options of a configuration. */
function apiOptions(config: Config, data: DataFolder, onFirstToken: (token: string) => void): ApiOptions {
  const { access, queue, retention, log, metrics } = config;
  return {
    database: data.database,
    evidenceDirectory: data.evidence,
    logger: { level: log.level, pretty: log.pretty === 'always' || (log.pretty === 'auto' && process.stdout.isTTY === true) },
    allowedHosts: config.allowedHosts,
    access:
      access.kind === 'open'
        ? { kind: 'open' }
        : {
            kind: 'tokens',
            publicReading: access.publicReading,
            publicLinkDays: access.publicLinkDays,
            allowNet: access.allowNet,
            trustedProxies: config.trustedProxies,
            rateLimits: access.rateLimits,
            limits: access.limits,
            oidc: access.oidc,
            sessionMs: access.sessionHours * 3_600_000,
            onFirstToken,
          },
    calls: config.calls,
    leaseMs: queue.leaseMs,
    queue: { maxOpenRounds: queue.maxOpenRounds, idleSeconds: queue.idleSeconds, agingMs: queue.agingMs, turnMs: queue.turnMs },
    runners: { heartbeatMs: queue.runnerHeartbeatMs },
    schedules: { enabled: config.schedules.enabled, minimumIntervalMs: config.schedules.minimumIntervalSeconds * 1_000 },
    notifications: config.notifications,
    evidence: { budgetBytes: budgetBytes(config) },
    ...(retention.enabled ? { retention } : {}),
    metrics: { process: true, access: metrics.access === 'anyone' ? 'anyone' : 'viewer' },
    checkpoints: config.storage.checkpoints,
    readiness: { minFreeBytes: config.readiness.minFreeMb * 1e6 },
  };
}

function printFirstToken(url: string, token: string): void {
  say('');
  say(wrap('This is the first start. Here is a token with the role admin, shown only now: create others with it, then revoke it.'));
  say(`  ${token}`);
  say(`Sign in to the dashboard with it: ${url}/#token=${token}`);
  say('');
}

const say = (text: string) => console.error(text);
const timeout = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** @returns settles with the first signal; the second ends the process, as if nobody had handled it */
function ending(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    onSignals((count, signal) => {
      resolve(signal);
      if (count > 1) endBy(signal);
    });
  });
}

/**
 * Not by `process.exit` alone, which ends the threads first: one of V8's own may crash meanwhile (SIGTRAP, Node 24.22), and the process would end as if
 * something were broken.
 */
function endBy(signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM'): never {
  const code = 128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal];
  process.emit('exit', code); // what cleans up synchronously
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The first process of a container can't be ended by its own signal.
  process.exit(code);
}
