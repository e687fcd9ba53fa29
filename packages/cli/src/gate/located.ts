// Where in a gate's file an assertion stands: reports of code want a path and a line.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { GateOutcome } from '@pronghorn/core/vocabulary';
import { nameOf, placesOf, type Reported, sourceName, wordsOf } from './reported.ts';

export interface LocatedCheck {
  outcome: Exclude<GateOutcome, 'pass'>;
  /** The assertion, in words. */
  assertion: string;
  /** What came of it, and where. */
  words: string;
  /** Of the gate's file, from the working folder, as repositories have it; of a stored gate, its name. */
  path: string;
  /** From 1. */
  line: number;
  /** The same for the same check in every run. */
  fingerprint: string;
}

/** All checks that do not pass. */
export function locatedChecks(reported: Reported): LocatedCheck[] {
  const { source, result } = reported;
  const name = sourceName(source);
  const path = ('file' in source && isAbsolute(name) ? relative(process.cwd(), name) : name).replace(/^\.\//, '');
  const lines = 'file' in source ? assertionLines(name, result.assertions.length) : [];
  return placesOf(reported).flatMap(({ site, condition, view, checks }) =>
    checks.flatMap((check): LocatedCheck[] => {
      if (check.outcome === 'pass') return [];
      const named = nameOf(result, check);
      const key = [path, site.name, condition, view, named].join('\0');
      return [
        {
          outcome: check.outcome,
          assertion: result.assertions[check.assertion] ?? named,
          words: `${site.name}, ${condition}, ${view}: ${wordsOf(check)}`,
          ...{ path, line: lines[check.assertion] ?? 1 },
          fingerprint: createHash('sha256').update(key).digest('hex'),
        },
      ];
    }),
  );
}

/** Of the file's assertions, in their order; 1 where it can't be told. */
function assertionLines(file: string, count: number): number[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  const { assertions = [] } = JSON.parse(text) as { assertions?: unknown[] };
  let from = Math.max(0, text.indexOf('"assertions"') + '"assertions"'.length);
  return assertions.slice(0, count).map((assertion) => {
    // Of an object its first line that says anything.
    const written = typeof assertion === 'string' ? JSON.stringify(assertion) : '{';
    const at = text.indexOf(written, from);
    if (at === -1) return 1;
    from = at + (typeof assertion === 'string' ? written.length : lengthOfObject(text.slice(at)));
    return text.slice(0, at).split('\n').length;
  });
}

/** Up to its closing brace; braces within texts are none. */
function lengthOfObject(text: string): number {
  let depth = 0;
  for (const { 0: found, index } of text.matchAll(/"(?:\\.|[^"\\])*"|[{}]/g)) {
    depth += found === '{' ? 1 : found === '}' ? -1 : 0;
    if (depth === 0) return index + 1;
  }
  return text.length;
}
