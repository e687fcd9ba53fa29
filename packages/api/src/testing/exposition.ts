// Reads the text format of Prometheus 0.0.4 as strictly as its documentation describes it, and knows its naming conventions:
// prometheus.io/docs/instrumenting/exposition_formats and prometheus.io/docs/practices/naming.
const name = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const sampleLine = new RegExp(
  `^(${name})(?:\\{(${label}(?:,${label})*)?\\})? (-?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)|[+-]Inf|Nan|NaN)$`,
  'i',
);
const types = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

/** The value of each series, by its name with its labels as they are written. */
export function seriesOf(text: string): Map<string, number> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

/** What `promtool check metrics` would say, in words: what cannot be read, and what is named otherwise than it should be. */
export function problemsOf(text: string): string[] {
  const problems: string[] = [];
  const typeOf = new Map<string, string>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  const familyOf = (sample: string) => {
    const base = sample.replace(/_(bucket|sum|count)$/, '');
    return typeOf.get(base) === 'histogram' || typeOf.get(base) === 'summary' ? base : sample;
  };
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const [, kind, metric = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') helped.add(metric);
    else if (kind === 'TYPE') {
      if (!types.includes(rest)) problems.push(`${metric} has the type ${rest}`);
      if (typeOf.has(metric)) problems.push(`${metric} comes twice`);
      typeOf.set(metric, rest);
      problems.push(...namingProblems(metric, rest));
    } else {
      const [, sample, labels = ''] = sampleLine.exec(line) ?? [];
      if (sample === undefined) problems.push(`line ${index + 1} is no sample: ${line}`);
      else {
        if (!typeOf.has(familyOf(sample))) problems.push(`${sample} has no TYPE before it`);
        if (!helped.has(familyOf(sample))) problems.push(`${sample} has no HELP before it`);
        if (seen.has(`${sample}{${labels}}`)) problems.push(`${sample}{${labels}} comes twice`);
        seen.add(`${sample}{${labels}}`);
      }
    }
  }
  if (!text.endsWith('\n')) problems.push('the last line does not end');
  return [...problems, ...histogramProblems(text, typeOf)];
}

/** Those of prom-client for the process are named by Prometheus's own clients, and stay out of it. */
function namingProblems(metric: string, type: string): string[] {
  if (/^(process|nodejs)_/.test(metric)) return [];
  const found: string[] = [];
  if ((type === 'counter') !== metric.endsWith('_total')) {
    found.push(`${metric} is a ${type}, and ${type === 'counter' ? 'does not end' : 'ends'} in _total`);
  }
  if (/_(ms|milliseconds|minutes|hours|kb|mb|kilobytes|megabytes)(_|$)/i.test(metric)) found.push(`${metric} is not in base units`);
  if (metric !== metric.toLowerCase()) found.push(`${metric} has capitals`);
  return found;
}

/** Buckets must not fall, must end with +Inf, and that is the count. */
function histogramProblems(text: string, typeOf: ReadonlyMap<string, string>): string[] {
  const series = seriesOf(text);
  return [...typeOf]
    .filter(([, type]) => type === 'histogram')
    .flatMap(([metric]) => {
      const groups = new Map<string, [number, number][]>();
      for (const [key, value] of series) {
        const [, all] = new RegExp(`^${metric}_bucket\\{(.*)\\}$`).exec(key) ?? [];
        const [, le = ''] = /(?:^|,)le="([^"]+)"/.exec(all ?? '') ?? [];
        const labels = all?.replace(/(?:^|,)le="[^"]+"/, '').replace(/^,/, '');
        if (labels !== undefined) groups.set(labels, [...(groups.get(labels) ?? []), [le === '+Inf' ? Infinity : Number(le), value]]);
      }
      return [...groups].flatMap(([labels, buckets]) => {
        const rising = buckets.every(([le, value], place) => {
          const [before, less] = buckets[place - 1] ?? [-Infinity, 0];
          return le > before && value >= less;
        });
        const count = series.get(`${metric}_count${labels === '' ? '' : `{${labels}}`}`);
        const [last, all] = buckets.at(-1) ?? [];
        return [
          ...(rising ? [] : [`${metric}{${labels}} has buckets that fall`]),
          ...(last === Infinity && all === count ? [] : [`${metric}{${labels}} has ${all} in its last bucket, and a count of ${count}`]),
        ];
      });
    });
}
