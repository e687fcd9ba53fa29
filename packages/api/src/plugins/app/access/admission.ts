// Which campaigns are taken from whom, besides that they can be run at all.
import { minAutoTimeoutMs } from '@pronghorn/core/network';
import type { CampaignRequest, CampaignSpec, Problem, ProblemKind, Role } from '@pronghorn/core/schemas';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../problems.ts';
import { type CompleteCampaign, completeSpec } from '../campaigns/campaign-spec.ts';
import { owner, type RequestAccess } from './access.ts';
import { type CampaignLimits, defaultCampaignLimits, type LimitedRole } from './access-options.ts';
import { assertInScope, type Destination, destinationsOf } from './scope.ts';

declare module 'fastify' {
  interface FastifyInstance {
    admission: {
      /**
       * To be asked before `queue.submit` wherever somebody asks for a campaign.
       * @throws ProblemError out-of-scope, over-limit, address-refused or too-many-campaigns; and as completeSpec.
       */
      admit(request: CampaignRequest, access: RequestAccess): Promise<void>;
      /**
       * What `admit` would say, within so many milliseconds: names that can't be looked up by then are no refusal.
       * @returns which sites were not checked, in words. @throws ProblemError as `admit`.
       */
      preview(request: CampaignRequest, access: RequestAccess, withinMs: number): Promise<{ pointer: string; detail: string }[]>;
      /**
       * To be asked when a schedule is due: whoever made it may ask for as much as its role and scope allow now, and where addresses lead may have changed.
       * @param createdBy name of the token that made the schedule; null: this machine's own command.
       * @throws ProblemError out-of-scope, over-limit or address-refused; and as completeSpec.
       */
      admitDue(request: CampaignRequest, createdBy: string | null): Promise<void>;
      /** Part of the transaction that makes a schedule. @throws ProblemError over-limit. */
      assertScheduleRoom(access: RequestAccess): void;
      /** The part of it that matters when a campaign is put back. @throws ProblemError too-many-campaigns. */
      assertRoom(access: RequestAccess): void;
    };
  }
}

/** Whatever `admit` may answer by, for the routes that ask it. */
export const admissionProblems = [
  'invalid-campaign',
  'invalid-condition',
  'address-refused',
  'over-limit',
  'too-many-campaigns',
] as const satisfies readonly ProblemKind[];

/** Pages take seconds; a visit that may take minutes often does. */
const shareOfTimeout = 1 / 6;

/** Hours that one runner takes, roughly: of each visit a sixth of its load timeout (10 s of the default minute). */
export function expectedHours({ protocols, limits }: CampaignSpec, rounds: number): number {
  const timeoutMs = limits.loadTimeoutMs === 'auto' ? minAutoTimeoutMs : limits.loadTimeoutMs;
  return (rounds * protocols.length * timeoutMs * shareOfTimeout) / 3_600_000;
}

export default fp(async (app) => {
  const { accessOptions: options } = app;
  const limitsOf = (role: Role | null): CampaignLimits => ({
    ...defaultCampaignLimits[limitedAs(role)],
    ...(options.kind === 'tokens' ? options.limits?.[limitedAs(role)] : {}),
  });
  function assertRoom({ role, name }: RequestAccess): void {
    if (options.kind === 'open' || name === null) return;
    const { maxUnfinished } = limitsOf(role);
    const unfinished = app.campaigns.countUnfinished(name);
    if (unfinished < maxUnfinished) return;
    throw new ProblemError(
      'too-many-campaigns',
      `"${name}" has ${unfinished} campaigns that are not done; at most ${maxUnfinished} may wait. Wait for one, or cancel one.`,
    );
  }

  type Asker = Pick<RequestAccess, 'role' | 'name' | 'scope'>;

  /** Where a campaign leads that is within scope and limits; what addresses are there is still to be asked. */
  function placesAllowed(request: CampaignRequest, access: Asker): Destination[] {
    const complete = completeSpec(request, 0, app.conditions.all(), app.calls.policy);
    const led = { ...complete.spec, sites: complete.sites };
    assertInScope(access, led);
    assertWithin(complete, limitsOf(access.role), limitedAs(access.role));
    return destinationsOf(led);
  }

  async function assertAllowed(request: CampaignRequest, access: Asker): Promise<void> {
    const places = placesAllowed(request, access);
    const refused = await app.destinations.refusedOf(places.map(({ url }) => url));
    if (refused.length > 0) throw refusal(refused, places);
  }

  const refusal = (refused: Awaited<ReturnType<FastifyInstance['destinations']['refusedOf']>>, places: readonly Destination[]) => {
    const errors = refused.map(({ place, detail }) => ({ pointer: places[place]?.pointer ?? '#', detail }));
    return new ProblemError('address-refused', [...new Set(errors.map(({ detail }) => detail))].join(' '), errors);
  };

  app.decorate('admission', {
    async admit(request, access) {
      if (options.kind === 'open') return;
      await assertAllowed(request, access);
      assertRoom(access);
    },

    async admitDue(request, createdBy) {
      if (options.kind === 'open') return;
      const { role, scope } = (createdBy === null ? owner : app.tokens.findByName(createdBy)) ?? {
        role: 'submitter' as const,
        scope: null,
      };
      await assertAllowed(request, { role, scope, name: createdBy });
    },

    assertScheduleRoom({ role, name }) {
      if (options.kind === 'open' || name === null) return;
      const { maxSchedules } = limitsOf(role);
      const count = app.schedules.countOf(name);
      if (count < maxSchedules) return;
      const words = `"${name}" has ${count} schedules; at most ${maxSchedules} may be. Delete one, put several sites into one`;
      throw new ProblemError('over-limit', `${words}, or have the limit raised (access.limits).`);
    },

    async preview(request, access, withinMs) {
      if (options.kind === 'open') return [];
      const places = placesAllowed(request, access);
      const found = await app.destinations.preview(
        places.map(({ url }) => url),
        withinMs,
      );
      const refused = found.filter(({ isLate }) => !isLate);
      if (refused.length > 0) throw refusal(refused, places);
      assertRoom(access);
      const [first] = found;
      if (first === undefined) return [];
      const hosts = [...new Set(found.map(({ place }) => URL.parse(places[place]?.url ?? '')?.hostname ?? ''))];
      const names = hosts.length <= 3 ? hosts.join(', ') : `${hosts.slice(0, 3).join(', ')} and ${hosts.length - 3} more`;
      const detail = `Not checked: ${names} could not be looked up in ${withinMs} ms. Whether it is a public address is checked when the campaign is made.`;
      return [{ pointer: hosts.length === 1 ? (places[first.place]?.pointer ?? '#') : '#/sites', detail }];
    },

    assertRoom,
  });
});

const limitedAs = (role: Role | null): LimitedRole => (role === 'admin' ? 'admin' : 'submitter');

function assertWithin({ spec, sites }: CompleteCampaign, limits: CampaignLimits, role: LimitedRole): void {
  const { conditions, views } = spec;
  const each = Math.max(spec.rounds, spec.maximumRounds ?? 0);
  const rounds = sites.length * conditions.length * views.length * each;
  const hours = expectedHours(spec, rounds);
  const errors: NonNullable<Problem['errors']> = [];
  if (sites.length > limits.maxSites) {
    errors.push({ pointer: '#/sites', detail: `There are ${sites.length} sites; a ${role} may ask for ${limits.maxSites} at once.` });
  }
  if (rounds > limits.maxRounds) {
    const product = `${sites.length} sites × ${conditions.length} conditions × ${views.length} views × ${each} rounds`;
    errors.push({
      pointer: '#/rounds',
      detail: `${product} are ${rounds} rounds in all; a ${role} may ask for ${limits.maxRounds} at once.`,
    });
  }
  if (hours > limits.maxHours) {
    errors.push({
      pointer: '#/rounds',
      detail: `One runner would take about ${Math.ceil(hours)} hours; a ${role} may ask for ${limits.maxHours} at once.`,
    });
  }
  if (errors.length === 0) return;
  const details = errors.map(({ detail }) => detail).join(' ');
  throw new ProblemError(
    'over-limit',
    `${details} Ask for less, make several campaigns, or have the limits raised (access.limits).`,
    errors,
  );
}
