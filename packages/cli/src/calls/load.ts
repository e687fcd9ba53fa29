// One run of REST calls to one server, like wrk: requests a second, how long they take, what failed.

import { readOwnershipToken } from '@pronghorn/api';
import { defaultCallLimits, escapeProblem, ownershipPath, workloadLimits, workloadProblems } from '@pronghorn/core/schemas';
import { counted, protocolName, quantityWords } from '@pronghorn/core/text';
import { type Protocol, type RequestError, requestErrors } from '@pronghorn/core/vocabulary';
import { cpuPerRequest, errorsOf, NotConfirmed, Ownership, type Plan, type ProgramReport, runPlan } from '@pronghorn/runner';
import { checkExports, writeOrReport } from '../measure/exports.ts';
import { withScheme } from '../options/values.ts';
import { UsageError } from '../program/errors.ts';
import { type DataFolder, dataFolder, readText } from '../program/files.ts';
import { interruption } from '../program/interrupt.ts';
import { redraw, table, wrap } from '../program/terminal.ts';

export interface LoadOptions {
  duration: number;
  threads?: number;
  connections: number;
  streams: number;
  http: Protocol;
  requests?: number;
  rate?: number;
  method: 'GET' | 'POST';
  body: number;
  ca?: string;
  timeout: number;
  json?: string;
  csv?: string;
  data?: string;
}

/** @returns the exit code: 0, 1 when no request succeeded, 130 when it was interrupted */
export async function load(url: string, options: LoadOptions): Promise<number> {
  const wanted = planOf(withScheme(url), options);
  if (options.json !== undefined && options.json === options.csv)
    throw new UsageError(`--json and --csv are both ${options.json}: one would replace the other. Name two files.`);
  checkExports({ ...(options.json && { json: options.json }), ...(options.csv && { csv: options.csv }) });
  const stop = interruption();
  const plan = { ...wanted, ...(await permitted(wanted, dataFolder(options.data), stop)) };
  let report: ProgramReport;
  try {
    report = await runPlan(plan, {
      signal: stop,
      onSecond: drawing(plan),
      ...(options.threads && { threads: options.threads }),
    });
  } catch (error) {
    if (!stop.aborted) throw error;
    console.error('Interrupted: an unfinished run has no figures.');
    return 130;
  } finally {
    redraw();
  }
  console.log(figures(plan.urls[0] ?? url, plan, report));
  const all = { url: plan.urls[0], plan: { ...plan, authority: undefined }, ...report, requests: undefined };
  const left = 'Only the figures above remain of this run.';
  const isWritten = [
    options.json === undefined || (await writeOrReport(options.json, `${JSON.stringify(all, null, 2)}\n`, left)),
    options.csv === undefined || (await writeOrReport(options.csv, secondsCsv(report), left)),
  ];
  return report.summary.succeeded === 0 || isWritten.includes(false) ? 1 : 0;
}

/**
 * As for a campaign's runs, a server that is not on this machine's loopback has to show this data folder's token first.
 *
 * @returns the address that the run may load
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
    throw new UsageError(`${given} is not a URL; expected one such as https://localhost:8443/items, with a port up to 65535.`);
  if (target.protocol !== 'https:')
    throw new UsageError(`${given} is not an https URL: HTTP/2 and HTTP/3 need one, and HTTP/1.1 is compared with them.`);
  if (target.username !== '' || target.password !== '')
    throw new UsageError(
      'The URL contains a user name or password, which would appear in the output. Leave them out: requests carry none.',
    );
  target.hash = '';
  const url = target.href;
  const unescaped = escapeProblem(url);
  if (unescaped !== undefined) throw new UsageError(unescaped);
  if (rate !== undefined && streams > 1)
    throw new UsageError('At a fixed rate, a connection has as many concurrent requests as the rate needs: leave out --streams.');
  if (protocol === 'h1' && streams > 1)
    throw new UsageError('Over HTTP/1.1 a connection has one request at a time: use more connections (-c) instead of streams.');
  if (method === 'GET' && body > 0) throw new UsageError('A GET request has no body: add --method POST.');
  if (requests !== undefined && rate !== undefined)
    throw new UsageError('Use either --requests or --rate: at a fixed rate the duration ends the run.');
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

/** Shows the figures of each second on one line. */
function drawing({ seconds }: Plan): (second: ProgramReport['seconds'][number]) => void {
  let before = 0;
  return ({ at, succeeded, failed }) => {
    const [lastSecond, all] = [succeeded - before, succeeded].map((count) => count.toLocaleString('en-US'));
    redraw(
      `${at}${seconds > 0 ? ` of ${seconds}` : ''} s: ${lastSecond} requests in the last second, ${all} in all${failed === 0 ? '' : `, ${failed} failed`}`,
    );
    before = succeeded;
  };
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
    `${protocolName(plan.protocol as Protocol)}, ${counted(sent, 'request')} in ${summary.wallSeconds.toFixed(2)} s over ${counted(summary.connectionsBefore + summary.connections, 'connection')}${summary.sentAgain ? ` (${summary.sentAgain.toLocaleString('en-US')} sent again, since the server had not processed them)` : ''}: ${quantityWords('requestsPerSecond', summary.requestsPerSecond)}, ${quantityWords('bytesPerSecond', (summary.bytesReceived + summary.bytesSent) / Math.max(summary.wallSeconds, 1e-9))}`,
    table(
      ['ms', ...percentiles],
      spreads.map(([name, spread]) => [name, ...percentiles.map((percentile) => msWords(spread[percentile]))]),
    ),
    ...(failed === 0
      ? []
      : [
          [
            wrap(
              `${failed.toLocaleString('en-US')} of them failed, and count as having taken ${plan.mode === 'rate' ? 'at least ' : 'the whole '}${plan.timeoutMs / 1_000} s:`,
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
        `The client took ${quantityWords('clientCpu', cpuPerRequest(summary, client.cpuSeconds))} of CPU a request, and at most ${Math.round(client.peakMemory / 1e6)} MB.`,
        ...(traffic.retransmitted === null ? [] : [`${traffic.retransmitted.toLocaleString('en-US')} packets were sent again.`]),
        ...(traffic.dropped ? [`${traffic.dropped.toLocaleString('en-US')} datagrams found the client’s receive buffer full.`] : []),
        `${about.go}, quic-go ${about.modules['github.com/quic-go/quic-go'] ?? 'unknown'}${first === undefined ? '' : `, ${first.cipher}`}, to ${new URL(url).host}.`,
      ].join(' '),
    ),
  ].join('\n\n');
}

/** A server's text may have any length. */
const shortened = (words: string) => (words.length > 300 ? `${words.slice(0, 300)}…` : words).replaceAll('\n', '; ');

/** Three digits. */
const msWords = (ms: number): string => (ms >= 1_000 ? Math.round(ms).toLocaleString('en-US') : String(Number(ms.toPrecision(3))));

function secondsCsv({ seconds }: ProgramReport): string {
  const header = 'second,succeeded,failed,bytesReceived,bytesSent';
  return `${[header, ...seconds.map(({ at, succeeded, failed, bytesReceived, bytesSent }) => [at, succeeded, failed, bytesReceived, bytesSent].join(','))].join('\r\n')}\r\n`;
}
