// How delays and losses can be distributed, in words.
export const distributions = [
  { value: 'uniform', name: 'Uniform', words: 'Each delay within the spread is as likely.' },
  { value: 'normal', name: 'Normal', words: 'The jitter is its standard deviation.' },
  { value: 'pareto', name: 'Pareto', words: 'A long tail of late packets.' },
  { value: 'paretonormal', name: 'Pareto–normal', words: 'A mixture of both.' },
] as const;
export const models = [
  { value: 'none', name: 'None' },
  { value: 'independent', name: 'Independent', words: 'Each packet by itself.' },
  { value: 'gilbert-elliott', name: 'In bursts', words: 'Gilbert–Elliott: a good state, and a bad one that loses more.' },
] as const;
