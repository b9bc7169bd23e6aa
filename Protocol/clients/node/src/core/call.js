/**
 * One use of a method: from its beginning to its one result, over all its attempts.
 *
 * @module
 */
import { Buffer } from 'node:buffer';
import { DEADLINE_SIZE, DEADLINE_TAG, HEADER_SIZE, REQUEST } from '../codec/layout.js';
import { invalidArgument, worse } from '../errors.js';
import { Reader, Unwritable, Writer, copyBytes, putU32 } from '../codec/wire.js';

/** Small requests share pieces of memory of this size. */
const PIECE = 8192;
const LONGEST_DEADLINE = 0xffff_ffff;

const writer = new Writer();
let piece = Buffer.allocUnsafeSlow(PIECE);
let used = 0;

/** A call. `state` is waiting, queued (on a connection, not written), written, pausing or done. */
export class Call {
  /**
   * @param {import('../codec/messages.js').Message} message
   * @param {number} deadline by the monotonic clock, in milliseconds; Infinity = none
   * @param {(value: any) => void} resolve
   * @param {(error: Error) => void} reject
   */
  constructor(message, deadline, resolve, reject) {
    this.message = message;
    this.deadline = deadline;
    this.resolve = resolve;
    this.reject = reject;
    this.state = 'waiting';
    this.isRead = false;
    this.isRepeatable = false;
    this.repeats = true;
    this.hasKey = false;
    // The encoded payload: bytes[start..<end]; the tagged section, without its count, begins at `split`.
    this.bytes = piece;
    this.start = 0;
    this.split = 0;
    this.end = 0;
    this.tags = 0;
    // Attempts.
    this.connection = undefined;
    this.id = 0;
    this.attempts = 0;
    this.effect = 'not_executed';
    this.lastError = undefined;
    this.writtenAt = -1;
    this.firstWritten = -1;
    this.firstEpoch = '';
    this.isKeyForgotten = false;
    this.begunAt = 0;
    this.onEnd = undefined;
    /** The stream that this request belongs to, and what is done with its result. */
    this.stream = undefined;
    this.purpose = '';
    /** What the method makes of the fields of the answer. */
    this.adapt = undefined;
    // Places in a List and in the Heap.
    this.list = undefined;
    this.before = undefined;
    this.behind = undefined;
    this.due = deadline;
    this.place = -1;
  }

  /** The name of the method. */
  get operation() {
    return this.message.method;
  }

  /** True if the call has its result. */
  get isDone() {
    return this.state === 'done';
  }

  /** Bytes of the encoded payload. */
  get size() {
    return this.end - this.start;
  }

  /**
   * Encodes the payload, the same for all attempts but for the deadline. INVALID_ARGUMENT if that is impossible.
   *
   * @param {Record<string, any>} fields
   * @param {Record<string, any>} [own] fields that come before those
   */
  encode(fields, own = undefined) {
    writer.reset();
    try {
      this.message.request.write(writer, fields, own);
    } catch (error) {
      throw error instanceof Unwritable ? invalidArgument(writer.field, error.message) : error;
    }
    this.#keep(writer.buffer, writer.position);
    this.split = this.start + writer.split;
    this.tags = writer.tags;
  }

  #keep(buffer, size) {
    if (size > PIECE / 4) {
      this.bytes = Buffer.allocUnsafeSlow(size);
      this.start = 0;
    } else {
      if (used + size > PIECE) {
        piece = Buffer.allocUnsafeSlow(PIECE);
        used = 0;
      }
      this.bytes = piece;
      this.start = used;
      used += size;
    }
    this.end = this.start + size;
    copyBytes(buffer, 0, size, this.bytes, this.start);
  }

  /** Bytes of the payload of a frame: with the count of tags and the deadline (DL-2). */
  get payloadSize() {
    const size = this.end - this.start;
    if (this.deadline < Infinity) return size + DEADLINE_SIZE + 1;
    return this.tags > 0 ? size + 1 : size;
  }

  /**
   * Writes the frame of the next attempt and returns the position behind it. The call counts as written from here on.
   *
   * @param {Buffer} output
   * @param {number} start
   * @param {number} now
   * @param {string} epoch of the server
   */
  writeFrame(output, start, now, epoch) {
    const { bytes, split, end, id } = this;
    const { opcode } = this.message;
    putU32(output, start, this.payloadSize);
    output[start + 4] = REQUEST;
    output[start + 5] = 0;
    output[start + 6] = opcode >>> 8;
    output[start + 7] = opcode;
    putU32(output, start + 8, Math.floor(id / 0x1_0000_0000));
    putU32(output, start + 12, id);
    let position = copyBytes(bytes, this.start, split, output, start + HEADER_SIZE);
    const hasDeadline = this.deadline < Infinity;
    if (hasDeadline || this.tags > 0) output[position++] = this.tags + (hasDeadline ? 1 : 0);
    if (hasDeadline) {
      output[position] = DEADLINE_TAG;
      output[position + 1] = 4;
      putU32(output, position + 2, Math.min(LONGEST_DEADLINE, Math.max(1, Math.round(this.deadline - now))));
      position += DEADLINE_SIZE;
    }
    position = copyBytes(bytes, split, end, output, position);
    this.state = 'written';
    this.attempts++;
    this.writtenAt = now;
    if (this.firstWritten < 0) {
      this.firstWritten = now;
      this.firstEpoch = epoch;
    }
    return position;
  }

  /** The idempotency key, read from the encoded payload; undefined if there is none. */
  get key() {
    if (!this.hasKey) return undefined;
    const reader = new Reader().attach(this.bytes.subarray(this.start, this.split));
    for (const { key, type } of this.message.request.fixed) {
      const value = type.read(reader);
      if (key === 'key') return value;
    }
    return undefined;
  }

  /** Reads the answer; Malformed if it is not as the protocol says. */
  readAnswer(reader) {
    const fields = this.message.response.read(reader);
    return this.adapt === undefined ? fields : this.adapt(fields);
  }

  /**
   * True if the request may be made again after this error of an attempt (RET-1).
   *
   * @param {import('../errors.js').CarillonError} error
   * @param {number} tries
   */
  mayRepeat(error, tries) {
    if (!this.repeats || error.retryAfter === undefined || this.attempts >= tries) return false;
    return error.effect === 'not_executed' || (error.effect === 'unknown' && this.isRepeatable);
  }

  /** Remembers why an attempt failed. */
  record(error) {
    this.lastError = error;
    this.effect = worse(this.effect, error.effect);
  }

  /** The error of the call: with the effect of all attempts (ERR-3). */
  final(error) {
    const effect = this.isRead ? 'not_executed' : worse(this.effect, error.effect);
    return error.with({ effect, attempts: this.attempts, key: this.key,
      isRepeatable: this.isRepeatable && !this.isKeyForgotten });
  }
}
