// Named sets of network conditions. A set's name stands wherever the name of a condition can.

export interface ConditionSet {
  name: string;
  title: string;
  description: string;
  /** Names of presets, each once. */
  conditions: readonly string[];
}

export const conditionSets: readonly ConditionSet[] = [
  {
    name: 'typical',
    title: 'Typical',
    description: 'The path as it is, a mobile network, a far server, and a path that loses packets.',
    conditions: ['native', '4g', 'latency-100', 'loss-1'],
  },
  { name: 'mobile', title: 'Mobile', description: 'Mobile networks, from LTE to 3G.', conditions: ['lte', '4g', '3g-fast', '3g'] },
  {
    name: 'study-2021',
    title: 'Study of 2021',
    description:
      'All of Trevisan et al. 2021. Their 12 combinations hold 10 different conditions, since native is in each of three groups.',
    conditions: [
      'native',
      ...[50, 100, 200].map((ms) => `latency-${ms}`),
      ...[1, 2, 5].map((percent) => `loss-${percent}`),
      ...[5, 2, 1].map((mbps) => `bandwidth-${mbps}`),
    ],
  },
  { name: 'study-2026', title: 'Study of 2026', description: 'All of Zahra & Ardiansyah 2026.', conditions: ['native', 'medium', 'poor'] },
];

export const conditionSetNamed = (name: string): ConditionSet | undefined => conditionSets.find((set) => set.name === name);

/**
 * Puts the conditions of a set in place of its name. One that is named by itself, or by an earlier set, is left out of a set.
 *
 * @returns each condition with its place in the request
 */
export function expandSets<Whole extends { name: string }>(
  requests: readonly (string | Whole)[],
): { request: string | Whole; place: number }[] {
  const setOf = (request: string | Whole) => (typeof request === 'string' ? conditionSetNamed(request) : undefined);
  const taken = new Set(
    requests.filter((request) => setOf(request) === undefined).map((request) => (typeof request === 'string' ? request : request.name)),
  );
  return requests.flatMap((request, place) => {
    const set = setOf(request);
    if (set === undefined) return [{ request, place }];
    const others = set.conditions.filter((name) => !taken.has(name));
    for (const name of others) taken.add(name);
    return others.map((name) => ({ request: name, place }));
  });
}
