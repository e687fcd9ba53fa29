// Reads a HAR as it comes, so that one of any number of pages needs the memory of its largest entry.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { HarFault, HarTally } from '@pronghorn/core/adoption';
import { Tokenizer, TokenParser, TokenType } from '@streamparser/json';
import { ProblemError } from '../../../shared/problems.ts';

export const maxSentBytes = 64 * 2 ** 20;
export const maxHarBytes = 512 * 2 ** 20;
/** Bodies may stand in a HAR; one of a video is no page's. */
const maxEntryBytes = 32 * 2 ** 20;
/** The format has twelve. */
const maxDepth = 64;

export type ReadHar = { tally: HarTally; contentHash: string };

/**
 * @param sent a HAR, as it is or gzipped; its first bytes tell.
 * @throws ProblemError invalid-har when it is none; body-too-large beyond the bounds above.
 */
export async function readHar(sent: Readable): Promise<ReadHar> {
  const tally = new HarTally();
  const hash = createHash('sha256');
  const parser = parserInto(tally);
  let unpackedBytes = 0;
  const read = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      unpackedBytes += chunk.length;
      if (unpackedBytes > maxHarBytes) throw tooLarge(`unpacks to more than ${maxHarBytes} bytes`);
      hash.update(chunk);
      parser.write(chunk);
      await setImmediate(); // parsing is work: whoever else asks is answered in between
    }
    parser.end();
  };
  try {
    const { isGzip, isZip, isUtf16, rest } = await peek(bounded(sent));
    if (isZip) throw new ProblemError('invalid-har', 'The body is a ZIP archive. Send the HAR that is in it, as it is or gzipped.');
    if (isUtf16) throw new ProblemError('invalid-har', 'The HAR is in UTF-16, as PowerShell writes it. Send it in UTF-8.');
    if (isGzip) await pipeline(rest, createGunzip(), read);
    else await read(rest);
  } catch (error) {
    throw explained(error as NodeJS.ErrnoException, unpackedBytes);
  }
  if (tally.requests === 0 && tally.pages === 0) throw new ProblemError('invalid-har', noHar);
  return { tally, contentHash: hash.digest('hex') };
}

const noHar = 'The body is JSON, but no HAR: it has neither log.pages nor log.entries. Send an HTTP Archive 1.2, as it is or gzipped.';
const tooLarge = (what: string) =>
  new ProblemError('body-too-large', `The HAR ${what}. Send it in parts: pages can be imported one after the other.`);

function parserInto(tally: HarTally): { write(chunk: Buffer): void; end(): void } {
  const parser = new TokenParser({ paths: ['$.log.creator', '$.log.pages.*', '$.log.entries.*'], keepStack: false });
  let sinceValue = 0;
  parser.onValue = ({ value, stack }) => {
    sinceValue = 0;
    const part = stack[2]?.key ?? 'creator';
    if (part === 'pages') tally.addPage(value);
    else if (part === 'entries') tally.addEntry(value);
    else tally.setCreator(value);
  };
  const tokenizer = new Tokenizer();
  let depth = 0;
  tokenizer.onToken = (parsed) => {
    if (parsed.token === TokenType.LEFT_BRACE || parsed.token === TokenType.LEFT_BRACKET) depth++;
    else if (parsed.token === TokenType.RIGHT_BRACE || parsed.token === TokenType.RIGHT_BRACKET) depth--;
    if (depth > maxDepth) throw new HarFault(`it is nested more than ${maxDepth} deep`);
    parser.write(parsed);
  };
  return {
    write(chunk) {
      sinceValue += chunk.length;
      if (sinceValue > maxEntryBytes) throw tooLarge(`has an entry of more than ${maxEntryBytes} bytes`);
      tokenizer.write(chunk);
    },
    end() {
      tokenizer.end();
      if (!parser.isEnded) throw new HarFault('it ends before its last bracket');
    },
  };
}

async function* bounded(sent: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of sent) {
    bytes += chunk.length;
    if (bytes > maxSentBytes) throw tooLarge(`has more than ${maxSentBytes} bytes as sent`);
    yield chunk;
  }
}

/** Whether it is gzip (RFC 1952: 1f 8b), a ZIP archive (PK), or text of two bytes a character, whatever its headers say. */
async function peek(
  chunks: AsyncGenerator<Buffer>,
): Promise<{ isGzip: boolean; isZip: boolean; isUtf16: boolean; rest: AsyncGenerator<Buffer> }> {
  let start = Buffer.alloc(0);
  while (start.length < 2) {
    const { value, done } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  async function* rest() {
    yield start;
    yield* chunks;
  }
  const begins = (...bytes: number[]) => bytes.every((byte, at) => start[at] === byte);
  return {
    isGzip: begins(0x1f, 0x8b),
    isZip: begins(0x50, 0x4b),
    // With a byte order mark, or with the zero beside the first brace.
    isUtf16: begins(0xff, 0xfe) || begins(0xfe, 0xff) || begins(0x7b, 0) || begins(0, 0x7b),
    rest: rest(),
  };
}

function explained(error: NodeJS.ErrnoException, bytes: number): Error {
  if (error instanceof ProblemError) return error;
  if (error instanceof HarFault)
    return new ProblemError('invalid-har', `The HAR can't be counted: ${error.message}. Nothing of it was kept.`);
  if (error.code?.startsWith('Z_'))
    return new ProblemError('invalid-har', `The gzip is damaged or ends too early (${error.message}). Send it again.`);
  if (error.code?.startsWith('ERR_STREAM') || error.code === 'ECONNRESET' || error.name === 'AbortError') return error;
  return new ProblemError(
    'invalid-har',
    `The body is no JSON after about ${bytes} bytes (${error.message.slice(0, 200)}). Send an HTTP Archive 1.2, as it is or gzipped.`,
  );
}
