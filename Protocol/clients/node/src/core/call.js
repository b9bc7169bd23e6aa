/**
 * One use of a method: from its beginning to its one result, over all its attempts.
 *
 * @module
 */
import { Buffer } from 'node:buffer';
import { DEADLINE_SIZE, DEADLINE_TAG, HEADER_SIZE, REQUEST } from '../codec/layout.js';
import { invalidArgument, worseEffect } from '../errors.js';
import { Reader, UnencodableError, Writer, putU32 } from '../codec/wire.js';

const MAXIMUM_DEADLINE_MS = 0xffff_ffff;
const writer = new Writer();

/** What a call remembers of attempts that have failed. */
class Failures {
  /**
   * @param {number} firstWritten when the first of them was written
   * @param {string} firstEpoch to which history
   */
  constructor(firstWritten, firstEpoch) {
    this.firstWritten = firstWritten;
    this.firstEpoch = firstEpoch;
    this.effect = 'not_executed';
    this.lastError = undefined;
    this.isKeyForgotten = false;
  }
}

/**
 * A call. `state` is `waiting`, `queued` (it has an id on the open connection, and is not written), `written`,
 * `pausing` or `done`: CONTRACT.md explains them.
 */
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
    this.isReadOnly = false;
    this.isRepeatable = false;
    this.isRepeated = true;
    this.hasKey = false;
    // The frame: bytes[start..<end]; the count of tags and the deadline begin at `split`.
    this.bytes = undefined;
    this.start = 0;
    this.split = 0;
    this.end = 0;
    // Attempts.
    this.connection = undefined;
    this.id = 0;
    this.attempts = 0;
    this.failures = undefined;
    this.writtenAt = -1;
    this.begunAt = 0;
    this.onEnd = undefined;
    /** The stream that this request belongs to. */
    this.stream = undefined;
    /** What the method makes of the fields of the answer. */
    this.adapt = undefined;
    // Places in a List and in the Schedule.
    this.list = undefined;
    this.before = undefined;
    this.behind = undefined;
    this.due = deadline;
    this.place = -1;
    this.earlier = undefined;
    this.later = undefined;
  }

  /** The name of the method. */
  get operation() {
    return this.message.method;
  }

  /** True if the call has its result. */
  get isDone() {
    return this.state === 'done';
  }

  /** Bytes of the frame. */
  get size() {
    return this.end - this.start;
  }

  /** Bytes of its payload. */
  get payloadSize() {
    return this.end - this.start - HEADER_SIZE;
  }

  /**
   * Encodes the frame, the same for all attempts but for the id and the deadline. INVALID_ARGUMENT if that is
   * impossible.
   *
   * @param {Record<string, any>} fields
   * @param {Record<string, any>} [own] fields that come before those
   */
  encode(fields, own = undefined) {
    const hasDeadline = this.deadline < Infinity;
    writer.begin(HEADER_SIZE, hasDeadline ? 1 + DEADLINE_SIZE : 1);
    try {
      this.message.request.write(writer, fields, own);
    } catch (error) {
      writer.cancel();
      throw error instanceof UnencodableError ? invalidArgument(writer.field, error.message) : error;
    }
    if (!hasDeadline && writer.tags === 0) writer.position = writer.split;
    this.bytes = writer.end();
    this.start = writer.start;
    this.split = writer.split;
    this.end = writer.stop;
    this.#complete(writer.tags, hasDeadline);
  }

  /** True unless the server could have forgotten the key of an earlier attempt (CONTRACT.md, RET-4). */
  keyIsKnown(hello, now) {
    const { failures } = this;
    if (failures?.effect !== 'unknown' || !this.hasKey || this.isReadOnly) return true;
    return hello.epoch === failures.firstEpoch && now - failures.firstWritten < hello.idempotencyWindowS * 1000;
  }

  /** Writes what surrounds the fields, but for the id and the milliseconds of the deadline. */
  #complete(tags, hasDeadline) {
    const { bytes, start, split } = this;
    const { opcode } = this.message;
    putU32(bytes, start, this.payloadSize);
    bytes[start + 4] = REQUEST;
    bytes[start + 5] = 0;
    bytes[start + 6] = opcode >>> 8;
    bytes[start + 7] = opcode;
    if (hasDeadline) {
      bytes[split] = tags + 1;
      bytes[split + 1] = DEADLINE_TAG;
      bytes[split + 2] = 4;
    } else if (tags > 0) {
      bytes[split] = tags;
    }
  }

  /** Gives the frame memory of its own: what a socket has been given must not change. */
  #move() {
    const own = Buffer.allocUnsafeSlow(this.size);
    this.bytes.copy(own, 0, this.start, this.end);
    this.bytes = own;
    this.split -= this.start;
    this.end -= this.start;
    this.start = 0;
  }

  /**
   * Completes the frame for the next attempt; the socket gets these bytes, or a copy. The call counts as written from
   * here on.
   *
   * @param {number} now
   */
  write(now) {
    if (this.writtenAt >= 0) this.#move();
    const { bytes, start, split, id } = this;
    putU32(bytes, start + 8, Math.floor(id / 0x1_0000_0000));
    putU32(bytes, start + 12, id);
    if (this.deadline < Infinity) {
      putU32(bytes, split + 3, Math.min(MAXIMUM_DEADLINE_MS, Math.max(1, Math.round(this.deadline - now))));
    }
    this.state = 'written';
    this.attempts++;
    this.writtenAt = now;
  }

  /** The idempotency key, read from the encoded payload; undefined if there is none. */
  get key() {
    if (!this.hasKey) return undefined;
    const reader = new Reader().attach(this.bytes.subarray(this.start + HEADER_SIZE, this.split));
    for (const { key, type } of this.message.request.fixed) {
      const value = type.read(reader);
      if (key === 'key') return value;
    }
    return undefined;
  }

  /** Reads the answer; MalformedError if it is not as the protocol says. */
  readAnswer(reader) {
    const fields = this.message.answer.read(reader);
    return this.adapt === undefined ? fields : this.adapt(fields);
  }

  /**
   * True if the request may be made again after this error of an attempt: it had no effect, or a second request does no
   * harm (RET-1).
   *
   * @param {import('../errors.js').CarillonError} error
   * @param {number} maximumAttempts
   */
  mayRepeat(error, maximumAttempts) {
    if (!this.isRepeated || error.retryAfter === undefined || this.attempts >= maximumAttempts) return false;
    return error.effect === 'not_executed' || (error.effect === 'unknown' && this.isRepeatable);
  }

  /** Remembers why an attempt failed. */
  record(error) {
    this.failures ??= new Failures(this.writtenAt, this.connection.session.hello.epoch);
    this.failures.lastError = error;
    this.failures.effect = worseEffect(this.failures.effect, error.effect);
  }

  /** The error of the call. Its effect is the worst of all attempts: an earlier one may have taken effect (ERR-3). */
  final(error) {
    const { effect: earlier = 'not_executed', isKeyForgotten = false } = this.failures ?? {};
    const effect = this.isReadOnly ? 'not_executed' : worseEffect(earlier, error.effect);
    return error.with({ effect, attempts: this.attempts, key: this.key,
      isRepeatable: this.isRepeatable && !isKeyForgotten });
  }
}
