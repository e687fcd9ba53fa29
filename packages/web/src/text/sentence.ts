// What numbers say, as a sentence. No test stands behind these, so they never say "faster": that is said by the API's verdicts alone.
import type { ComparisonVerdict } from '@pronghorn/core';
import { many, quantity, signed } from './format.ts';
import type { Unit } from './vocabulary.ts';

export type SlotMedian = { name: string; n: number; median: number };

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
  const medians = slots.map(({ name, n, median }) => {
    const count = counts.size === 1 ? '' : ` (${many(n, 'visit')})`;
    return `${name} ${quantity(median, unit)}${count}`;
  });
  return `Median ${metric}${over}: ${medians.join(', ')}.${h3Delta === null ? '' : ` H3-Delta ${deltaWords(h3Delta)}.`}`;
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

/** How Chrome came to HTTP/3, which decides what the numbers mean. */
export function discoveryWords(discovery: 'forced' | 'alt-svc'): string {
  switch (discovery) {
    case 'forced':
      return (
        'HTTP/3 was forced from the first request. That is its best case, not what a first visitor gets: left alone, Chrome ' +
        'first loads a page over HTTP/2 and learns of HTTP/3 from it.'
      );
    case 'alt-svc':
      return 'HTTP/3 was not forced: Chrome found it by itself, through Alt-Svc, as a visitor’s would.';
  }
}

/**
 * The API's verdict, laid out: its sentence, and what speaks against naming a winner as a list of its own, since the sentence of
 * an undecided one ends with that. Together they are the API's words, each once.
 */
export function verdictParts({ words, doubts }: Pick<ComparisonVerdict, 'words' | 'doubts'>): { sentence: string; doubts: string[] } {
  const said = doubts.map((doubt) => doubt.words);
  const end = ` ${said.join(' ')}`;
  const sentence = words.endsWith(end) ? words.slice(0, -end.length) : words;
  return { sentence, doubts: said.filter((doubt) => !sentence.includes(doubt)) };
}

/** @param rounds so far. @param maximumRounds of a campaign that goes on until it is settled; null: of another. */
export function moreRoundsWords(moreRounds: number, rounds: number, maximumRounds: number | null): string {
  const words = `About ${many(moreRounds, 'more round')} would settle it`;
  return maximumRounds !== null && rounds + moreRounds > maximumRounds ? `${words}; this campaign ends at ${maximumRounds}.` : `${words}.`;
}
