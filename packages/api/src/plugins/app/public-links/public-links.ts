// Links that open one thing without a token. Who opens one is nobody that is known, and may read what the link names and nothing else.
import type { Campaign, Caveat, PublicLink, PublicLinkRequest } from '@pronghorn/core/schemas';
import { caveatWords } from '@pronghorn/core/text';
import type { FastifyRequest } from 'fastify';
import { found, ProblemError } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import type { LivePublicLink, Opened } from '../../../tables/public-links-repository.ts';
import { assertOwn } from '../access/access.ts';
import { defaultSiteName } from '../spec/site-url.ts';

const dayMs = 86_400_000;
const maxBadgeDays = 400;
const usualDays = { result: 30, card: 30, badge: 90 } as const;
/** Of one campaign, gate or site that can be used. */
const maxLive = 100;

export const publicLinkCommands = ({ now, settings, audit, campaigns, gates, publicLinks, sites }: Tables) => ({
  /** @returns the link with its secret, which is shown this once. @throws ProblemError invalid-request, forbidden, not-found, over-limit. */
  create(request: PublicLinkRequest, caller: Caller): { link: PublicLink; secret: string } {
    const { kind, campaignId, gateId, siteId, expiresAt, ...shows } = request;
    const opened = openedBy(request);
    assertShows(request);
    if (opened.campaignId !== null) campaigns.known(campaignId as string);
    if (opened.gateId !== null) found(gates.find(gateId as string), `gate ${gateId}`);
    if (opened.siteId !== null) found(sites.find(opened.siteId), `site ${siteId}`);
    const days = kind === 'badge' ? maxBadgeDays : settings.publicLinkDays;
    if (days === null) {
      throw new ProblemError('forbidden', `Public links of results are off here. An operator allows them by access.publicLinkDays.`);
    }
    if (publicLinks.countLive(opened) >= maxLive) {
      throw new ProblemError(
        'over-limit',
        `There are ${maxLive} links of it that can be used. Revoke one first (DELETE /api/v1/public-links/ID).`,
      );
    }
    const end = endOf(expiresAt, { now: now(), days, usual: usualDays[kind] });
    const created = publicLinks.create({ ...opened, kind, shows, createdBy: caller.access.name, expiresAt: new Date(end).toISOString() });
    audit.of(caller, 'public-link.create', created.link.id, { ...request, expiresAt: created.link.expiresAt });
    return created;
  },

  /** At once and for good. @throws ProblemError not-found, forbidden. */
  revoke(id: string, caller: Caller): PublicLink {
    const { createdBy, kind, campaignId, gateId, siteId } = found(publicLinks.find(id), `public link ${id}`);
    const ownerOf = campaignId === null ? null : campaigns.ownerOf(rowId(campaignId));
    // Who made a campaign decides how long it is public, whoever made it so.
    if (ownerOf === null || ownerOf !== caller.access.name) assertOwn(caller.access, `Public link ${id}`, createdBy);
    if (publicLinks.revoke(id)) {
      const of = Object.fromEntries(Object.entries({ campaignId, gateId, siteId }).filter(([, each]) => each !== null));
      audit.of(caller, 'public-link.revoke', id, { kind, ...of });
    }
    return found(publicLinks.find(id), `public link ${id}`);
  },

  /** Stores when links were used last. @param uses id and ISO 8601. */
  storeUses: (uses: readonly (readonly [number, string])[]): void => publicLinks.setUses(uses),
});

/** @throws ProblemError invalid-request unless it names exactly one thing, of a kind that there is. */
function openedBy({ kind, campaignId, gateId, siteId }: PublicLinkRequest): Opened {
  const named = { campaignId, gateId, siteId };
  const names = Object.entries(named).flatMap(([name, id]) => (id === undefined ? [] : [name]));
  if (names.length !== 1) {
    throw refusal(
      '#/campaignId',
      `${names.length === 0 ? 'Nothing' : names.join(' and ')} is named; expected one of campaignId, gateId and siteId.`,
    );
  }
  if (kind !== 'badge' && campaignId === undefined) {
    throw refusal(`#/${names[0]}`, `A ${kind} is of a campaign; ${names[0]} is given. Name a campaignId, or take the kind badge.`);
  }
  const rowOf = (id: string | undefined) => (id === undefined ? null : rowId(id));
  return { campaignId: rowOf(campaignId), gateId: rowOf(gateId), siteId: rowOf(siteId) };
}

/** @throws ProblemError invalid-request for a filter of another badge. */
function assertShows({ gateId, siteId, branch, condition, view }: PublicLinkRequest): void {
  const refuse = (name: string, of: string) => {
    throw refusal(`#/${name}`, `${name} is given; only the badge of a ${of} has it. Leave it out.`);
  };
  if (branch !== undefined && gateId === undefined) refuse('branch', 'gate');
  if (condition !== undefined && siteId === undefined) refuse('condition', 'site');
  if (view !== undefined && siteId === undefined) refuse('view', 'site');
}

/** Milliseconds since 1970. @throws ProblemError invalid-request. */
function endOf(wanted: string | undefined, { now, days, usual }: { now: number; days: number; usual: number }): number {
  if (wanted === undefined) return now + Math.min(usual, days) * dayMs;
  const end = Date.parse(wanted); // a leap second has the form of a time, and is none
  if (end > now && end <= now + days * dayMs) return end;
  throw refusal('#/expiresAt', `expiresAt is ${wanted}; expected a time in the next ${days} days.`);
}

const refusal = (pointer: string, detail: string) => new ProblemError('invalid-request', detail, [{ pointer, detail }]);

/** Whether who asks has opened a link to the result of the campaign in the path: for `admits` of the few routes that such a page needs. */
export const admitsResultLink = async ({ access: { publicLink }, params }: FastifyRequest): Promise<boolean> =>
  publicLink !== null && publicLink.kind === 'result' && (params as { id?: string }).id === String(publicLink.campaignId);

/** Whether a link opens this picture, shown so. */
export function opensPicture(link: LivePublicLink, kind: 'card' | 'badge', noun: keyof Opened, id: string, shows: object): boolean {
  if (link.kind !== kind || String(link[noun]) !== id) return false;
  const same = (one: object) => JSON.stringify(Object.entries(one).sort());
  return same(link.shows) === same(shows);
}

/**
 * What anybody may know of a campaign whose result is public: what was measured, and how. Not who made it for which build, nor how pages are
 * visited (headers, cookies, steps, proxies), nor the query of their URLs, in which secrets stand. A field that is new in a campaign is not in
 * it until somebody puts it here.
 */
export function publicCampaign({ id, createdAt, finishedAt, priority, location, state, spec, sites, progress }: Campaign): Campaign {
  const { conditions, protocols, views, rounds, engine, discovery, isolation, browser } = spec;
  const { primaryMetric, margin, adjustment, maximumRounds, seed, limits } = spec;
  return {
    ...{ id, createdAt, finishedAt, createdBy: null, createdByKind: null, priority, location, annotations: {}, state, progress },
    spec: {
      ...{ name: publicName(spec.name, sites), protocols, views, rounds, engine, discovery, isolation, browser },
      ...{ primaryMetric, margin, adjustment, maximumRounds, seed, limits },
      conditions: conditions.map(({ name, baseRttMs, up, down }) => ({ name, ...(baseRttMs !== undefined && { baseRttMs }), up, down })),
    },
    sites: sites.map(({ id, url, name, expectStatus, levels }) => ({
      ...{ id, url: withoutQuery(url), name: publicName(name, [{ url }]), expectStatus },
      ...(levels !== undefined && { levels }),
    })),
  };
}

/** Without the names of hosts and addresses, which may be of a network that nobody is to know. */
export const publicCaveats = (caveats: readonly Caveat[]): Caveat[] =>
  caveats.map((caveat) => ({ ...caveat, names: [], words: caveatWords({ ...caveat, names: [] }) }));

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** A name that nobody chose has its page's query in it, perhaps cut short. @param sites of which it may be the name */
export function publicName(name: string, sites: readonly { url: string }[]): string {
  return sites.reduce((text, { url }) => {
    const bare = new URL(url);
    const { search } = bare;
    if (search === '') return text;
    bare.search = '';
    const start = defaultSiteName(bare);
    const rest = / and \d+ more$/.exec(text)?.[0] ?? '';
    return text.startsWith(`${start}?`) ? start + rest : text.replaceAll(search, '');
  }, name);
}
