// Numbers as sentences. They never say "faster", since no test stands behind them: only the API's verdicts do.
import type { CampaignSpec, ComparisonVerdict, MoreRounds, Site, Summary, Visitor } from '@pronghorn/core/schemas';
import { forcedSentence, afterWords as wordsOfAfter } from '@pronghorn/core/text';
import { many, quantityOrMore, signed } from './format.ts';
import type { Unit } from './vocabulary.ts';

/** censored: loads that failed. */
export type SlotMedian = { name: string; n: number; median: number | null; censored?: Summary['censored'] };

/** Such as: Median onLoad over 20 rounds: HTTP/3 412 ms, HTTP/2 455 ms. H3-Delta −0.09 (HTTP/3 lower). */
export function medianSentence({
  metric,
  unit,
  slots,
  h3Delta,
}: {
  metric: string;
  unit: Unit;
  slots: readonly SlotMedian[];
  h3Delta: number | null;
}): string {
  if (slots.length === 0) return `No valid visit has a number for ${metric} yet.`;
  const counts = new Set(slots.map(({ n }) => n));
  const over = counts.size === 1 ? ` over ${many([...counts][0] ?? 0, 'round')}` : '';
  const medians = slots.map(({ name, n, median, censored }) => {
    const count = counts.size === 1 ? '' : ` (${many(n, 'visit')})`;
    return `${name} ${quantityOrMore(median, unit, censored?.atLeastMs)}${count}`;
  });
  const failed = slots.flatMap(({ name, n, censored }) => (censored ? [`${name} ${censored.count} of ${n}`] : []));
  const failures = failed.length === 0 ? '' : ` Loads that failed: ${failed.join(', ')}.`;
  return `Median ${metric}${over}: ${medians.join(', ')}.${failures}${h3Delta === null ? '' : ` H3-Delta ${deltaWords(h3Delta)}.`}`;
}

/** H3-Delta with what its sign means: −0.09 (HTTP/3 lower). */
export function deltaWords(h3Delta: number): string {
  const text = signed(h3Delta);
  if (Number(text) === 0) return `${text} (less than 0.5 % apart)`;
  return `${text} (HTTP/3 ${h3Delta < 0 ? 'lower' : 'higher'})`;
}

/** On the same visits, onLoad and SpeedIndex can point to opposite protocols; a reader of one would be misled. */
export function disagree(onLoad: number | null | undefined, speedIndex: number | null | undefined): boolean {
  return Math.sign(Number(signed(onLoad ?? 0).replace('−', '-'))) * Math.sign(Number(signed(speedIndex ?? 0).replace('−', '-'))) < 0;
}

/** How Chrome found HTTP/3, which decides what the numbers mean. */
export function discoveryWords(discovery: 'forced' | 'alt-svc'): string {
  switch (discovery) {
    case 'forced':
      return `${forcedSentence}.`;
    case 'alt-svc':
      return 'HTTP/3 was not forced: Chrome discovered it through Alt-Svc, as a visitor’s would.';
  }
}

/** How the visitor differs from a usual one, in short; empty: it doesn't. */
export function visitorSentence(visitor: Visitor): string {
  const { device, viewport, cpuSlowdown, language, userAgent, headers = [], cookies = [], steps = [], block = [], ownHosts = [] } = visitor;
  const parts = [
    device,
    viewport && `viewport ${viewport.width} × ${viewport.height}`,
    cpuSlowdown && `CPU ${cpuSlowdown} times slower`,
    language && `language ${language}`,
    userAgent && `user agent ${userAgent}`,
    headers.length > 0 && many(headers.length, 'header'),
    cookies.length > 0 && many(cookies.length, 'cookie'),
    visitor.basicAuth && `login as ${visitor.basicAuth.user}`,
    visitor.ca && 'an authority of its own',
    visitor.clientCertificate && 'a client certificate',
    visitor.proxy && `proxy ${visitor.proxy}`,
    visitor.proxyAuth && `login at the proxy as ${visitor.proxyAuth.user}`,
    block.length > 0 && `without ${block.join(', ')}`,
    visitor.firstPartyOnly && 'first party only',
    ownHosts.length > 0 && `own hosts ${ownHosts.join(', ')}`,
    steps.length > 0 && `${many(steps.length, 'step')} before the page`,
  ];
  return parts.filter((part) => typeof part === 'string' && part !== '').join('; ');
}

/** The pages that precede a warm view; undefined: the page itself. */
export function afterWords({ visitor }: Pick<CampaignSpec, 'visitor'>, site: Pick<Site, 'visitor'> | undefined): string | undefined {
  const after = site?.visitor?.after ?? visitor?.after;
  return after && wordsOfAfter({ after });
}

/**
 * The API's verdict, laid out: its sentence, and what speaks against naming a winner as a list of its own, since the sentence of
 * an undecided one ends with that. Together they are the API's words, each once.
 */
export function verdictParts({ words, doubts }: Pick<ComparisonVerdict, 'words' | 'doubts'>): { sentence: string; doubts: string[] } {
  const doubtWords = doubts.map((doubt) => doubt.words);
  const end = ` ${doubtWords.join(' ')}`;
  const sentence = words.endsWith(end) ? words.slice(0, -end.length) : words;
  return { sentence, doubts: doubtWords.filter((doubt) => !sentence.includes(doubt)) };
}

/** @param rounds so far. @param maximumRounds of a campaign that goes on until it is settled; null: of another. */
export function moreRoundsWords({ least, givenUp, words }: MoreRounds, rounds: number, maximumRounds: number | null): string {
  return !givenUp && maximumRounds !== null && rounds + least > maximumRounds ? `${words} This campaign ends at ${maximumRounds}.` : words;
}
