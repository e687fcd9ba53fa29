// Raw evidence for made visits: the frames of a real visit, in the time of the made one.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { PageMetrics } from '@pronghorn/core/schemas';

const fixture = new URL('../../runner/fixtures/sharded.evidence.json.gz', import.meta.url);
type Stored = {
  asked: object;
  evidence: { network: object[]; page: { timeOrigin: number }; frames: { timestamp: number; jpegBase64: string }[] };
  outcome: { metrics: PageMetrics };
};

/** @returns what a runner would have stored of a visit with these metrics, without its network events */
export function madeEvidence({ lastVisualChange }: PageMetrics): object {
  const { asked, evidence, outcome } = JSON.parse(gunzipSync(readFileSync(fixture)).toString()) as Stored;
  const { timeOrigin } = evidence.page;
  const stretch = (lastVisualChange ?? 400) / (outcome.metrics.lastVisualChange ?? 400);
  const frames = evidence.frames.map((frame) => ({ ...frame, timestamp: timeOrigin + (frame.timestamp - timeOrigin) * stretch }));
  const shown = frames.filter(({ timestamp }) => timestamp >= timeOrigin);
  const progress = shown.map(({ timestamp }, at) => ({ atMs: timestamp - timeOrigin, completeness: (at + 1) / shown.length }));
  return { asked, evidence: { ...evidence, network: [], frames }, progress };
}
