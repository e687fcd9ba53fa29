// Checks a service from outside: through its gateway, with a token that may only read.

import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { connect } from 'node:tls';
import { type Answer, ApiDenied, Client, type Given, itemsOf, type Route } from '@pronghorn/core/client';
import {
  canShape,
  compareVersions,
  type Delivery,
  type NotificationTarget,
  type Page,
  type QueueDepth,
  type Readiness,
  type Runner,
  type Schedule,
  type Session,
} from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { version } from '@pronghorn/core/vocabulary';
import { reasonOf } from '../program/files.ts';
import { duration } from '../program/terminal.ts';

export type Level = 'good' | 'note' | 'bad';
export interface Finding {
  level: Level;
  subject: string;
  text: string;
}

/** Its address without /api/v1. @param token null: ask without one */
export type Service = { url: string; token: string | null };

const answerMs = 10_000;
/** An event stream reports its campaign's progress at once: an event that comes later was held back on the way. */
const streamMs = 5_000;
const maxPages = 20;
const [hourMs, dayMs] = [3_600_000, 86_400_000];

/** All findings from here; a check that needs a token, or another one, says so. Never throws. */
export async function examine(service: Service): Promise<Finding[]> {
  const reached = await reachable(service);
  const certificate = await tls(service.url);
  if (reached.answer === null) return [...reached.findings, ...certificate];
  const [ready, whole] = await Promise.all([readiness(service), inside(service)]);
  return [
    ...reached.findings,
    ...certificate,
    clockOf(reached.answer),
    ...(await http3(service.url, reached.answer.alternatives)),
    ...ready,
    ...whole,
  ];
}

type Health = { date: number | null; askedAt: number; tookMs: number; alternatives: string };

export const good = (subject: string, text: string): Finding => ({ level: 'good', subject, text });
export const note = (subject: string, text: string): Finding => ({ level: 'note', subject, text });
export const bad = (subject: string, text: string): Finding => ({ level: 'bad', subject, text });

const get = ({ url, token }: Service, path: string): Promise<Response> =>
  fetch(url + path, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    redirect: 'error', // a redirect would take the token to an address that nobody named
    signal: AbortSignal.timeout(answerMs),
  });

function whyNot(error: unknown): string {
  const { name, cause, message } = error as Error & { cause?: Error };
  if (name === 'TimeoutError') return `no answer in ${answerMs / 1_000} s`;
  return cause === undefined ? message : reasonOf(cause);
}

async function reachable(service: Service): Promise<{ findings: Finding[]; answer: Health | null }> {
  const subject = 'Service';
  const askedAt = Date.now();
  let reply: Response;
  try {
    reply = await get({ ...service, token: null }, '/api/v1/health'); // a wrong token gets a line of its own
  } catch (error) {
    const text = `${service.url} can't be reached (${whyNot(error)}). Check the address, the gateway, and whether the service runs.`;
    return { findings: [bad(subject, text)], answer: null };
  }
  const tookMs = Date.now() - askedAt;
  const body = (await reply.json().catch(() => null)) as { version?: unknown; detail?: unknown } | null;
  if (!reply.ok || typeof body?.version !== 'string') {
    const detail = typeof body?.detail === 'string' ? body.detail : 'this is not a Pronghorn service.';
    const todo = reply.status === 421 ? 'Add the name to allowedHosts.' : 'Check the address and the gateway.';
    return { findings: [bad(subject, `${service.url} answers ${reply.status}: ${detail} ${todo}`)], answer: null };
  }
  const differs = compareVersions(body.version, version);
  const findings = [
    good(subject, `${service.url} answers in ${tookMs} ms`),
    differs === 0
      ? good('Version', body.version)
      : note('Version', `${body.version}; this command is ${version}. Update the ${differs < 0 ? 'service' : 'command'} when you can.`),
  ];
  const date = Date.parse(reply.headers.get('date') ?? '');
  return {
    findings,
    answer: { date: Number.isNaN(date) ? null : date, askedAt, tookMs, alternatives: reply.headers.get('alt-svc') ?? '' },
  };
}

/** How long the certificate is valid, trusted or not. */
async function tls(url: string): Promise<Finding[]> {
  const subject = 'TLS';
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol === 'http:') {
    const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.');
    return isLocal ? [] : [note(subject, 'none: tokens and results cross the network unencrypted. Put a gateway with TLS in front.')];
  }
  try {
    const { days, until, problem } = await new Promise<{ days: number; until: string; problem: string | null }>((resolve, reject) => {
      const name = isIPv6(host) || /^[\d.]+$/.test(host) ? {} : { servername: host };
      const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, timeout: answerMs, ...name }, () => {
        const until = Date.parse(socket.getPeerCertificate().valid_to);
        socket.end();
        const problem = socket.authorized ? null : String(socket.authorizationError);
        resolve({ days: Math.floor((until - Date.now()) / dayMs), until: new Date(until).toISOString().slice(0, 10), problem });
      });
      socket.on('error', reject).on('timeout', () => socket.destroy(new Error(`no answer in ${answerMs / 1_000} s`)));
    });
    const words = `the certificate is valid for ${counted(days, 'day')}, until ${until}`;
    if (days < 0) return [bad(subject, `the certificate expired on ${until}. Renew it.`)];
    if (problem !== null)
      return [
        bad(
          subject,
          `${words}, but this machine does not trust it (${problem}). Fix its chain, or name your CA's file in NODE_EXTRA_CA_CERTS.`,
        ),
      ];
    if (days < 7) return [bad(subject, `${words}. Renew it now; automatic renewal does not work.`)];
    return [days < 21 ? note(subject, `${words}. Renew it; automatic renewal does not seem to work.`) : good(subject, words)];
  } catch (error) {
    return [bad(subject, `no handshake with ${host} (${reasonOf(error)}). Check the gateway.`)];
  }
}

/** Compares the clocks, to the second that Date has. */
function clockOf({ date, askedAt, tookMs }: Health): Finding {
  const subject = 'Clock';
  if (date === null) return note(subject, 'unknown: the gateway removes the Date header.');
  const apartMs = date + 500 - (askedAt + tookMs / 2);
  const seconds = Math.round(Math.abs(apartMs) / 1_000);
  const words = `the service's clock is ${duration(seconds)} ${apartMs > 0 ? 'ahead of' : 'behind'} this machine's`;
  const todo = 'Set both by NTP: schedules, leases and webhook signatures depend on it.';
  if (seconds <= 2 + tookMs / 1_000) return good(subject, 'the same as this machine’s, to the second');
  return seconds <= 30 ? note(subject, `${words}. ${todo}`) : bad(subject, `${words}. ${todo}`);
}

/** True to its Alt-Svc, a gateway with HTTP/3 answers on UDP. */
async function http3(url: string, alternatives: string): Promise<Finding[]> {
  const subject = 'HTTP/3';
  const { protocol, hostname, port } = new URL(url);
  if (protocol === 'http:') return [];
  const [, offered] = /\bh3=":(\d+)"/.exec(alternatives) ?? [];
  if (offered === undefined) return [good(subject, 'not offered by the gateway (no Alt-Svc); not required')];
  const answers = await speaksQuic(hostname.replace(/^\[(.*)\]$/, '$1'), Number(offered)).catch(() => false);
  return answers
    ? [good(subject, `offered, and UDP port ${offered} speaks QUIC`)]
    : [
        note(
          subject,
          `offered on UDP port ${offered}, which does not answer from here. Open it in the firewall, or remove Alt-Svc from port ${port || 443}.`,
        ),
      ];
}

/** Asks in a version that nobody speaks; a QUIC server answers with the versions that it does (RFC 9000, 6.1). */
export async function speaksQuic(host: string, port: number): Promise<boolean> {
  const { address, family } = await lookup(host);
  const packet = Buffer.alloc(1_200); // a server may ignore a shorter one
  Buffer.concat([Buffer.from([0xc0, 0x1a, 0x2a, 0x3a, 0x4a, 8]), randomBytes(8), Buffer.from([8]), randomBytes(8)]).copy(packet);
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  try {
    return await new Promise((resolve, reject) => {
      const tries = [0, 500, 1_500].map((ms) => setTimeout(() => socket.send(packet, port, address), ms));
      const end = setTimeout(() => resolve(false), 3_000);
      const done = (isThere: boolean) => {
        for (const timer of [...tries, end]) clearTimeout(timer);
        resolve(isThere);
      };
      socket.on('message', (reply) => done(((reply[0] ?? 0) & 0x80) !== 0 && reply.readUInt32BE(1) === 0));
      socket.on('error', reject);
    });
  } finally {
    socket.close();
  }
}

async function readiness(service: Service): Promise<Finding[]> {
  const subject = 'Ready';
  try {
    const reply = await get(service, '/readyz');
    const answer = (await reply.json().catch(() => null)) as Readiness | null;
    if (!Array.isArray(answer?.checks)) {
      return [
        note(
          subject,
          `${service.url}/readyz answers ${reply.status}. Let the gateway pass it on, or look at it on the service's own port.`,
        ),
      ];
    }
    const failed = answer.checks.filter(({ ok }) => !ok).map(({ name, detail }) => bad(subject, `${name}: ${detail}`));
    const doubt = answer.checks.filter(({ name, detail }) => name === 'clock' && detail !== 'is believed');
    const disk = answer.checks.find(({ name }) => name === 'disk');
    return [
      ...(failed.length > 0
        ? failed
        : [good(subject, `all of ${answer.checks.map(({ name }) => name).join(', ')}; ${disk?.detail ?? ''}`)]),
      ...doubt.map(({ detail }) => note('Clock', detail)),
    ];
  } catch (error) {
    return [bad(subject, `${service.url}/readyz can't be read (${whyNot(error)}).`)];
  }
}

async function inside(service: Service): Promise<Finding[]> {
  const client = new Client({ service: service.url, token: service.token, timeoutMs: answerMs });
  const ask = async <R extends Route>(route: R, given: Given<R>): Promise<Answer<R>['body']> => (await client.ask(route, given)).body;
  const session = await ask('GET /session', {}).catch(() => null);
  const who = token(service, session);
  if (session?.role == null && session?.publicReading !== true) return [who];
  const looks: [string, () => Promise<Finding[]>][] = [
    ['Runners', async () => runnersOf(await all('/runners', (query) => ask('GET /runners', { query })))],
    ['Schedules', async () => schedulesOf(await all('/schedules', (query) => ask('GET /schedules', { query })))],
    ['Queue', async () => [queueOf((await ask('GET /queue', {})).items)]],
    [
      'Notifications',
      async () =>
        notificationsOf(await all('/notifications', (query) => ask('GET /notifications', { query })), (id) =>
          ask('GET /notifications/{id}/deliveries', { id, query: { limit: 1 } }),
        ),
    ],
    ['Event streams', async () => [await streams(client, (await ask('GET /campaigns', { query: { limit: 1 } })).items[0]?.id)]],
  ];
  const findings = await Promise.all(
    looks.map(async ([subject, look]) => {
      try {
        return await look();
      } catch (error) {
        if (error instanceof ApiDenied) return [note(subject, 'hidden from this token; a viewer’s token shows them')];
        return [bad(subject, (error as Error).message)];
      }
    }),
  );
  return [who, ...findings.flat()];
}

/** All items of a list. @throws Error where something other than a service answers with page after page */
async function all<Item>(path: string, ask: Parameters<typeof itemsOf<Item>>[0]): Promise<Item[]> {
  let pages = 0;
  const asking: typeof ask = (query) => {
    if (++pages > maxPages) throw new Error(`GET ${path} has no end: after ${maxPages} pages there is another one`);
    return ask(query);
  };
  return await Array.fromAsync(itemsOf(asking, 1_000));
}

function token({ token: given }: Service, session: Session | null): Finding {
  const subject = 'Token';
  if (session === null) return bad(subject, 'unknown, expired or revoked. Give another with --token-file or PRONGHORN_TOKEN.');
  if (session.role === null) {
    const more = session.publicReading ? 'only what everybody may read is checked' : 'runners, schedules, queue and notifications need one';
    return note(subject, `none: ${more}. Give a viewer’s token with --token-file or PRONGHORN_TOKEN.`);
  }
  if (given === null && session.access === 'open') return note(subject, 'not needed: anyone who can reach this service is admin.');
  const enough = session.role === 'viewer' ? '' : '; a viewer’s token is enough for this';
  return good(subject, `${session.name}, ${session.role}${enough}`);
}

function runnersOf(runners: readonly (Runner & { capabilities: { isFenced?: boolean } })[]): Finding[] {
  const subject = 'Runners';
  if (runners.length === 0) return [bad(subject, 'none has registered, so nothing is measured. Start one: ./pronghorn runner --api …')];
  const known = runners.filter(({ state }) => state !== 'stopped');
  const findings = [...Map.groupBy(known, ({ location }) => location ?? 'no location')].map(([location, here]) => {
    const there = here.filter(({ state }) => state !== 'lost');
    const links = there.filter(({ capabilities }) => canShape(capabilities)).length;
    const words = `${location}: ${there.length} of ${here.length} running (${there.map(({ name, state }) => `${name} ${state}`).join(', ') || 'none'})`;
    if (there.length === 0) return bad(subject, `${words}. Nothing is measured there; start one, or remove those that are gone for good.`);
    return good(subject, `${words}; ${links === there.length ? 'all' : links} can shape their link`);
  });
  if (known.length === 0) findings.push(bad(subject, 'all are stopped, so nothing is measured. Start one.'));
  for (const { name, state, seenAt, trouble, versionWords, capabilities } of known) {
    if (state === 'lost')
      findings.push(note(subject, `${name} has sent no heartbeat since ${seenAt}. Check its machine, or remove it on the Runners page.`));
    if (trouble !== null) findings.push(note(subject, `${name}: ${trouble}`));
    if (versionWords !== null) findings.push(note(subject, `${name}: ${versionWords}`));
    const { backends, isFenced } = capabilities;
    if (backends.every((backend) => backend === 'direct') && isFenced !== true) {
      findings.push(
        note(
          subject,
          `${name} has no fence: its pages can reach everything that its machine reaches. Run it as root, or on a machine of its own.`,
        ),
      );
    }
  }
  return findings;
}

function schedulesOf(schedules: readonly Schedule[]): Finding[] {
  const subject = 'Schedules';
  const late = (at: string | undefined) => at !== undefined && Date.parse(at) < Date.now() - 10 * 60_000;
  const findings = schedules.flatMap(({ name, paused, lastStart, nextRuns }) => {
    if (paused) return [];
    if (lastStart !== null && lastStart.outcome !== 'started') {
      return [
        note(subject, `${name} was not started at ${lastStart.dueAt ?? lastStart.decidedAt} (${lastStart.outcome}): ${lastStart.words}`),
      ];
    }
    if (late(nextRuns[0]))
      return [bad(subject, `${name} has been due since ${nextRuns[0]}, and nothing starts it. Is schedules.enabled false?`)];
    return [];
  });
  const paused = schedules.filter((schedule) => schedule.paused).length;
  if (findings.length > 0) return findings;
  return [good(subject, schedules.length === 0 ? 'none' : `${schedules.length}, ${paused} paused; each started when it was last due`)];
}

function queueOf(depths: readonly QueueDepth[]): Finding {
  const subject = 'Queue';
  const queued = depths.reduce((sum, depth) => sum + depth.queued, 0);
  const leased = depths.reduce((sum, depth) => sum + depth.leased, 0);
  const oldest = depths
    .filter(({ longestWaitSince }) => longestWaitSince !== null)
    .map((depth) => ({ ...depth, waitMs: Date.now() - Date.parse(depth.longestWaitSince ?? '') }))
    .toSorted((a, b) => b.waitMs - a.waitMs)[0];
  const words = `${counted(queued, 'round')} waiting, ${leased} running`;
  if (oldest === undefined || oldest.waitMs < hourMs / 4) return good(subject, words);
  const where = oldest.location === null ? '' : ` for ${oldest.location}`;
  const text = `${words}; one of priority ${oldest.priority}${where} has waited for ${duration(oldest.waitMs / 1_000)}`;
  const isLong = oldest.waitMs > (oldest.priority === 'ci' ? hourMs / 4 : 6 * hourMs);
  return isLong
    ? bad(subject, `${text}. No runner can perform it, or all are overloaded: its page says which.`)
    : note(subject, `${text}.`);
}

async function notificationsOf(
  targets: readonly NotificationTarget[],
  deliveriesOf: (id: string) => Promise<Page<Delivery>>,
): Promise<Finding[]> {
  const subject = 'Notifications';
  const findings: Finding[] = [];
  for (const { id, name, origin, enabled, waiting, givenUp } of targets) {
    if (!enabled || (waiting === 0 && givenUp === 0)) continue;
    const last = (await deliveriesOf(id)).items[0];
    if (last === undefined || last.state === 'delivered' || last.lastError === null) continue;
    const words = `${name} (${origin}): the last message was not delivered after ${last.attempts === 1 ? 'one try' : `${last.attempts} tries`}: ${last.lastError}`;
    findings.push(last.state === 'given-up' ? bad(subject, `${words}. It was given up. Check the target's URL.`) : note(subject, words));
  }
  if (findings.length > 0) return findings;
  return [
    targets.length === 0
      ? note(subject, 'no target: nobody hears of failed gates and regressions')
      : good(subject, `${counted(targets.length, 'target')}, none failing`),
  ];
}

/** A stream reports its campaign's progress at once. @param campaignId undefined: there is none to follow */
async function streams(client: Client, campaignId: string | undefined): Promise<Finding> {
  const subject = 'Event streams';
  if (campaignId === undefined) return note(subject, 'no campaign to follow yet; check again when there is one');
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), streamMs);
  const held = bad(
    subject,
    `no event came through in ${streamMs / 1_000} s: a proxy holds them back, so the dashboard does not update. Turn its buffering off for /events (nginx: proxy_buffering off).`,
  );
  try {
    const { body } = await client.stream('GET /campaigns/{id}/events', { id: campaignId, signal: ending.signal });
    const first = await body?.getReader().read();
    return first?.done === false
      ? good(subject, 'arrive as they are sent')
      : note(subject, 'the stream ended at once; a proxy may have cut it off');
  } catch (error) {
    if (ending.signal.aborted) return held;
    throw error;
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}
