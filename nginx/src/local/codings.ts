// Content codings (RFC 9110 §8.4.1) of what local servers send.
import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createDeflate,
  createGunzip,
  createGzip,
  createInflate,
  createZstdCompress,
  createZstdDecompress,
} from 'node:zlib';

interface Coding {
  decode(): Transform;
  /** What has come goes on at once: a page may send its beginning early. At levels at which servers compress answers as they make them. */
  encode(): Transform;
}

const gzip: Coding = { decode: createGunzip, encode: () => createGzip({ flush: constants.Z_SYNC_FLUSH }) };
const { BROTLI_OPERATION_FLUSH, BROTLI_PARAM_QUALITY, ZSTD_e_flush } = constants;

const codings: Readonly<Record<string, Coding>> = {
  gzip,
  'x-gzip': gzip,
  deflate: { decode: createInflate, encode: () => createDeflate({ flush: constants.Z_SYNC_FLUSH }) },
  br: {
    decode: createBrotliDecompress,
    encode: () => createBrotliCompress({ flush: BROTLI_OPERATION_FLUSH, params: { [BROTLI_PARAM_QUALITY]: 5 } }),
  },
  zstd: { decode: createZstdDecompress, encode: () => createZstdCompress({ flush: ZSTD_e_flush }) },
};

/** @returns null: nothing compresses it; undefined: something unknown does */
export function codingOf(contentEncoding: string | undefined): Coding | null | undefined {
  const name = contentEncoding?.trim().toLowerCase() ?? '';
  return name === '' || name === 'identity' ? null : codings[name];
}

/** Whether a Content-Type is one of text, in which addresses may stand. */
export const isText = (contentType: string | undefined): boolean =>
  /^(text\/|image\/svg|application\/([\w.-]+\+)?(json|xml|javascript|x-javascript|ecmascript)\b)/i.test(contentType?.trim() ?? '');
