// One run of REST calls against one server, in the manner of wrk: how many requests a second, how long they take, what failed.

import { readOwnershipToken } from '@pronghorn/api';
import { defaultCallLimits, escapeProblem, ownershipPath, workloadLimits, workloadProblems } from '@pronghorn/core/schemas';
import { counted, protocolName, quantityWords } from '@pronghorn/core/text';
import { type Protocol, type RequestError, requestErrors } from '@pronghorn/core/vocabulary';
import { cpuPerRequest, errorsOf, NotConfirmed, Ownership, type Plan, type ProgramReport, runPlan } from '@pronghorn/runner';
import type { LoadOptions } from '../commands/calls.ts';
import { type DataFolder, dataFolder, readText, UsageError } from '../data.ts';
import { interruption } from '../interrupt.ts';
import { checkExports, writeOrTell } from '../measure/exports.ts';
import { table, wrap } from '../terminal.ts';

/** @returns the exit code: 0, 1 when no request succeeded, 130 when it was interrupted */
export async function load(url: string, options: LoadOptions): Promise<number> {
  const asked = planOf(url, options);
  if (options.json !== undefined && options.json === options.csv)
    throw new UsageError(`--json and --csv are both ${options.json}: the one would replace the other. Name two files.`);
  checkExports({ ...(options.json && { json: options.json }), ...(options.csv && { csv: options.csv }) });
  const stop = interruption();
  const plan = { ...asked, ...(await permitted(asked, dataFolder(options.data), stop)) };
  const watch = new Watch(plan);
  let told: ProgramReport;
  try {
    told = await runPlan(plan, {
      signal: stop,
      onSecond: (second) => watch.tell(second),
      ...(options.threads && { threads: options.threads }),
    });
  } catch (error) {
    if (!stop.aborted) throw error;
    console.error('Interrupted: nothing is told of a run that was broken off.');
    return 130;
  } finally {
    watch.end();
  }
  console.log(figures(plan.urls[0] ?? url, plan, told));
  const all = { url: plan.urls[0], plan: { ...plan, authority: undefined }, ...told, requests: undefined };
  const left = 'The figures above are all that is left of this run.';
  const isWritten = [
    options.json === undefined || (await writeOrTell(options.json, `${JSON.stringify(all, null, 2)}\n`, left)),
    options.csv === undefined || (await writeOrTell(options.csv, secondsCsv(told), left)),
  ];
  return told.summary.succeeded === 0 || isWritten.includes(false) ? 1 : 0;
}

/**
 * As a campaign's runs: a server that is not on this machine's loopback has to show this data folder's token first.
 *
 * @returns where the run goes
 */
async function permitted({ urls: [url = ''], authority }: Plan, data: DataFolder, signal: AbortSignal): Promise<Pick<Plan, 'at'>> {
  const token = await readOwnershipToken(data.database);
  const calls = { hosts: null, loopback: true, limits: defaultCallLimits, token, path: ownershipPath };
  try {
    return await new Ownership({ signal }).mayLoad(url, calls, authority);
  } catch (error) {
    throw error instanceof NotConfirmed ? new UsageError(error.message) : error;
  }
}

function planOf(given: string, options: LoadOptions): Plan {
  const { http: protocol, connections, streams, requests, rate, duration, method, body, timeout, ca } = options;
  const target = URL.parse(given);
  if (target === null)
    throw new UsageError(`${given} is no URL. Expected one such as https://localhost:8443/items, with a port up to 65535.`);
  if (target.protocol !== 'https:')
    throw new UsageError(`${given} is no https URL: HTTP/2 and HTTP/3 need one, and HTTP/1.1 is compared with them.`);
  if (target.username !== '' || target.password !== '')
    throw new UsageError(
      'The URL has a user name or a password, which would be written to the output. Leave them out: requests carry none.',
    );
  target.hash = '';
  const url = target.href;
  const unescaped = escapeProblem(url);
  if (unescaped !== undefined) throw new UsageError(unescaped);
  if (rate !== undefined && streams > 1)
    throw new UsageError('At a fixed rate as many requests are under way on a connection as have to be: leave out --streams.');
  if (protocol === 'h1' && streams > 1)
    throw new UsageError('Over HTTP/1.1 a connection has one request under way: give more connections (-c) instead of streams.');
  if (method === 'GET' && body > 0) throw new UsageError('A GET request has no body: ask for --method POST.');
  if (requests !== undefined && rate !== undefined)
    throw new UsageError('--requests and --rate exclude each other: at a fixed rate the time ends the run.');
  const users = rate === undefined ? connections * streams : workloadLimits.users;
  const counts =
    requests !== undefined ? { requests } : { mode: rate === undefined ? ('duration' as const) : ('rate' as const), seconds: duration };
  const [problem] = workloadProblems({ method, bodyBytes: body, users, ...counts, ...(rate !== undefined && { requestsPerSecond: rate }) });
  if (problem !== undefined) throw new UsageError(problem.detail);
  return {
    urls: [url],
    method,
    body,
    protocol,
    mode: requests !== undefined ? 'count' : rate !== undefined ? 'rate' : 'duration',
    users,
    requests: requests ?? 0,
    seconds: requests === undefined ? duration : workloadLimits.seconds,
    requestsPerSecond: rate ?? 0,
    poisson: false,
    seed: 1,
    connections: 'shared',
    shared: connections,
    state: 'warm',
    earlyData: false,
    timeoutMs: timeout * 1_000,
    at: '',
    authority: ca === undefined ? '' : readAuthority(ca),
    askUsage: false,
    maxSamples: 0,
  };
}

function readAuthority(file: string): string {
  const text = readText(file, '--ca');
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new UsageError(`--ca ${file} has no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----.`);
  return text;
}

/** One line that is drawn over, on a terminal alone. */
class Watch {
  readonly #plan: Plan;
  #before = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  tell({ at, succeeded, failed }: ProgramReport['seconds'][number]): void {
    if (process.stderr.isTTY !== true) return;
    const of = this.#plan.seconds > 0 ? ` of ${this.#plan.seconds}` : '';
    const errors = failed === 0 ? '' : `, ${failed} failed`;
    process.stderr.write(
      `\r\x1b[K${at}${of} s: ${(succeeded - this.#before).toLocaleString('en-US')} requests in the last second, ${succeeded.toLocaleString('en-US')} in all${errors}`,
    );
    this.#before = succeeded;
  }

  end(): void {
    if (process.stderr.isTTY === true) process.stderr.write('\r\x1b[K');
  }
}

const percentiles = ['p50', 'p90', 'p95', 'p99', 'p999', 'max', 'mean'] as const;

export function figures(url: string, plan: Plan, { about, connections, summary }: ProgramReport): string {
  const { latency, ttfb, response, client, traffic } = summary;
  const failed = Object.values(summary.errors).reduce((sum, count) => sum + count, 0);
  const sent = summary.succeeded + failed;
  const [first] = connections;
  const spreads: [string, ProgramReport['summary']['latency']][] = [
    ...(plan.mode === 'rate' ? [['from due', response] as [string, typeof response]] : []),
    ['latency', latency],
    ['first byte', ttfb],
  ];
  return [
    `${protocolName(plan.protocol as Protocol)}, ${counted(sent, 'request')} in ${summary.wallSeconds.toFixed(2)} s over ${counted(summary.connectionsBefore + summary.connections, 'connection')}${summary.sentAgain ? ` (${summary.sentAgain.toLocaleString('en-US')} sent once more, which the server had not processed)` : ''}: ${quantityWords('requestsPerSecond', summary.requestsPerSecond)}, ${quantityWords('bytesPerSecond', (summary.bytesReceived + summary.bytesSent) / Math.max(summary.wallSeconds, 1e-9))}`,
    table(
      ['ms', ...percentiles],
      spreads.map(([name, spread]) => [name, ...percentiles.map((percentile) => msWords(spread[percentile]))]),
    ),
    ...(failed === 0
      ? []
      : [
          [
            wrap(
              `${failed.toLocaleString('en-US')} of them failed, and count as ones that took ${plan.mode === 'rate' ? 'at least ' : 'the whole '}${plan.timeoutMs / 1_000} s:`,
            ),
            ...errorsOf(summary).map(([name, count]) =>
              wrap(
                `  ${count.toLocaleString('en-US')} ${requestErrors[name as RequestError]} (${shortened(summary.details[name] ?? name)})`,
              ),
            ),
          ].join('\n'),
        ]),
    wrap(
      [
        `Handshake ${summary.handshake === null ? 'unknown' : `${msWords(summary.handshake)} ms`}.`,
        `The client took ${quantityWords('clientCpu', cpuPerRequest(summary, client.cpuSeconds))} of CPU a request, and ${Math.round(client.peakMemory / 1e6)} MB at most.`,
        ...(traffic.retransmitted === null ? [] : [`${traffic.retransmitted.toLocaleString('en-US')} packets were sent again.`]),
        ...(traffic.dropped ? [`${traffic.dropped.toLocaleString('en-US')} datagrams found the client’s receive buffer full.`] : []),
        `${about.go}, quic-go ${about.modules['github.com/quic-go/quic-go'] ?? 'unknown'}${first === undefined ? '' : `, ${first.cipher}`}, to ${new URL(url).host}.`,
      ].join(' '),
    ),
  ].join('\n\n');
}

/** What a server sends may be as long as it likes. */
const shortened = (words: string) => (words.length > 300 ? `${words.slice(0, 300)}…` : words).replaceAll('\n', '; ');

/** Three digits. */
const msWords = (ms: number): string => (ms >= 1_000 ? Math.round(ms).toLocaleString('en-US') : String(Number(ms.toPrecision(3))));

function secondsCsv({ seconds }: ProgramReport): string {
  const header = 'second,succeeded,failed,bytesReceived,bytesSent';
  return `${[header, ...seconds.map(({ at, succeeded, failed, bytesReceived, bytesSent }) => [at, succeeded, failed, bytesReceived, bytesSent].join(','))].join('\r\n')}\r\n`;
}
