// What `pronghorn-gate` uses and Node 20 lacks, which machines of GitHub and GitLab still have. Older versions are refused.
if (Number.parseInt(process.versions.node, 10) < 20) {
  console.error(`pronghorn-gate: needs Node 20 or newer; this is ${process.version}. Use a newer one, or the image "gate": docs/gates.md.`);
  process.exit(69);
}

URL.parse ??= (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null);

Map.groupBy ??= <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
};
