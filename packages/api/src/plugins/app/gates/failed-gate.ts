// What is told of a gate that failed: bounded, however many checks it has. The whole answer can be megabytes.
import { type GateFailure, type GateResult, mostFailedChecks } from '@pronghorn/core/schemas';
import type { MessageContent } from '../notifications/outbox.ts';

/** Names of sites, and reasons, are as long as their authors want. */
const longestWords = 500;

type Circumstances = {
  /** Its name; null: its rules came with the question. */
  gate: string | null;
  /** Its name. */
  campaign: string;
  siteName(siteId: string): string;
  answerUrl: string;
};

export function failedGateContent(result: GateResult, { gate, campaign, siteName, answerUrl }: Circumstances): MessageContent {
  const { words, counts } = result;
  const all = result.checks.filter(({ outcome }) => outcome === 'fail');
  const failed = all.slice(0, mostFailedChecks).map(({ siteId, condition, view, protocol, metric, value, max, min, words }) => {
    return { site: siteName(siteId), condition, view, protocol, metric, value, max, min, words: cut(words) };
  });
  const more = all.length - failed.length;
  const details: GateFailure = { outcome: 'fail', words, counts, failed, more, answerUrl };
  return {
    title: `${gate === null ? 'A gate' : `Gate ${gate}`} failed: ${campaign}`,
    lines: [
      words,
      ...failed.map((check) => `${check.site}, ${check.condition}, ${check.view}: ${check.words}`),
      ...(more > 0 ? [`… and ${more} more.`] : []),
    ],
    details,
  };
}

const cut = (text: string): string => (text.length <= longestWords ? text : `${text.slice(0, longestWords - 1).toWellFormed()}…`);
