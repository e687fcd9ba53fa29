// What a visitor never asks for, as URL patterns (https://urlpattern.spec.whatwg.org/).

/** @param pattern a host, `*.host` for it and all below it, or a URL pattern */
export function urlPatternsOf(pattern: string): string[] {
  if (pattern.includes('/')) return [pattern];
  // In a pattern a colon begins the name of a part, in an address of IPv6 too.
  return (
    pattern.startsWith('*.') ? [pattern.slice(2), pattern] : [pattern.startsWith('[') ? pattern.replaceAll(':', '\\:') : pattern]
  ).map((host) => `*://${host}:*/*`);
}

/** @returns what is wrong with it, as a sentence; undefined: nothing */
export function blockProblem(pattern: string): string | undefined {
  const wrong = `"${pattern}" is neither a host nor a URL pattern`;
  try {
    // Chrome takes none with expressions in it, and would block nothing at all.
    if (!urlPatternsOf(pattern).some((one) => new URLPattern(one).hasRegExpGroups)) return undefined;
  } catch (error) {
    return `${wrong} (${error instanceof Error ? error.message : error}); expected one such as ads.example.com, *.example.com or *://*:*/ads/*.`;
  }
  return `${wrong} that browsers block by: it has an expression in brackets; expected wildcards, such as *://*:*/ads/*.`;
}
