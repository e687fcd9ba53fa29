// What people mean by a name: in another case, by its initials, or misspelt.
import { type GateMetric, gateMetrics } from '../vocabulary/metric.ts';

/** The metric of this name, in any case, or of these initials (LCP, FCP, CLS, TBT); undefined: there is none. */
export const metricNamed = <Name extends GateMetric = GateMetric>(
  text: string,
  among: readonly Name[] = gateMetrics as readonly GateMetric[] as readonly Name[],
): Name | undefined => {
  const wanted = text.toLowerCase();
  return only(among, (name) => name.toLowerCase() === wanted) ?? only(among, (name) => wanted.length > 2 && initialsOf(name) === wanted);
};

/** largestContentfulPaint: lcp. */
const initialsOf = (name: string) => name.replaceAll(/(?<=.)[a-z0-9]+/g, '').toLowerCase();

/** The metric that a misspelt name means: as `nameMeant`, by its initials, its beginning, or a part. */
export function metricMeant(text: string, among: readonly GateMetric[] = gateMetrics): GateMetric | undefined {
  const wanted = lettersOf(text);
  if (wanted.length < 2) return undefined;
  return (
    metricNamed(wanted, among) ??
    only(among, (name) => name.toLowerCase().startsWith(wanted) || wanted.startsWith(name.toLowerCase())) ??
    only(among, (name) => name.toLowerCase().includes(wanted)) ??
    nameMeant(text, among)
  );
}

/** The only name that differs in case and marks alone, or else by one slip: latency100 means latency-100. */
export function nameMeant<Name extends string>(text: string, among: readonly Name[]): Name | undefined {
  const wanted = lettersOf(text);
  return (
    only(among, (name) => lettersOf(name) === wanted) ?? only(among, (name) => wanted.length > 2 && isOneSlip(lettersOf(name), wanted))
  );
}

const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Undefined: there is none, or several. */
function only<Name>(among: readonly Name[], test: (name: Name) => boolean): Name | undefined {
  const [first, ...others] = among.filter(test);
  return others.length === 0 ? first : undefined;
}

/** Whether two words differ by one missing or wrong letter, or by two exchanged ones. */
export function isOneSlip(one: string, other: string): boolean {
  let alike = 0;
  while (alike < one.length && one[alike] === other[alike]) alike += 1;
  const [a, b] = [one.slice(alike), other.slice(alike)];
  const isExchanged = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || isExchanged;
}
