// Documents are kept compressed by zstd at its quickest: half the time of deflate at its quickest, and a sixth smaller.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export const pack = (text: string): Buffer => zstdCompressSync(text, options);
export const unpack = (packed: Buffer): string => zstdDecompressSync(packed).toString();
