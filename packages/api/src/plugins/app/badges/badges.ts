// Badges: what they say (of a gate the newest answer, of a site the newest verdict), and signed addresses at which anybody may read one.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Gate, KnownSite, ListedComparison } from '@pronghorn/core/schemas';
import type { GateOutcome, View } from '@pronghorn/core/vocabulary';
import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';
import { rowId } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';

declare module 'fastify' {
  interface FastifyInstance {
    badges: {
      /** @param branch of the campaigns; null: any. */
      ofGate(gate: Gate, branch: string | null): Promise<string>;
      /** Null: any. @throws ProblemError results-busy. */
      ofSite(site: KnownSite, where: { condition: string | null; view: View | null }): Promise<string>;
    };
  }
}

const gateColors: Record<GateOutcome, BadgeColor> = { pass: 'good', fail: 'bad', inconclusive: 'unclear', unmeasured: 'bad' };

export default fp(async (app) => {
  app.decorate('badges', {
    async ofGate({ id, name }, branch) {
      const outcome = await app.store.gates.newestOutcome(id, branch);
      return badgeSvg({
        label: name,
        message: outcome ?? 'no answer yet',
        color: outcome === undefined ? 'nothing' : gateColors[outcome],
      });
    },
    async ofSite({ id, name }, { condition, view }) {
      const campaignId = await app.store.sites.newestComparing(rowId(id));
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
});

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

/** With white text each has a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3). */
export const badgeColors = { good: '#1a7f37', bad: '#b3261e', unclear: '#8a5a00', neutral: '#1f5fa8', nothing: '#5a6068' } as const;
export const labelColor = '#32383f';
type BadgeColor = keyof typeof badgeColors;

const height = 20;
const padding = 7;
const maxGraphemes = 40;

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

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** What XML 1.0 can't hold, and what turns the direction of the text around it. */
const unprintable = /[^\u0020-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]|[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

function shortened(text: string): string {
  const all = [...graphemes.segment(text.slice(0, 2_000).replaceAll(unprintable, ' ').trim())];
  const kept = all.slice(0, maxGraphemes).map(({ segment }) => segment);
  return all.length > maxGraphemes ? `${kept.slice(0, -1).join('')}…` : kept.join('');
}

/** About as wide as Verdana is at 11 px. */
function widthOf(text: string): number {
  const widths = [...graphemes.segment(text)].map(({ segment }) => widthOfGrapheme(segment));
  return Math.ceil(widths.reduce((sum, width) => sum + width, 0));
}

function widthOfGrapheme(grapheme: string): number {
  if ((grapheme.codePointAt(0) ?? 0) >= 0x1100) return 12;
  if (/^[ijl.,:;'|!·]/.test(grapheme)) return 3.8;
  if (/^[ frtI()[\]/\-"]/.test(grapheme)) return 4.8;
  if (/^[mwMW@%&…]/.test(grapheme)) return 10.8;
  if (/^[A-Z]/.test(grapheme)) return 7.6;
  return 6.8;
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? mark);

// Addresses that say by themselves that they may be read, until a day: whoever has one needs no token, and can read nothing but what it names.

/** Owns the table signing_keys. */
export function createSigningKeysRepository(database: Database) {
  const select = database.prepare<[], { key: Buffer }>(`SELECT key FROM signing_keys WHERE purpose = 'addresses'`);
  const insert = database.prepare<[Buffer]>(`INSERT INTO signing_keys VALUES ('addresses', ?) ON CONFLICT DO NOTHING`);
  return {
    /** Undefined before the first address is signed. */
    find: (): Buffer | undefined => select.get()?.key,
    /** Makes it for the first address. */
    make(): Buffer {
      if (select.get() === undefined) insert.run(randomBytes(32));
      return (select.get() as { key: Buffer }).key;
    },
  };
}

function signatureOf(key: Buffer, { pathname, searchParams }: URL, of: string): Buffer {
  const query = new URLSearchParams(searchParams);
  query.delete('signature');
  query.sort();
  return createHmac('sha256', key).update(`${pathname}?${query}\n${of}`).digest();
}

/** Ids of sites are given anew when their last campaign is gone; those of gates never. */
function subjectOf({ sites }: Pick<Tables, 'sites'>, noun: 'gate' | 'site', id: number): string {
  const site = noun === 'gate' ? undefined : sites.find(id);
  return site === undefined ? '' : `${site.url} ${site.expectStatus}`;
}

export type SignedThing = { noun: 'gate' | 'site'; id: number };

export const badgeCommands = (tables: Pick<Tables, 'audit' | 'signingKeys' | 'sites'>) => ({
  /**
   * @param query of the badge. @param expiresAt milliseconds since 1970.
   * @returns the path of the badge with its time and its signature.
   */
  sign({ noun, id }: SignedThing, query: Record<string, string>, expiresAt: number, caller: Caller): string {
    tables.audit.of(caller, `${noun}.sign-badge`, id, { ...query, expiresAt: new Date(expiresAt).toISOString() });
    const url = new URL(`/api/v1/${noun}s/${id}/badge.svg?${new URLSearchParams(query)}`, 'http://service');
    url.searchParams.set('expires', String(Math.floor(expiresAt / 1_000)));
    url.searchParams.set('signature', signatureOf(tables.signingKeys.make(), url, subjectOf(tables, noun, id)).toString('base64url'));
    return url.pathname + url.search;
  },
});

export const createBadgeReads = (tables: Pick<Tables, 'now' | 'signingKeys' | 'sites'>) => ({
  /** Whether a request's path was signed for what it names now, and its time is not over. */
  isSigned(path: string, { noun, id }: SignedThing): boolean {
    const url = URL.parse(path, 'http://service');
    const given = Buffer.from(url?.searchParams.get('signature') ?? '', 'base64url');
    const key = given.length === 32 ? tables.signingKeys.find() : undefined;
    if (url === null || key === undefined || !timingSafeEqual(given, signatureOf(key, url, subjectOf(tables, noun, id)))) return false;
    return Number(url.searchParams.get('expires')) * 1_000 > tables.now();
  },
});
