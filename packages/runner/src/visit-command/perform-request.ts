// The inside of the visit command: performs one request with its own link and Chrome, and leaves nothing behind.
import { discoverSite } from '../discovery/discover.ts';
import type { DemoOrigin, Engine } from '../engines/engine.ts';
import { allEngines, surveyCapabilities } from '../engines/engines.ts';
import { type Link, openLink } from '../link/link.ts';
import { VisitorError } from '../visitor/load-visitor.ts';
import type { Answer, LinkRequest, OriginRequest, Request } from './wire.ts';

/**
 * @param signal breaks it off
 * @throws Error when it was broken off; all else that goes wrong is an answer
 */
export async function performRequest(request: Request, signal: AbortSignal): Promise<Answer> {
  try {
    const answer = await perform(request, signal);
    // A Chrome that was ended under its load looks like one that crashed.
    signal.throwIfAborted();
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', why, ...(error instanceof VisitorError ? { reason: error.reason } : {}) };
  }
}

async function perform(request: Request, signal: AbortSignal): Promise<Answer> {
  switch (request.ask) {
    case 'capabilities':
      return { kind: 'capabilities', capabilities: await surveyCapabilities(request.choice, request.fencing) };
    case 'proof':
      return await behind(request.link, signal, async (link) => ({
        kind: 'proof',
        check: link.backend === 'direct' ? null : await link.measure(request.condition),
      }));
    case 'discovery':
      return await behind(request.link, signal, async (link) => {
        await learn(link, request.link, request.site.url);
        return await withChrome(link, request.lab, signal, async (chrome) => {
          const { site, campaign, runner, visitor } = request;
          const engine: Engine = visitor === undefined ? chrome : { ...chrome, load: (load) => chrome.load({ ...load, visitor }) };
          const spec = { ...campaign.spec, isolation: 'context' as const };
          const watched = link.watch();
          const discovery = await discoverSite(engine, site, { ...campaign, spec }, runner);
          return { kind: 'discovery', discovery, link: await watched() };
        });
      });
    case 'steps':
      return await behind(request.link, signal, async (link) => {
        await learn(link, request.link, request.load.url);
        return await withChrome(link, request.lab, signal, async (engine) => ({
          kind: 'steps',
          state: (await engine.takeSteps?.({ ...request.load, isolation: 'process' })) ?? { cookies: [], storage: [] },
        }));
      });
    case 'load':
      return await behind(request.link, signal, async (link) => {
        const check = link.backend === 'direct' ? null : await link.measure(request.condition, 'rtt');
        if (check !== null && check.faults.length > 0) return { kind: 'link-off', check };
        await learn(link, request.link, request.load.url);
        return await withChrome(link, request.lab, signal, async (engine) => {
          const watched = link.watch();
          const loaded = await engine.load({ ...request.load, isolation: 'process' });
          return { kind: 'loaded', check, link: await watched(), ...loaded };
        });
      });
  }
}

/** Tells the link the hosts that Chrome will ask for, as in the round's other visits. */
async function learn(link: Link, { hosts }: LinkRequest, page: string): Promise<void> {
  const warnings = await link.beginRound?.([page, ...Object.keys(hosts).map((name) => `https://${name}/`)]);
  for (const warning of warnings ?? []) console.error(warning);
}

const behind = async (request: LinkRequest, signal: AbortSignal, work: (link: Link) => Promise<Answer>): Promise<Answer> =>
  await whileOpen(await openLink({ ...request, outside: true }), signal, work);

const withChrome = async (
  link: Link,
  lab: OriginRequest | null,
  signal: AbortSignal,
  work: (engine: Engine) => Promise<Answer>,
): Promise<Answer> => await whileOpen(allEngines(lab === null ? undefined : labOf(lab), link.vantagePoint, { ahead: false }), signal, work);

/** Closes what was opened when the work is done, and under it when the signal comes: a measurement would go on for minutes. */
async function whileOpen<Opened extends { close(): Promise<void> }>(
  opened: Opened,
  signal: AbortSignal,
  work: (opened: Opened) => Promise<Answer>,
): Promise<Answer> {
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= opened.close());
  const stop = () => void close().catch(() => {});
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    return await work(opened);
  } finally {
    signal.removeEventListener('abort', stop);
    await close();
  }
}

const labOf = (lab: OriginRequest): DemoOrigin => ({ ...lab, serves: (hostname) => lab.trust.hostRules.includes(`MAP ${hostname} `) });
