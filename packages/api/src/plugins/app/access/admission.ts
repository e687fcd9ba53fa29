// Which campaigns are taken from whom, besides that they can be run at all.
import { minAutoTimeoutMs } from '@pronghorn/core/network';
import type { CampaignRequest, CampaignSpec, Problem, ProblemKind, Role } from '@pronghorn/core/schemas';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../shared/problems.ts';
import type { Tables } from '../../../store/tables.ts';
import { type CompleteCampaign, completeSpec } from '../spec/campaign-spec.ts';
import { owner, type RequestAccess } from './access.ts';
import { type AccessOptions, type CampaignLimits, defaultCampaignLimits, type LimitedRole } from './access-options.ts';
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

type Asker = Pick<RequestAccess, 'role' | 'name' | 'scope'>;

/** What is known of a campaign without asking where names lead; null limits: access is open, and nothing is refused. */
export function createAdmissionRules({
  settings,
  campaigns,
  conditions,
  schedules,
}: Pick<Tables, 'settings' | 'campaigns' | 'conditions' | 'schedules'>) {
  const { limits } = settings;
  return {
    /**
     * Where a campaign leads that is within scope and limits; what addresses are there is still to be asked.
     * @throws ProblemError out-of-scope, over-limit; and as completeSpec.
     */
    destinations(request: CampaignRequest, access: Asker): Destination[] {
      if (limits === null) return [];
      const complete = completeSpec(request, 0, conditions.all(), settings.calls);
      const led = { ...complete.spec, sites: complete.sites };
      assertInScope(access, led);
      assertWithin(complete, limits[limitedAs(access.role)], limitedAs(access.role));
      return destinationsOf(led);
    },

    /** @throws ProblemError too-many-campaigns. */
    assertRoom({ role, name }: Asker): void {
      if (limits === null || name === null) return;
      const { maxUnfinished } = limits[limitedAs(role)];
      const unfinished = campaigns.countUnfinished(name);
      if (unfinished < maxUnfinished) return;
      throw new ProblemError(
        'too-many-campaigns',
        `"${name}" has ${unfinished} campaigns that are not done; at most ${maxUnfinished} may wait. Wait for one, or cancel one.`,
      );
    },

    /** Part of the transaction that makes a schedule. @throws ProblemError over-limit. */
    assertScheduleRoom({ role, name }: Asker): void {
      if (limits === null || name === null) return;
      const { maxSchedules } = limits[limitedAs(role)];
      const count = schedules.countOf(name);
      if (count < maxSchedules) return;
      const words = `"${name}" has ${count} schedules; at most ${maxSchedules} may be. Delete one, put several sites into one`;
      throw new ProblemError('over-limit', `${words}, or have the limit raised (access.limits).`);
    },
  };
}

/** The limits of each role, as an operator chose them; null: access is open. */
export const limitsOf = (access: AccessOptions): Record<LimitedRole, CampaignLimits> | null =>
  access.kind === 'open'
    ? null
    : {
        submitter: { ...defaultCampaignLimits.submitter, ...access.limits?.submitter },
        admin: { ...defaultCampaignLimits.admin, ...access.limits?.admin },
      };

export default fp(async (app) => {
  const { store } = app;
  const isOpen = app.accessOptions.kind === 'open';

  async function assertAllowed(request: CampaignRequest, access: Asker): Promise<void> {
    const places = await store.admission.destinations(request, access);
    const refused = await app.destinations.refusedOf(places.map(({ url }) => url));
    if (refused.length > 0) throw refusal(refused, places);
  }

  const refusal = (refused: Awaited<ReturnType<FastifyInstance['destinations']['refusedOf']>>, places: readonly Destination[]) => {
    const errors = refused.map(({ place, detail }) => ({ pointer: places[place]?.pointer ?? '#', detail }));
    return new ProblemError('address-refused', [...new Set(errors.map(({ detail }) => detail))].join(' '), errors);
  };

  app.decorate('admission', {
    async admit(request, access) {
      if (isOpen) return;
      await assertAllowed(request, access);
      await store.admission.assertRoom(access);
    },

    async admitDue(request, createdBy) {
      if (isOpen) return;
      const by = createdBy === null ? owner : await store.access.findTokenByName(createdBy);
      const { role, scope } = by ?? { role: 'submitter' as const, scope: null };
      await assertAllowed(request, { role, scope, name: createdBy });
    },

    async preview(request, access, withinMs) {
      if (isOpen) return [];
      const places = await store.admission.destinations(request, access);
      const found = await app.destinations.preview(
        places.map(({ url }) => url),
        withinMs,
      );
      const refused = found.filter(({ isLate }) => !isLate);
      if (refused.length > 0) throw refusal(refused, places);
      await store.admission.assertRoom(access);
      const [first] = found;
      if (first === undefined) return [];
      const hosts = [...new Set(found.map(({ place }) => URL.parse(places[place]?.url ?? '')?.hostname ?? ''))];
      const names = hosts.length <= 3 ? hosts.join(', ') : `${hosts.slice(0, 3).join(', ')} and ${hosts.length - 3} more`;
      const detail = `Not checked: ${names} could not be looked up in ${withinMs} ms. Whether it is a public address is checked when the campaign is made.`;
      return [{ pointer: hosts.length === 1 ? (places[first.place]?.pointer ?? '#') : '#/sites', detail }];
    },
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
