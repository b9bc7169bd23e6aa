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

/** Bytes of the memory that small values share. */
const PIECE = 1 << 15;

/** Bytes of a peer that are not as the protocol says. */
export class MalformedError extends Error {}

/** A value of the program that cannot be written. */
export class UnencodableError extends Error {}

/** A text whose UTF-8 is the value of a field of bytes: it is written without a copy between. */
export class TextBytes {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * Writes values one after the other, into memory that they share. A value is what is written between `begin` and `end`;
 * a large one gets memory of its own, so that the writer keeps no more than one piece.
 */
export class Writer {
  constructor() {
    this.#renew();
    /** Where the value begins, and where it ends after `end`. */
    this.start = 0;
    this.stop = 0;
    /** Bytes that are left free between the fixed part and the tagged section, for the count of tags. */
    this.gap = 0;
    /** Where that gap begins, and how many tags were written; see `Layout.write`. */
    this.split = 0;
    this.tags = 0;
    /** The field that is being written, for the error. */
    this.field = '';
  }

  #use(buffer) {
    this.buffer = buffer;
    this.view = new DataView(buffer.buffer);
  }

  #renew() {
    this.#use(Buffer.allocUnsafeSlow(PIECE));
    this.position = 0;
  }

  /**
   * Begins a value behind those before.
   *
   * @param {number} head bytes that are left free before it
   * @param {number} gap
   */
  begin(head, gap) {
    if (this.position > 3 * PIECE / 4) this.#renew();
    this.start = this.position;
    this.position += head;
    this.gap = gap;
  }

  /** Ends the fixed part. */
  endFixed() {
    this.reserve(this.gap);
    this.split = this.position;
    this.position += this.gap;
  }

  /**
   * Begins the value of a tag, and returns where its size belongs.
   *
   * @param {number} tag
   */
  beginTag(tag) {
    this.uvarint(tag);
    this.u8(0);
    return this.position - 1;
  }

  /**
   * Writes the size of the value of a tag. There is room for one byte; for a longer size the value moves.
   *
   * @param {number} start what `beginTag` has returned
   */
  endTag(start) {
    const size = this.position - start - 1;
    if (size < 0x80) {
      this.buffer[start] = size;
      return;
    }
    const room = size < 0x4000 ? 1 : size < 0x20_0000 ? 2 : size < 0x1000_0000 ? 3 : 4;
    this.reserve(room);
    this.buffer.copyWithin(start + 1 + room, start + 1, this.position);
    this.position = start;
    this.uvarint(size);
    this.position += size;
  }

  /** Ends a value and returns its memory, where it is from `start` to `stop`. */
  end() {
    const { buffer, start } = this;
    this.stop = this.position;
    if (buffer.length === PIECE) return buffer;
    const own = Buffer.allocUnsafeSlow(this.stop - start);
    buffer.copy(own, 0, start, this.stop);
    this.split -= start;
    this.stop -= start;
    this.start = 0;
    this.#renew();
    return own;
  }

  /** Gives up what was written since `begin`. */
  cancel() {
    if (this.buffer.length === PIECE) this.position = this.start;
    else this.#renew();
  }

  /**
   * Makes room.
   *
   * @param {number} count bytes that will be written
   */
  reserve(count) {
    const needed = this.position + count;
    if (needed <= this.buffer.length) return;
    // Places stay the same: they may be remembered.
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.buffer.length));
    this.buffer.copy(grown, this.start, this.start, this.position);
    this.#use(grown);
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
   * Makes room for the length of what follows, and returns where it begins.
   *
   * @param {1|2|4} prefix bytes of the length
   */
  beginMeasured(prefix) {
    const start = this.position;
    this.reserve(prefix);
    this.position = start + prefix;
    return start;
  }

  /**
   * Writes the length of what was written since `beginMeasured`; UnencodableError if it is too large.
   *
   * @param {number} start
   * @param {1|2|4} prefix
   */
  endMeasured(start, prefix) {
    const size = this.position - start - prefix;
    const largest = 2 ** (8 * prefix) - 1;
    if (size > largest) throw new UnencodableError(`must have at most ${largest} bytes`);
    const { buffer } = this;
    if (prefix === 4) {
      putU32(buffer, start, size);
      return;
    }
    if (prefix === 2) buffer[start] = size >>> 8;
    buffer[start + prefix - 1] = size;
  }

  /**
   * Writes a text as UTF-8, without a length. UnencodableError if it has U+0000 or lone surrogates.
   *
   * @param {string} text
   */
  text(text) {
    if (this.#wroteShort(text)) return;
    if (text.includes('\0') || LONE_SURROGATE.test(text)) {
      throw new UnencodableError('must be a text without U+0000 and without lone surrogates');
    }
    this.position += this.buffer.write(text, this.position, 'utf8');
  }

  /**
   * The same for any text: a lone surrogate becomes U+FFFD.
   *
   * @param {string} text
   */
  anyText(text) {
    if (!this.#wroteShort(text)) this.position += this.buffer.write(text, this.position, 'utf8');
  }

  /** Makes room for a text; writes it and returns true if it is short and ASCII without U+0000. */
  #wroteShort(text) {
    const { length } = text;
    if (this.position + 3 * length > this.buffer.length) this.reserve(Buffer.byteLength(text));
    if (length > SHORT_TEXT) return false;
    const { buffer } = this;
    let { position } = this;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code - 1 >= 0x7f || code === 0) return false;
      buffer[position++] = code;
    }
    this.position = position;
    return true;
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
}

/** Reads values one after the other; MalformedError for one past the end. */
export class Reader {
  /**
   * @param {boolean} [isLossless] a u64 that is too large for its type in JavaScript is read as a bigint and is no
   *   MalformedError
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
    if (count > this.end - start) throw new MalformedError('a field past the end');
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

  /** A u64 as a number; MalformedError from 2⁵³ on. */
  count() {
    const start = this.skip(8);
    const value = getU32(this.buffer, start) * 0x1_0000_0000 + getU32(this.buffer, start + 4);
    return value > Number.MAX_SAFE_INTEGER ? this.#tooLarge() : value;
  }

  /** A u64 in milliseconds as a Date, undefined for 0; MalformedError beyond the range of a Date. */
  time() {
    const start = this.skip(8);
    const value = getU32(this.buffer, start) * 0x1_0000_0000 + getU32(this.buffer, start + 4);
    if (value > LAST_TIME) return this.#tooLarge();
    return value === 0 ? undefined : new Date(value);
  }

  #tooLarge() {
    if (!this.isLossless) throw new MalformedError('a number that is too large for a number or a Date');
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
   * The next bytes as a text; MalformedError if they are not UTF-8 or have U+0000.
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
    throw new MalformedError('a str that is not UTF-8 or has U+0000');
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
    throw new MalformedError('a uvarint');
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
