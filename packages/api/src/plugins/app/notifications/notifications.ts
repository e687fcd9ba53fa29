// The loop that empties the outbox: delivers at least once, with growing pauses after failures, and gives up in the end.

import { createHmac } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { CampaignSummary } from '@pronghorn/core/schemas';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { runLoop } from '../../../shared/loop.ts';
import type { Claimed } from '../../../tables/notifications-repository.ts';
import { bodyOf, campaignContent } from './messages.ts';

export type NotificationsOptions = {
  /** Whether this process delivers; any number of processes on one database may. */
  enabled: boolean;
  /** Where people find the dashboard, for links; default none. */
  publicUrl: string | null;
};

declare module 'fastify' {
  interface FastifyInstance {
    notifications: {
      /** Delivers what is due by now. The loop calls it; so may whoever moves the clock. */
      tick(): Promise<void>;
    };
  }
}

/** What a message says. */
export type MessageContent = {
  /** The answer in a line. */
  title: string;
  /** The numbers behind it, in sentences. */
  lines: readonly string[];
  /** For programs, by event; null: there is no more. */
  details: unknown;
};

export default fp<Partial<NotificationsOptions>>(async (app, { enabled = false, publicUrl = null }) => {
  const summaryOf = async (campaignId: number) => app.results.read((await app.results.summary(campaignId)).document);
  const resolve = (url: URL) => app.destinations.resolveAllowed(url.href, { what: 'The webhook' });
  const tick = createDeliverer(app, { summaryOf, resolve, publicUrl });
  if (enabled) app.whenDue('notifications', runLoop(app, { name: 'notifications', tick, nextAt: app.store.notifications.earliest }));
  app.decorate('notifications', { tick });
});

/** Deliveries under way. */
const atOnce = 8;

type DelivererOptions = {
  summaryOf(campaignId: number): Promise<CampaignSummary>;
  /** Where a URL may be posted to. @throws Error in words. */
  resolve(url: URL): Promise<readonly CheckedAddress[]>;
  /** Of the dashboard; null: unknown. */
  publicUrl: string | null;
};

/** @returns tries everything that is due by now, a few at once: a receiver that never answers shall not keep the others waiting. */
export function createDeliverer(
  { now, store, log }: Pick<FastifyInstance, 'now' | 'store' | 'log'>,
  { summaryOf, resolve, publicUrl }: DelivererOptions,
) {
  const { notifications, campaigns } = store;

  /** Of a campaign that became done. */
  async function contentOf(campaignId: number): Promise<MessageContent> {
    const campaign = await campaigns.findSpec(campaignId);
    if (campaign === undefined) return { title: `Campaign ${campaignId} is done, and was deleted since`, lines: [], details: null };
    return campaignContent(campaign, await summaryOf(campaignId));
  }

  /** @returns false when it has become another claim's to send. */
  async function send(claimed: Claimed): Promise<boolean> {
    const target = await notifications.addressOf(claimed.targetId);
    if (target === undefined) return false;
    let { content } = claimed;
    if (content === null) {
      content = await contentOf(claimed.campaignId ?? 0);
      if (!(await notifications.setContent(claimed, content))) return false;
    }
    const body = bodyOf(target.kind, claimed, content, publicUrl);
    const headers = {
      'pronghorn-delivery': claimed.id,
      'pronghorn-event': claimed.event,
      ...(target.kind === 'webhook' && { 'pronghorn-signature': signatureHeader(target.secret, body, now()) }),
    };
    const url = new URL(target.url);
    const status = await postJson(url, body, headers, await resolve(url));
    if (status < 200 || status > 299)
      throw new Error(`answered ${status}${status >= 300 && status < 400 ? ', and redirects are not followed' : ''}`);
    return true;
  }

  /** Tries one after the other until nothing is due. */
  async function deliverNext(): Promise<void> {
    for (let claimed = await notifications.claim(); claimed !== undefined; claimed = await notifications.claim()) {
      try {
        if (await send(claimed)) await notifications.setDelivered(claimed.id);
      } catch (error) {
        const { message } = error as Error;
        if (await notifications.setFailed(claimed, message)) continue;
        log.warn({ event: 'notification-given-up', target: String(claimed.targetId) }, message);
      }
    }
  }

  return async (): Promise<void> => {
    await notifications.tidy();
    await Promise.all(Array.from({ length: atOnce }, deliverNext));
  };
}

/**
 * The header pronghorn-signature: t=SECONDS,v1=HEX, where HEX is HMAC-SHA256 over "SECONDS.BODY" with the whole secret as key. The time is
 * under the signature, so that who recorded a message cannot give it another one.
 *
 * @param body as sent, byte for byte.
 * @param now milliseconds since 1970.
 */
function signatureHeader(secret: string, body: string, now: number): string {
  const seconds = Math.floor(now / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

type CheckedAddress = { address: string; family: 4 | 6 };

/** An answer says yes or no; whoever sends more is not read to the end. */
const maxAnswerBytes = 64 * 1024;

/**
 * Posts JSON. The connection goes to one of the checked addresses whatever the name resolves to by then, and no redirect is followed:
 * either would lead past the check.
 *
 * @returns the status.
 * @throws Error in words when there was no answer in time.
 */
export function postJson(
  url: URL,
  body: string,
  headers: Record<string, string>,
  addresses: readonly CheckedAddress[],
  timeoutMs = 10_000,
): Promise<number> {
  const lookup: LookupFunction = (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else if (first) callback(null, first.address, first.family);
    else callback(new Error('no address is allowed'), '');
  };
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const request = send(
      url,
      {
        method: 'POST',
        agent: false, // a kept connection would go where an earlier check said
        lookup,
        signal,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'user-agent': 'Pronghorn', ...headers },
      },
      (answer) => finish(answer, request, resolve),
    );
    request.on('error', (error) => reject(new Error(signal.aborted ? `no answer within ${timeoutMs / 1_000} s` : wordsOf(error))));
    request.end(body);
  });
}

function finish(answer: IncomingMessage, request: { destroy(): void }, resolve: (status: number) => void): void {
  let bytes = 0;
  const done = () => resolve(answer.statusCode ?? 0);
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxAnswerBytes) return;
    done();
    request.destroy();
  });
  answer.on('end', done).on('error', done).on('close', done); // the status came, whatever becomes of the rest
}

function wordsOf(error: Error): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED'
    ? 'the connection was refused'
    : code === 'ECONNRESET'
      ? 'the connection was reset'
      : message || code || 'failed';
}
