// How a visit's page compares with the page of discovery: a reference that no visit is part of.
import type { Likeness, PageMetrics, Resource, SiteDiscovery } from '@pronghorn/core/schemas';
import { isOwn, ownHosts } from '@pronghorn/core/visitor';
import type { Evidence, SlimResponse, Usual, VisitRequest } from '../gather/evidence.ts';
import { pictureDifference, reducedPicture } from '../gather/frames.ts';
import { movesMuch } from '../gather/settling.ts';
import { answersOf, differentUrls, edgeCacheOf } from './answers.ts';
import { documentResponse } from './document.ts';
import { traffic } from './traffic.ts';

/** @param picture share of the final picture that differs from discovery's; null: unknown, or it moves */
export function likenessOf(
  { usual, view }: Pick<VisitRequest, 'usual' | 'view'>,
  evidence: Pick<Evidence, 'network'>,
  resources: readonly Resource[],
  picture: number | null,
): Likeness {
  const document = documentResponse(evidence);
  const hosts = ownHosts(document?.url ?? resources[0]?.url ?? '', {});
  const known = new Map((usual?.answers ?? []).map((answer) => [answer.url, answer]));
  const likeness: Likeness = {
    ...{ otherAnswers: 0, otherEncodings: 0, edgeMisses: 0, edgeHits: 0, bodyBytes: 0, picture },
    ...{ requestShare: null, bodyShare: null },
    ...earlyDataOf(document),
  };
  /** Bytes of what was answered well: in this visit, and at discovery, but for what is unknown in one of them. */
  let bytes = 0;
  let usualBytes = [...known.values()].reduce((sum, { answer, bodyBytes }) => sum + (answer === 'ok' ? (bodyBytes ?? 0) : 0), 0);
  for (const { url, answer, bodyBytes, encoding } of answersOf(resources).values()) {
    // The size of a compressed body without a length is told over HTTP/3 alone.
    if (encoding === null) likeness.bodyBytes += bodyBytes ?? 0;
    const before = known.get(url);
    if (bodyBytes === null) usualBytes -= before?.answer === 'ok' ? (before.bodyBytes ?? 0) : 0;
    else if (answer === 'ok' && (before === undefined || (before.answer === 'ok' && before.bodyBytes !== null))) bytes += bodyBytes;
    if (before === undefined) continue;
    // What others may answer well or not is theirs, unless they refuse what discovery got.
    if (answer !== before.answer && (isOwn(url, hosts) || before.answer === 'ok')) likeness.otherAnswers += 1;
    else if (answer === 'ok' && before.answer === 'ok' && encoding !== before.encoding && isOwn(url, hosts)) likeness.otherEncodings += 1;
  }
  for (const event of evidence.network) {
    if (event.method !== 'Network.responseReceived' || !isOwn(event.params.response.url, hosts)) continue;
    const word = edgeCacheOf(event.params.response.headers);
    if (word === 'hit') likeness.edgeHits += 1;
    if (word === 'miss') likeness.edgeMisses += 1;
  }
  // A repeat view has most of it already.
  if (view === 'warm' || usual === null) return likeness;
  return {
    ...likeness,
    requestShare: shareOf(usual, resources),
    bodyShare: usualBytes === 0 ? null : bytes / usualBytes,
  };
}

/** An earlier release's discovery knows only how many requests were answered. */
function shareOf({ requests, urls }: Usual, resources: readonly Resource[]): number | null {
  const [its, all] = urls === undefined ? [traffic(resources).requests, requests] : [differentUrls(resources), urls];
  return all === 0 ? null : its / all;
}

/**
 * Chrome says that a request was sent before its connection was complete where it was early data. An answer to it comes with the handshake's end;
 * a request that the server refused is sent again then, and answered a round trip later.
 */
function earlyDataOf(document: SlimResponse | undefined): Pick<Likeness, 'earlyData'> {
  const { connectStart = -1, connectEnd = -1, sendStart = -1, receiveHeadersStart = -1 } = document?.timing ?? {};
  if (connectStart < 0 || sendStart < 0) return {};
  if (sendStart >= connectEnd) return { earlyData: 'none' };
  const isAnswered = receiveHeadersStart > 0 && receiveHeadersStart - connectEnd < (connectEnd - connectStart) / 2;
  return { earlyData: isAnswered ? 'answered' : 'sent' };
}

/** Reduced, as discovery keeps it. Null: the page has none, or moves. */
export async function finalPicture({ frames, settled }: Pick<Evidence, 'frames' | 'settled'>): Promise<string | null> {
  const last = frames.at(-1);
  return last === undefined || movesMuch(settled?.motion) ? null : await reducedPicture(last.jpegBase64);
}

/** Share of the final picture that differs from discovery's; null: one of them has none, or moves. */
export async function pictureShare(
  { picture: usual = null }: Pick<SiteDiscovery, 'picture'>,
  evidence: Pick<Evidence, 'frames' | 'settled'>,
  { speedIndex }: Pick<PageMetrics, 'speedIndex'>,
): Promise<number | null> {
  const picture = usual === null || speedIndex === null ? null : await finalPicture(evidence);
  return usual === null || picture === null ? null : pictureDifference(usual, picture);
}
