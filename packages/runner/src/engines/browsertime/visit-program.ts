// One visit by browsertime: a separate program, since it has to run where the visits' Chrome runs, behind the link, and unprivileged.
// Its messages are in options.ts. It ends when its standard input ends, together with all that it started.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { LoadEnd, NetworkEvent } from '../../gather/evidence.ts';
import { gatherPage } from '../../gather/page-timings.ts';
import { BrowsertimeWatch, type CdpClient } from './load-watch.ts';
import { type Gathered, type ProgramMessage, urlInScript, type VisitOrder } from './options.ts';
import { visualMetrics } from './visual-metrics.ts';

/** The part of browsertime's interface that is used, as of 26.3. */
interface Browsertime {
  BrowsertimeEngine: new (options: object) => { start(): Promise<void>; runMultiple(scripts: readonly Script[]): Promise<Result[]> };
}
type Script = (context: { selenium: { driver: object } }, commands: Commands) => Promise<void>;
interface Commands {
  measure: { start(url: string): Promise<void> };
  cdp: { getRawClient(): CdpClient };
}
type Result = { failureMessages?: string[]; errors?: string[] };

/** The pipe that answers go to: browsertime logs to standard output. */
const answers = 3;
/** Beyond the time to settle: browsertime's own waits, a look, and the end of the video. */
const spareMs = { page: 8_000, browsertime: 25_000 } as const;
const displayMs = 10_000;
/** Time for Chrome to report why a page did not load. */
const wordMs = 500;
const recorderMs = 10_000;
/** Time for Xvfb to remove its lock. */
const politeMs = 500;
/** A second of video takes some two seconds of CPU time. */
const metricsMs = 60_000;

let display: ChildProcess | undefined;
const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => void perform(JSON.parse(line) as VisitOrder).catch((error) => tell({ kind: 'failed', why: reason(error) })));
lines.once('close', () => void leave());

async function perform(order: VisitOrder): Promise<void> {
  // Loaded before privileges drop: the folder may be closed to other users.
  const { BrowsertimeEngine } = (await import(pathToFileURL(join(order.browsertime, 'index.js')).href)) as Browsertime;
  const metricsProgram = readFileSync(join(order.browsertime, 'visualmetrics', 'visualmetrics-portable.py'), 'utf8');
  flushCompileCache();
  if (order.owner !== null) become(order.owner);
  const options = { ...order.options };
  if (order.display !== null) {
    const number = await openDisplay(order.display);
    tell({ kind: 'display', number });
    process.env.DISPLAY = `:${number}`;
    options.xvfbParams = { display: number };
  }
  const engine = new BrowsertimeEngine(options);
  await engine.start();
  let hasAnswered = false;
  const results = await engine.runMultiple([
    async (_, commands) => {
      const message = await visit(order, commands, metricsProgram);
      hasAnswered = true;
      tell(message);
      // It would now close Chrome and wait two seconds more: we are ended instead.
      await new Promise(() => {});
    },
  ]);
  if (!hasAnswered) throw new Error(`browsertime did not start Chrome: ${results.flatMap(messagesOf).join('; ') || 'it does not say why'}`);
}

const messagesOf = ({ failureMessages = [], errors = [] }: Result): string[] => [...new Set([...failureMessages, ...errors])];

async function visit(
  { url, limits, options, folder, display }: VisitOrder,
  commands: Commands,
  metricsProgram: string,
): Promise<ProgramMessage> {
  const client = commands.cdp.getRawClient();
  let startedAt = new Date().toISOString();
  const hungMs = (limits.untilMs ?? 0) + limits.settleMaxMs + spareMs['pageCompleteCheck' in options ? 'page' : 'browsertime'];
  const watch = new BrowsertimeWatch(client, limits, hungMs, () => {
    startedAt = new Date().toISOString();
    tell({ kind: 'begun' });
  });
  await watch.start();
  const { product } = (await client.send('Browser.getVersion')) as { product: string };
  const size = { expression: "innerWidth + ' × ' + innerHeight", returnByValue: true };
  const viewport = ((await client.send('Runtime.evaluate', size)) as { result: { value: string } }).result.value;
  const measured = commands.measure.start(urlInScript(url)).then(
    () => undefined,
    (error) => reason(error),
  );
  const first = await Promise.race([watch.ended.then((end) => ({ end })), measured.then((failure) => ({ failure }))]);
  tell({ kind: 'ended' });
  const end = 'end' in first ? first.end : await endOf(watch, first.failure, limits.settleMaxMs);
  const gathered = await gatherPage(watch, watch, end, 5_000);
  const video = display === null || gathered.page === null ? null : await metricsOf(measured, metricsProgram, folder);
  const evidence: Gathered = {
    ...{ version: 1, startedAt, ...gathered },
    ...{ network: ofThePage(gathered.network), frames: [], video },
  };
  const commandLine = readFileSync(join(folder, 'chrome.flags'), 'utf8').split('\0').filter(Boolean);
  return { kind: 'gathered', evidence, product, commandLine, viewport };
}

/** browsertime navigates by a script in its start page: without that the document has no initiator, as a typed URL. */
const ofThePage = ([first, ...others]: NetworkEvent[]): NetworkEvent[] =>
  first?.method === 'Network.requestWillBeSent' && first.params.type === 'Document'
    ? [{ ...first, params: { ...first.params, initiator: { type: 'other' } } }, ...others]
    : [...(first === undefined ? [] : [first]), ...others];

/** The end of a load that browsertime itself says is over. */
async function endOf(watch: BrowsertimeWatch, failure: string | undefined, settleMaxMs: number): Promise<LoadEnd> {
  const quiet = (): LoadEnd | undefined =>
    watch.loadedAt === undefined ? undefined : { kind: performance.now() - watch.loadedAt < settleMaxMs ? 'quiet' : 'settle-cut' };
  // A page that came and answers no more is judged by what could not be read of it. Of others Chrome's own word may be on its way.
  const end = quiet() ?? (await Promise.race([watch.ended, delay(wordMs).then(quiet)]));
  if (end === undefined) throw new Error(`browsertime gave up on the page before it had loaded: ${failure ?? 'it does not say why'}`);
  return end;
}

/** Called after browsertime has ended the video. */
async function metricsOf(measured: Promise<string | undefined>, program: string, folder: string): Promise<Gathered['video'] & object> {
  const failure = await Promise.race([measured, delay(recorderMs).then(() => `the recorder did not end within ${recorderMs} ms`)]);
  return failure === undefined ? await visualMetrics(program, join(folder, 'video', '1.mp4'), folder, metricsMs) : { failure };
}

/** Permanently drops all privileges of root. Programs that it starts can gain none either: see `bin` of its folder. */
function become(owner: number): void {
  process.setgroups?.([]);
  process.setgid?.(owner);
  process.setuid?.(owner);
}

/** An X server on the first display that is free, which says so itself. */
async function openDisplay({ width, height }: { width: number; height: number }): Promise<number> {
  const args = ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp', '-noreset'];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  display = server;
  let words = '';
  server.stderr?.on('data', (chunk) => (words += chunk));
  return await new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(new Error(`Xvfb ${why}: ${words.trim().split('\n').slice(-3).join(' ') || 'it does not say why'}`));
    server.once('error', (error) => fail(`did not start (${error.message})`));
    server.once('exit', (code) => fail(`ended with ${code}`));
    setTimeout(() => fail(`gave no display within ${displayMs} ms`), displayMs).unref();
    let number = '';
    server.stdio[3]?.on('data', (chunk: Buffer) => {
      number += chunk;
      if (number.endsWith('\n')) resolve(Number(number));
    });
  });
}

function tell(message: ProgramMessage): void {
  let rest: Buffer = Buffer.from(`${JSON.stringify(message)}\n`);
  while (rest.length > 0) rest = rest.subarray(writeSync(answers, rest));
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Ends the display first: killed with this process, as all else is, it would leave its lock. */
async function leave(): Promise<void> {
  if (display?.exitCode === null && display.signalCode === null) {
    const gone = new Promise((resolve) => display?.once('exit', resolve));
    display.kill('SIGTERM');
    await Promise.race([gone, delay(politeMs)]);
  }
  process.kill(process.pid, 'SIGKILL');
}
