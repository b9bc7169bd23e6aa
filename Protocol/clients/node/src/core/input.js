/**
 * The bytes of a connection that are no whole frame yet.
 *
 * @module
 */
import { Buffer } from 'node:buffer';

/** A larger buffer is given back when it is empty. */
const MAXIMUM_KEPT_BYTES = 1 << 16;

/** What is left of the bytes that were read. */
export class Input {
  #rest = Buffer.alloc(0);
  #size = 0;

  /** The bytes of memory that it has. */
  get capacity() {
    return this.#rest.length;
  }

  /**
   * What is left of earlier bytes, and the chunk behind it.
   *
   * @param {Uint8Array} chunk
   * @returns {Uint8Array} the chunk itself if nothing is left
   */
  with(chunk) {
    if (this.#size === 0) return chunk;
    const size = this.#size + chunk.length;
    if (size > this.#rest.length) {
      const grown = Buffer.allocUnsafe(2 * size);
      this.#rest.copy(grown, 0, 0, this.#size);
      this.#rest = grown;
    }
    this.#rest.set(chunk, this.#size);
    return this.#rest.subarray(0, size);
  }

  /**
   * Keeps the bytes from a position on.
   *
   * @param {Uint8Array} data the answer of `with`
   * @param {number} position
   */
  keep(data, position) {
    this.#size = data.length - position;
    if (this.#size === 0) {
      if (this.#rest.length > MAXIMUM_KEPT_BYTES) this.#rest = Buffer.alloc(0);
      return;
    }
    if (data.buffer === this.#rest.buffer && data.byteOffset === this.#rest.byteOffset) {
      this.#rest.copyWithin(0, position, data.length);
      return;
    }
    if (this.#size > this.#rest.length) this.#rest = Buffer.allocUnsafe(2 * this.#size);
    this.#rest.set(data.subarray(position), 0);
  }
}
