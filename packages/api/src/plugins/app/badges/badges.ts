// What badges say: of a gate the newest answer, of a site the newest verdict.
import type { Gate, KnownSite, ListedComparison } from '@pronghorn/core/schemas';
import type { GateOutcome, View } from '@pronghorn/core/vocabulary';
import fp from 'fastify-plugin';
import { rowId } from '../../../storage/row-id.ts';
import { type BadgeColor, badgeSvg } from './badge.ts';

declare module 'fastify' {
  interface FastifyInstance {
    badges: {
      /** @param branch of the campaigns; null: any. */
      ofGate(gate: Gate, branch: string | null): string;
      /** Null: any. @throws ProblemError results-busy. */
      ofSite(site: KnownSite, where: { condition: string | null; view: View | null }): Promise<string>;
    };
  }
}

const gateColors: Record<GateOutcome, BadgeColor> = { pass: 'good', fail: 'bad', inconclusive: 'unclear', unmeasured: 'bad' };

export default fp(
  async (app) => {
    app.decorate('badges', {
      ofGate({ id, name }, branch) {
        const outcome = app.gates.answers.newestOutcome(id, branch);
        return badgeSvg({
          label: name,
          message: outcome ?? 'no answer yet',
          color: outcome === undefined ? 'nothing' : gateColors[outcome],
        });
      },
      async ofSite({ id, name }, { condition, view }) {
        const campaignId = app.campaigns.newestComparing(rowId(id));
        const filter = {
          siteId: id,
          condition,
          view,
          metric: null,
          candidate: null,
          baseline: null,
          outcome: null,
          confirmatory: 1 as const,
        };
        const { text } =
          campaignId === undefined
            ? { text: '{"items":[]}' }
            : await app.results.comparisons(campaignId, filter, { limit: 1_000, cursor: null });
        const verdict = verdictWords((JSON.parse(text) as { items: ListedComparison[] }).items);
        return badgeSvg({ label: `HTTP/3 on ${name}`, ...verdict });
      },
    });
  },
  { name: 'badges', dependencies: ['gates', 'results', 'campaigns-repository'] },
);

/** Of the comparisons of h3 with h2 on the primary metric, one for each condition and view. */
export function verdictWords(comparisons: readonly Pick<ListedComparison, 'rounds' | 'verdict'>[]): { message: string; color: BadgeColor } {
  const measured = comparisons.filter(({ rounds, verdict }) => rounds > 0 && !verdict.doubts.some(({ doubt }) => doubt === 'not-loaded'));
  const count = (wanted: string) => measured.filter(({ verdict: { outcome } }) => outcome === wanted).length;
  const [faster, slower, all] = [count('h3-faster'), count('h2-faster'), measured.length];
  // A winner under one of five conditions is no winner under all of them.
  const where = (winners: number) => (winners === all ? '' : ` in ${winners}`);
  const of = faster + slower < all || (faster > 0 && slower > 0) ? ` of ${all}` : '';
  if (all === 0) return { message: 'unmeasured', color: 'nothing' };
  if (faster > 0 && slower > 0) return { message: `faster in ${faster}, slower in ${slower}${of}`, color: 'neutral' };
  if (faster > 0) return { message: `faster${where(faster)}${of}`, color: 'good' };
  if (slower > 0) return { message: `slower${where(slower)}${of}`, color: 'bad' };
  return { message: 'no clear difference', color: 'neutral' };
}
