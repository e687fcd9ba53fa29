// Badges and what they say: of a gate the newest answer, of a site the newest verdict, of a campaign its verdicts.

import { failingOver, isUnfinished } from '@pronghorn/core/answer';
import type { CellAnswer, Gate, KnownSite, VerdictOutcome } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import type { GateOutcome, View } from '@pronghorn/core/vocabulary';
import fp from 'fastify-plugin';
import { found } from '../../../shared/problems.ts';
import { remembered } from '../../../shared/remembered.ts';
import { rowId } from '../../../storage/page.ts';
import { publicCampaign, publicName } from '../public-links/public-links.ts';
import { cardSvg } from './card.ts';
import { escaped, shortened, widthOf } from './svg-text.ts';

declare module 'fastify' {
  interface FastifyInstance {
    badges: {
      /** @param branch of the campaigns; null: any. */
      ofGate(gate: Gate, branch: string | null): Promise<string>;
      /** Null: any. @throws ProblemError results-busy. */
      ofSite(site: KnownSite, where: { condition: string | null; view: View | null }): Promise<string>;
      /** @throws ProblemError not-found, results-busy. */
      ofCampaign(id: string): Promise<string>;
      /** A picture of a campaign's result: question, answer, and a row for each condition. @throws as ofCampaign. */
      cardOf(id: string): Promise<string>;
    };
  }
}

const gateColors: Record<GateOutcome, BadgeColor> = { pass: 'good', fail: 'bad', inconclusive: 'unclear', unmeasured: 'bad' };

export default fp(async (app) => {
  /**
   * Read anew only where the summary is another: with thousands of cells that takes a tenth of a second, in which nobody else is answered, and whoever has
   * a picture's address may ask for it as often as they like.
   */
  const summaryOf = async (campaignId: number) => {
    const { version, document } = await app.results.summary(campaignId);
    const read = () => app.results.read(document);
    return { key: `${campaignId} ${version}`, read };
  };
  const comparedOf = remembered<Compared[]>(20);
  const cards = remembered<{ svg: string }>(200);

  /** @param of null: any. */
  async function verdictOf(campaignId: number, of: { siteId: string | null; condition: string | null; view: View | null }) {
    const { key, read } = await summaryOf(campaignId);
    const compared = comparedOf(key, () =>
      read().cells.flatMap((cell) => {
        const { siteId, condition, view, comparison } = cell;
        if (comparison === null) return [];
        const { rounds, outcome, doubts } = comparison;
        const isMeasured = rounds > 0 && !doubts.includes('not-loaded');
        return {
          siteId,
          condition,
          view,
          outcome,
          isMeasured,
          isUnfinished: isUnfinished(comparison),
          isFailing: failingOver(cell).length > 0,
        };
      }),
    );
    const isWanted = (cell: Compared) =>
      (Object.entries(of) as [keyof typeof of, string | null][]).every(([name, wanted]) => wanted === null || cell[name] === wanted);
    const { engine } = found(await app.store.campaigns.specOf(campaignId), `campaign ${campaignId}`).spec;
    return verdictWords(compared.filter(isWanted), engine === 'transaction' ? 'server' : 'page');
  }

  app.decorate('badges', {
    async ofGate({ id, name }, branch) {
      const outcome = await app.store.gates.newestOutcome(id, branch);
      return badgeSvg({
        label: name,
        message: outcome ?? 'no answer yet',
        color: outcome === undefined ? 'nothing' : gateColors[outcome],
      });
    },
    async ofSite({ id, name, url }, { condition, view }) {
      const campaignId = await app.store.sites.newestComparing(rowId(id));
      const verdict = campaignId === undefined ? verdictWords([]) : await verdictOf(campaignId, { siteId: id, condition, view });
      return badgeSvg({ label: `HTTP/3 on ${publicName(name, [{ url }])}`, ...verdict });
    },
    async ofCampaign(id) {
      const { campaignId } = await app.store.campaigns.known(id);
      return badgeSvg({ label: 'HTTP/3', ...(await verdictOf(campaignId, { siteId: null, condition: null, view: null })) });
    },
    async cardOf(id) {
      const campaign = found(await app.store.campaigns.find(id), `campaign ${id}`);
      const { key, read } = await summaryOf(rowId(id));
      return cards(key, () => ({ svg: cardSvg(publicCampaign(campaign), read()) })).svg;
    },
  });
});

/** A cell in which h3 is compared with h2 on the primary metric. */
type Compared = Pick<CellAnswer, 'siteId' | 'condition' | 'view'> & {
  outcome: VerdictOutcome;
  /** A round is done, and the page loaded over both. */
  isMeasured: boolean;
  isUnfinished: boolean;
  /** Loads failed so often that it has neither a verdict nor a number. */
  isFailing: boolean;
};

/** @param site what a site is called: page or server */
export function verdictWords(compared: readonly Compared[], site = 'page'): { message: string; color: BadgeColor } {
  const measured = compared.filter(({ isMeasured }) => isMeasured);
  const count = (wanted: (one: Compared) => boolean) => measured.filter(wanted).length;
  const [faster, slower] = [count(({ outcome }) => outcome === 'h3-faster'), count(({ outcome }) => outcome === 'h2-faster')];
  // A winner under one of five conditions is no winner under all of them, nor where the others could not be measured.
  const all = compared.length;
  const of = ` of ${counted(all, nounOf(compared, site))}`;
  const some = (winners: number) => (winners === all ? '' : ` in ${winners}${of}`);
  if (measured.length === 0) return { message: 'unmeasured', color: 'nothing' };
  if (faster > 0 && slower > 0) return { message: `faster in ${faster}, slower in ${slower}${of}`, color: 'neutral' };
  if (faster > 0) return { message: `faster${some(faster)}`, color: 'good' };
  if (slower > 0) return { message: `slower${some(slower)}`, color: 'bad' };
  const failing = count(({ isFailing }) => isFailing);
  if (failing > 0) return { message: `loads fail${some(failing)}`, color: 'unclear' };
  if (measured.every(({ isUnfinished }) => isUnfinished)) return { message: 'not finished', color: 'nothing' };
  return { message: 'no clear difference', color: 'neutral' };
}

/** What the comparisons differ in, if it is one thing. */
function nounOf(compared: readonly Compared[], site: string): string {
  const several = (['siteId', 'condition', 'view'] as const).filter((name) => new Set(compared.map((one) => one[name])).size > 1);
  const nouns = { siteId: site, condition: 'network', view: 'view' };
  return several.length === 1 ? nouns[several[0] as 'view'] : 'case';
}

/** With white text each has a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3). */
export const badgeColors = { good: '#1a7f37', bad: '#b3261e', unclear: '#8a5a00', neutral: '#1f5fa8', nothing: '#5a6068' } as const;
export const labelColor = '#32383f';
type BadgeColor = keyof typeof badgeColors;

const height = 20;
const padding = 7;

/** @param message what the badge says of its label. Both may be any text, however long. */
export function badgeSvg({ label, message, color }: { label: string; message: string; color: BadgeColor }): string {
  const [left, right] = [shortened(label), shortened(message)];
  const [leftWidth, rightWidth] = [widthOf(left) + 2 * padding, widthOf(right) + 2 * padding];
  const width = leftWidth + rightWidth;
  const said = escaped(`${left}: ${right}`);
  // The length is said, so that the text fits whichever of the fonts is there.
  const text = (words: string, x: number, boxWidth: number) =>
    `<text x="${x + boxWidth / 2}" y="14" textLength="${boxWidth - 2 * padding}" lengthAdjust="spacingAndGlyphs">${escaped(words)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${said}">`,
    `<title>${said}</title>`,
    `<clipPath id="corners"><rect width="${width}" height="${height}" rx="3"/></clipPath>`,
    '<g clip-path="url(#corners)">',
    `<rect width="${leftWidth}" height="${height}" fill="${labelColor}"/>`,
    `<rect x="${leftWidth}" width="${rightWidth}" height="${height}" fill="${badgeColors[color]}"/>`,
    '</g>',
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" text-anchor="middle">',
    text(left, 0, leftWidth),
    text(right, leftWidth, rightWidth),
    '</g>',
    '</svg>\n',
  ].join('');
}
