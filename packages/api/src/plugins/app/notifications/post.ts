// Posts one message to an address that was checked before.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

export type CheckedAddress = { address: string; family: 4 | 6 };

/** An answer says yes or no; whoever sends more is not read to the end. */
const mostAnswerBytes = 64 * 1024;

/**
 * Posts JSON. The connection goes to one of the checked addresses whatever the name resolves to by then, and no redirect is followed:
 * either would lead past the check.
 *
 * @returns the status.
 * @throws Error in words when there was no answer in time.
 */
export function postJson(
  url: URL,
  body: string,
  headers: Record<string, string>,
  addresses: readonly CheckedAddress[],
  timeoutMs = 10_000,
): Promise<number> {
  const lookup: LookupFunction = (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else if (first) callback(null, first.address, first.family);
    else callback(new Error('no address is allowed'), '');
  };
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const request = send(
      url,
      {
        method: 'POST',
        agent: false, // a kept connection would go where an earlier check said
        lookup,
        signal,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'user-agent': 'Pronghorn', ...headers },
      },
      (answer) => finish(answer, request, resolve),
    );
    request.on('error', (error) => reject(new Error(signal.aborted ? `no answer within ${timeoutMs / 1_000} s` : wordsOf(error))));
    request.end(body);
  });
}

function finish(answer: IncomingMessage, request: { destroy(): void }, resolve: (status: number) => void): void {
  let bytes = 0;
  const done = () => resolve(answer.statusCode ?? 0);
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostAnswerBytes) return;
    done();
    request.destroy();
  });
  answer.on('end', done).on('error', done).on('close', done); // the status came, whatever becomes of the rest
}

function wordsOf(error: Error): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED'
    ? 'the connection was refused'
    : code === 'ECONNRESET'
      ? 'the connection was reset'
      : message || code || 'failed';
}
