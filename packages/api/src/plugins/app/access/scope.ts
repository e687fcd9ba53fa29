// What the scope of a token leaves of its role.
import type { CampaignRequest, Gate, GateAnswer, GateCampaign, Problem } from '@pronghorn/core/schemas';
import { scopeWords } from '@pronghorn/core/text';
import { isAmongHosts } from '@pronghorn/core/visitor';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../../../shared/problems.ts';
import { contentHash } from '../../../storage/canonical-json.ts';
import { pagesBefore } from '../spec/campaign-spec.ts';
import type { RequestAccess } from './access.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * With which scopes a route may be asked that makes or changes something, since it checks what is asked: by `assertGateInScope` or
     * `assertMadeInScope`, and by `assertInScope` or admission. One that does not say so is for tokens without a scope.
     */
    scopes?: readonly ('gates' | 'hosts')[];
  }
}

/** Before the route looks at what is asked. @throws ProblemError out-of-scope. */
export function assertRouteInScope({ method, url, access, routeOptions }: FastifyRequest): void {
  const { config } = routeOptions;
  // What viewers may ask changes nothing, and nor does a session.
  if (access.scope === null || method === 'GET' || method === 'HEAD' || config.access === 'viewer' || config.access === 'anyone') return;
  const kinds = (['gates', 'hosts'] as const).filter((kind) => access.scope?.[kind] !== undefined);
  if (kinds.every((kind) => config.scopes?.includes(kind))) return;
  throw outOfScope(access, `${method} ${url.split('?', 1)[0]} is not within the scope of "${access.name}".`);
}

/**
 * A gate is asked as it is stored: of pages that the question names itself only where the scope says which hosts they may be of.
 * @throws ProblemError out-of-scope.
 */
export function assertGateInScope(access: RequestAccess, gate: Gate | null, asked: GateCampaign | undefined): void {
  const { gates, hosts } = access.scope ?? {};
  if (gates === undefined) return;
  if (gate === null)
    throw outOfScope(
      access,
      `The question has rules of its own; "${access.name}" may ask stored gates only (gateId, or --gate of the command).`,
    );
  if (!gates.some((pattern) => fitsPattern(gate.name, pattern)))
    throw outOfScope(access, `Gate ${gate.id}, "${gate.name}", is not within the scope of "${access.name}".`, '#/gateId');
  if (asked === undefined || hosts !== undefined || isSameMeasurement(asked, gate.campaign)) return;
  const detail = `The question has another campaign than gate "${gate.name}", and the scope of "${access.name}" names no hosts. Leave campaign out (--url and --rounds of the command), or change its annotations only.`;
  throw outOfScope(access, detail, '#/campaign');
}

/**
 * Who asks a gate may take its campaign out of the queue, where nobody waits for it any more.
 * @param asked the campaign's first question, which a campaign that is made for one has from the start.
 * @throws ProblemError out-of-scope.
 */
export function assertMadeInScope(access: RequestAccess, campaignId: string, asked: Pick<GateAnswer, 'gate'> | undefined): void {
  const { gates } = access.scope ?? {};
  if (gates === undefined || (asked?.gate && gates.some((pattern) => fitsPattern(asked.gate as string, pattern)))) return;
  throw outOfScope(
    access,
    `Campaign ${campaignId}, which was not made by asking such a gate, is not within the scope of "${access.name}".`,
  );
}

/** Annotations say whose change is measured, and not what. */
function isSameMeasurement({ annotations: _, ...asked }: GateCampaign, stored: GateCampaign | null): boolean {
  if (stored === null) return false;
  const { annotations: __, ...gates } = stored;
  return contentHash(asked).equals(contentHash(gates));
}

type Asker = Pick<RequestAccess, 'name' | 'scope'>;
type Led = Pick<CampaignRequest, 'sites' | 'visitor'>;

/** @throws ProblemError out-of-scope where a campaign leads to other hosts than the scope of who asks has. */
export function assertInScope(access: Asker, campaign: Led | null): void {
  const hosts = access.scope?.hosts;
  if (hosts === undefined || campaign === null) return;
  const errors = destinationsOf(campaign)
    .filter(({ url }) => !isAmongHosts(url, hosts))
    .map(({ pointer, url }) => ({ pointer, detail: `${URL.parse(url)?.hostname ?? url} is not within the scope of "${access.name}".` }));
  if (errors.length > 0) throw outOfScope(access, [...new Set(errors.map(({ detail }) => detail))].slice(0, 10).join(' '), errors);
}

export interface Destination {
  pointer: string;
  url: string;
}

/** Where a campaign leads by itself: its sites first, their proxies, what their steps name as a URL, and the pages before its pages. */
export function destinationsOf(campaign: Led): Destination[] {
  const { sites, visitor } = campaign;
  const visitors = [{ at: '#/visitor', visitor }, ...sites.map((site, n) => ({ at: `#/sites/${n}/visitor`, visitor: site.visitor }))];
  const proxies = visitors.flatMap(({ at, visitor: { proxy } = {} }) =>
    // Only where it is counts.
    proxy === undefined ? [] : [{ pointer: `${at}/proxy`, url: proxy.replace(/^[a-z0-9]+:/i, 'http:') }],
  );
  return [...sites.map(({ url }, n) => ({ pointer: `#/sites/${n}/url`, url })), ...proxies, ...stepsOf(campaign), ...pagesBefore(campaign)];
}

/** Steps to other hosts than their page's, as each page reads them: https:other.example is a path of an https page, and a host of an http one. */
function stepsOf({ sites, visitor }: Led): Destination[] {
  const all = sites.flatMap(({ url: page, visitor: own }, place) => {
    const at = own?.steps === undefined ? '#/visitor' : `#/sites/${place}/visitor`;
    return (own?.steps ?? visitor?.steps ?? []).flatMap((step, n) => {
      const url = 'goto' in step ? URL.parse(step.goto, page) : null;
      return url === null || url.host === URL.parse(page)?.host ? [] : [{ pointer: `${at}/steps/${n}/goto`, url: url.href }];
    });
  });
  return [...new Map(all.map((each) => [`${each.pointer} ${each.url}`, each])).values()];
}

function outOfScope({ name, scope }: Asker, detail: string, errors: NonNullable<Problem['errors']> | string = []): ProblemError {
  const words = scope === null ? '' : ` "${name}" may read, and ${scopeWords(scope)} only. Ask with another token.`;
  return new ProblemError('out-of-scope', detail + words, typeof errors === 'string' ? [{ pointer: errors, detail }] : errors);
}

/**
 * Whether a text is what a pattern says, where `*` is any letters, also none. In linear time, whatever the pattern.
 */
export function fitsPattern(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
