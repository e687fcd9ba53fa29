// A gate's answer as SARIF 2.1.0 (docs.oasis-open.org/sarif), with what GitHub's code scanning wants of it.
import { version } from '@pronghorn/core/vocabulary';
import { locatedChecks } from './located.ts';
import { type Reported, sourceName } from './reported.ts';

const levels = { fail: 'error', unmeasured: 'error', inconclusive: 'note' } as const;

export function sarifReport(reported: Reported): string {
  const checks = locatedChecks(reported);
  const rules = [...new Set(checks.map(({ assertion }) => assertion))];
  const run = {
    tool: {
      driver: {
        ...{ name: 'Pronghorn gate', version, semanticVersion: version },
        rules: rules.map((id) => ({ id, shortDescription: { text: id }, properties: { tags: ['performance'] } })),
      },
    },
    automationDetails: { id: `pronghorn-gate/${sourceName(reported.source)}` },
    results: checks.map(({ outcome, assertion, words, path, line, fingerprint }) => ({
      ...{ ruleId: assertion, ruleIndex: rules.indexOf(assertion), level: levels[outcome], message: { text: words } },
      locations: [{ physicalLocation: { artifactLocation: { uri: encodeURI(path) }, region: { startLine: line } } }],
      partialFingerprints: { 'pronghornGate/v1': fingerprint },
    })),
  };
  return `${JSON.stringify({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }, null, 2)}\n`;
}
