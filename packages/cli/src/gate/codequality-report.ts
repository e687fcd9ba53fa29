// A gate's answer as GitLab Code Quality (docs.gitlab.com, "Code Quality report format"): merge requests show what is new against their target.
import { locatedChecks } from './located.ts';
import type { Reported } from './reported.ts';

/** What its widget sorts by. */
const severities = { fail: 'major', unmeasured: 'major', inconclusive: 'info' } as const;

export const codeQualityReport = (reported: Reported): string =>
  `${JSON.stringify(
    locatedChecks(reported).map(({ outcome, assertion, words, path, line, fingerprint }) => ({
      ...{ type: 'issue', check_name: 'pronghorn-gate', description: `${outcome}: ${assertion}: ${words}`, severity: severities[outcome] },
      ...{ categories: ['Performance'], fingerprint, location: { path, lines: { begin: line } } },
    })),
    null,
    2,
  )}\n`;
