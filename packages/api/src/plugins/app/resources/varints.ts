// Whole numbers in as few bytes as they need: seven bits in each, the lowest first, the eighth bit set on all but the last (LEB128).

/** Collects numbers; grows as they come. */
export class VarintWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;

  /** @param value a whole number from 0 up to Number.MAX_SAFE_INTEGER. */
  write(value: number): void {
    if (this.#length + 8 > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** 0 for null; else any whole number within ±2^51, small ones of either sign in few bytes. */
  writeSigned(value: number | null): void {
    this.write(value === null ? 0 : (value < 0 ? -2 * value - 1 : 2 * value) + 1);
  }

  /** What was written so far. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Reads what a VarintWriter wrote, in the same order. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #place = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @throws RangeError at the end. */
  read(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#place++];
      if (byte === undefined) throw new RangeError(`the numbers end after ${this.#bytes.length} bytes, where one more was expected`);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  readSigned(): number | null {
    const stored = this.read();
    if (stored === 0) return null;
    const zigzag = stored - 1;
    return zigzag % 2 === 1 ? -(zigzag + 1) / 2 : zigzag / 2;
  }
}
