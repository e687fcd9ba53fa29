// Short explanations of statistics for a page's readers. docs/statistics.md has the details.
type Explanation = { name: string; words: string };

export const explanations = {
  h3Delta: {
    name: 'H3-Delta',
    words:
      '(median HTTP/3 − median HTTP/2) ÷ the larger of both, after Trevisan et al. 2021. Negative: HTTP/3 is lower, which for times is faster. −0.1 is about 10 %.',
  },
  delta: {
    name: 'delta',
    words:
      '(median of the first − median of the second) ÷ the larger of both; of HTTP/3 and HTTP/2 it is the H3-Delta. Negative: the first is lower.',
  },
  interval: {
    name: 'interval',
    words:
      'The range that holds the true value with the stated confidence. Among several comparisons, the interval of the shift has the confidence that its verdict needs, such as 99.4 %: it excludes zero exactly where a winner is named. An interval across zero shows no direction at that confidence, even where all rounds lean one way (“likely, not proven”): more rounds make it narrower.',
  },
  shift: {
    name: 'shift',
    words:
      'How much higher or lower one protocol is within a round, typically: rounds are compared pair by pair, so what both share cancels.',
  },
  p: {
    name: 'p',
    words:
      'How often chance alone would show a difference at least as large if there were none. Small values speak against chance; they say nothing about how large the difference is.',
  },
  adjustedP: {
    name: 'corrected p',
    words:
      'p, corrected for all comparisons of this campaign: among many tests, some are “significant” by chance. After Hommel or Holm the chance that any winner is false is kept at 5 %; after Benjamini–Hochberg the share of false ones among the winners is, on average.',
  },
  rankBiserial: {
    name: 'effect size r',
    words:
      'Rank-biserial correlation, from −1 to 1: by how much the rounds in which one is lower outweigh the others. 0: no difference; −1: always lower.',
  },
  equivalence: {
    name: 'equivalence',
    words:
      'Both are typically the same within a margin: the whole interval lies inside it, and slow visits are not shown to differ by more. Not the same as “no difference found”.',
  },
  percentile: { name: 'percentile', words: 'p75: three quarters of the visits were at or below it, a quarter above.' },
  median: { name: 'median', words: 'Half of the visits were below it, half above.' },
  iqr: { name: 'IQR', words: 'Interquartile range: how far the middle half of the visits spreads.' },
  onLoad: { name: 'onLoad', words: 'When the load event fires: the page and everything it references are loaded.' },
  speedIndex: {
    name: 'SpeedIndex',
    words: 'How soon the visible part of the page looks complete, on average over its area, in milliseconds. Lower is faster.',
  },
  violin: { name: 'violin', words: 'The wider, the more visits had that value. The line inside is the median, the box the middle half.' },
  ecdf: { name: 'CDF', words: 'For each value the share of sites (or visits) at or below it.' },
  round: {
    name: 'round',
    words: 'One visit with each protocol, right after each other in random order: what the network does at that moment hits all alike.',
  },
  foreignCpu: {
    name: 'CPU used by other programs',
    words: 'CPU that other work used during the visit. Much of it slows pages: such a visit is invalid.',
  },
  protocolMix: {
    name: 'protocol mix',
    words:
      'How many of a page’s objects came over each protocol. Third parties often don’t speak HTTP/3, whatever the page’s own host does.',
  },
  receiveDrops: {
    name: 'lost in the browser',
    words: 'UDP datagrams that had arrived and were lost because the browser’s socket was full: the machine’s fault, not the network’s.',
  },
  stdev: { name: 'SD', words: 'Standard deviation of the visits (n − 1): how far they lie from their mean, typically.' },
  cv: {
    name: 'CV',
    words:
      'Coefficient of variation: standard deviation ÷ mean. At most 10 % is called highly consistent, 15 % consistent, 20 % sufficiently consistent (Zahra & Ardiansyah 2026).',
  },
  verdict: {
    name: 'verdict',
    words:
      'The API’s conclusion, with the doubts about naming a winner. Only the primary metric, HTTP/3 against HTTP/2, answers the campaign’s question: every other comparison is exploratory.',
  },
  pairedRounds: { name: 'rounds', words: 'Rounds in which both protocols have a number: these are the pairs that are compared.' },
  medianDifference: {
    name: 'median difference',
    words: 'Median of the first − median of the second, of all visits. Interval by a bootstrap of whole rounds.',
  },
  cliffsDelta: {
    name: 'Cliff’s delta',
    words:
      'Effect size of the two samples as if they were not paired, from −1 to 1, with its category and the p of the Mann–Whitney test: for comparison with published results.',
  },
  practical: {
    name: 'practical',
    words:
      'Practically significant after Zahra & Ardiansyah 2026: the two samples, not paired, differ (Mann–Whitney p < 0.05, |r| ≥ 0.3), and their medians by 10 % or more; and the verdict names a winner, since that p is not corrected. In small print: that r and that share.',
  },
} as const satisfies Record<string, Explanation>;
export type Term = keyof typeof explanations;
