/**
 * Bytes: a writer that grows and a reader with bounds. All numbers are big-endian (§4).
 *
 * @module
 */
import { Buffer } from 'node:buffer';

/** Texts up to this length are written and checked letter by letter, which is faster than a call into Node.js. */
const SHORT_TEXT = 64;
/** Up to this length bytes are copied one by one. */
const SHORT_COPY = 100;
/** The last moment that a Date can be. */
const LAST_TIME = 8.64e15;
const LONE_SURROGATE = /\p{Surrogate}/u;
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes of a peer that are not as the protocol says. */
export class Malformed extends Error {}

/** A value of the program that cannot be written. */
export class Unwritable extends Error {}

/** Writes values one after the other into a buffer of its own. */
export class Writer {
  constructor() {
    this.buffer = Buffer.allocUnsafeSlow(4096);
    this.view = new DataView(this.buffer.buffer);
    this.position = 0;
    /** Where the tagged section begins, and how many tags it has; see `Layout.write`. */
    this.split = 0;
    this.tags = 0;
    /** The field that is being written, for the error. */
    this.field = '';
  }

  /** Begins anew. */
  reset() {
    this.position = 0;
  }

  /**
   * Makes room.
   *
   * @param {number} count bytes that will be written
   */
  reserve(count) {
    const needed = this.position + count;
    if (needed <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.buffer.length));
    this.buffer.copy(grown, 0, 0, this.position);
    this.buffer = grown;
    this.view = new DataView(grown.buffer);
  }

  /** @param {number} value */
  u8(value) {
    this.reserve(1);
    this.buffer[this.position++] = value;
  }

  /** @param {number} value */
  u16(value) {
    this.reserve(2);
    this.buffer[this.position++] = value >>> 8;
    this.buffer[this.position++] = value;
  }

  /** @param {number} value */
  u32(value) {
    this.reserve(4);
    putU32(this.buffer, this.position, value);
    this.position += 4;
  }

  /** @param {bigint} value */
  u64(value) {
    this.reserve(8);
    this.view.setBigUint64(this.position, value);
    this.position += 8;
  }

  /** @param {Uint8Array} bytes */
  bytes(bytes) {
    this.reserve(bytes.length);
    this.position = copyBytes(bytes, 0, bytes.length, this.buffer, this.position);
  }

  /**
   * Writes a text as UTF-8, without a length.
   *
   * @param {string} text
   */
  text(text) {
    const { length } = text;
    this.reserve(3 * length);
    let position = this.position;
    if (length <= SHORT_TEXT) {
      const { buffer } = this;
      let index = 0;
      for (; index < length; index++) {
        const code = text.charCodeAt(index);
        if (code - 1 >= 0x7f || code === 0) break;
        buffer[position++] = code;
      }
      if (index === length) {
        this.position = position;
        return;
      }
    }
    if (text.includes('\0') || LONE_SURROGATE.test(text)) {
      throw new Unwritable('must be a text without U+0000 and without lone surrogates');
    }
    this.position += this.buffer.write(text, this.position, 'utf8');
  }

  /** @param {number} value at most 32 bits */
  uvarint(value) {
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.u8(rest);
  }

  /** A copy of what was written. */
  copy() {
    return Uint8Array.prototype.slice.call(this.buffer, 0, this.position);
  }
}

/** Reads values one after the other; Malformed for one past the end. */
export class Reader {
  /**
   * @param {boolean} [isLossless] a u64 that is too large for its type in JavaScript is read as a bigint, not Malformed
   */
  constructor(isLossless = false) {
    this.isLossless = isLossless;
    this.buffer = Buffer.alloc(0);
    this.view = new DataView(this.buffer.buffer, 0, 0);
    this.position = 0;
    this.end = 0;
  }

  /**
   * Reads from other bytes.
   *
   * @param {Uint8Array} bytes
   */
  attach(bytes) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.position = 0;
    this.end = bytes.length;
    return this;
  }

  /** Bytes that are left. */
  get left() {
    return this.end - this.position;
  }

  /**
   * Moves behind some bytes and returns where they begin.
   *
   * @param {number} count
   */
  skip(count) {
    const start = this.position;
    if (count > this.end - start) throw new Malformed('a field past the end');
    this.position = start + count;
    return start;
  }

  u8() {
    return this.buffer[this.skip(1)];
  }

  u16() {
    const start = this.skip(2);
    return (this.buffer[start] << 8) | this.buffer[start + 1];
  }

  u32() {
    return getU32(this.buffer, this.skip(4));
  }

  /** A u64 as a bigint. */
  u64() {
    return this.view.getBigUint64(this.skip(8));
  }

  /** A u64 as a number; Malformed from 2⁵³ on. */
  count() {
    const start = this.skip(8);
    const value = getU32(this.buffer, start) * 0x1_0000_0000 + getU32(this.buffer, start + 4);
    return value > Number.MAX_SAFE_INTEGER ? this.#tooLarge() : value;
  }

  /** A u64 in milliseconds as a Date, undefined for 0; Malformed beyond the range of a Date. */
  time() {
    const start = this.skip(8);
    const value = getU32(this.buffer, start) * 0x1_0000_0000 + getU32(this.buffer, start + 4);
    if (value > LAST_TIME) return this.#tooLarge();
    return value === 0 ? undefined : new Date(value);
  }

  #tooLarge() {
    if (!this.isLossless) throw new Malformed('a number that is too large for a number or a Date');
    return this.view.getBigUint64(this.position - 8);
  }

  /**
   * A copy of the next bytes.
   *
   * @param {number} count
   */
  bytes(count) {
    const start = this.skip(count);
    const copy = new Uint8Array(count);
    copyBytes(this.buffer, start, start + count, copy, 0);
    return copy;
  }

  /**
   * The next bytes as a text; Malformed if they are not UTF-8 or have U+0000.
   *
   * @param {number} count
   */
  text(count) {
    if (count === 0) return '';
    const start = this.skip(count);
    const { buffer, position } = this;
    let index = start;
    while (index < position && buffer[index] - 1 < 0x7f && buffer[index] !== 0) index++;
    if (index === position) return buffer.toString('latin1', start, position);
    try {
      const text = DECODER.decode(buffer.subarray(start, position));
      if (!text.includes('\0')) return text;
    } catch {
      // Not UTF-8.
    }
    throw new Malformed('a str that is not UTF-8 or has U+0000');
  }

  /** A number of at most 32 bits in the shortest form (§4.2). */
  uvarint() {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value > 0xffff_ffff || (byte === 0 && shift > 0)) break;
        return value;
      }
    }
    throw new Malformed('a uvarint');
  }
}

/**
 * Copies bytes and returns the position behind them. Few bytes are copied one by one, which is faster than a call.
 *
 * @param {Uint8Array} source
 * @param {number} start
 * @param {number} end
 * @param {Uint8Array} target
 * @param {number} position
 */
export function copyBytes(source, start, end, target, position) {
  if (end - start > SHORT_COPY) {
    target.set(source.subarray(start, end), position);
    return position + end - start;
  }
  let to = position;
  for (let from = start; from < end; from++) target[to++] = source[from];
  return to;
}

/**
 * Reads four bytes.
 *
 * @param {Uint8Array} buffer
 * @param {number} position
 */
export function getU32(buffer, position) {
  return ((buffer[position] << 24) | (buffer[position + 1] << 16) | (buffer[position + 2] << 8)
    | buffer[position + 3]) >>> 0;
}

/**
 * Writes four bytes.
 *
 * @param {Uint8Array} buffer
 * @param {number} position
 * @param {number} value
 */
export function putU32(buffer, position, value) {
  buffer[position] = value >>> 24;
  buffer[position + 1] = value >>> 16;
  buffer[position + 2] = value >>> 8;
  buffer[position + 3] = value;
}
