/**
 * One connection without a socket and a clock: prefaces, HELLO, AUTH, ids, answers, PING (CONTRACT.md, CON and PIP).
 *
 * @module
 */
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import {
  ACK, ANSWER, CONTROL, ERROR, EVENT, HEADER_SIZE, MAGIC, PREFACE_SIZE, REQUEST, frame,
} from '../codec/layout.js';
import {
  ERROR as ERROR_LAYOUT, EVENT as EVENT_LAYOUT, EVENT_OPCODE, GOAWAY, GOAWAY_OPCODE, MESSAGES, PING, PING_OPCODE,
  POSITION, POSITION_OPCODE,
} from '../codec/messages.js';
import { MalformedError, Reader, getU32 } from '../codec/wire.js';
import { CarillonError, connectionLostError, errorFromFrame } from '../errors.js';
import { List, Window } from './collections.js';
import { Input } from './input.js';

/** Bytes of one write at most, unless one frame is longer (CONTRACT.md, PIP-3). */
const MAXIMUM_WRITE_BYTES = 1 << 16;
/** PINGs of the server in a second before the connection is closed: a server must not keep a client busy (CON-11). */
const MAXIMUM_PINGS = 100;
const HELLO_ID = 1;
const AUTH_ID = 2;

/**
 * What a session tells its owner. Each method is called with the session first.
 *
 * @typedef {object} Owner
 * @property {(session: Session) => void} opened
 * @property {(session: Session) => void} worked the connection has worked (CON-15); called once
 * @property {(session: Session, call: import('./call.js').Call, answer: any) => void} answered
 * @property {(session: Session, call: import('./call.js').Call, error: CarillonError) => void} refused
 * @property {(session: Session, id: number, fields: any) => void} eventReceived
 * @property {(session: Session, fields: any) => void} goaway
 * @property {(session: Session, position: bigint) => void} positionReceived
 * @property {(session: Session) => void} pong
 * @property {(session: Session, error: CarillonError, named?: import('./call.js').Call) => void} failed the connection
 *   must be closed; the error is that of the named call
 */

/** The state of one connection. Times are milliseconds of a monotonic clock. */
export class Session {
  /**
   * @param {import('../options.js').Options} options
   * @param {Uint8Array|undefined} key
   * @param {number} now
   * @param {Owner} owner
   */
  constructor(options, key, now, owner) {
    this.options = options;
    this.key = key;
    this.owner = owner;
    /** preface, hello, auth, open, closed */
    this.phase = 'preface';
    this.isVersionRefused = false;
    this.isDraining = false;
    this.hasWorked = false;
    /** The answers to HELLO and AUTH. */
    this.hello = undefined;
    this.auth = undefined;
    this.inFlightLimit = 0;
    this.opcodes = new Set();
    this.lastId = 0;
    /** Frames that are no calls; they go out first. */
    this.urgent = [];
    /** Calls that are not written yet. */
    this.outgoing = new List();
    /** Calls without an answer by id, ascending; also those that ended without it. */
    this.outstanding = new Window();
    this.abandonedCount = 0;
    /** Since when requests that are not waited for occupy all room: the server only answers PINGs (PIP-5); −1: no. */
    this.stuckSince = -1;
    this.receivedAt = now;
    this.ping = undefined;
    this.lastPing = -Infinity;
    this.pingsReceived = 0;
    this.pingsSince = now;
    this.reader = new Reader();
    this.input = new Input();
    const preface = Buffer.alloc(PREFACE_SIZE);
    preface.set(MAGIC);
    preface[8] = 1;
    preface[9] = 1;
    this.urgent.push(preface);
    this.#sendHandshake('hello', { software: options.software, receiveLimit: options.maximumReceiveBytes });
  }

  // Requests

  /** True if a call may be queued now: fewer are outstanding than the server and the program allow (PIP-4). */
  get hasRoom() {
    return this.phase === 'open' && !this.isDraining && this.outstanding.size < this.inFlightLimit;
  }

  /** True if there is something to write. */
  get hasOutput() {
    return this.phase !== 'closed' && (this.urgent.length > 0 || this.outgoing.size > 0);
  }

  /** True if no answer is waited for. */
  get isIdle() {
    return this.outstanding.size === this.abandonedCount;
  }

  #sendHandshake(name, fields) {
    const { opcode, request } = MESSAGES[name];
    this.urgent.push(frame({ kind: REQUEST, opcode, id: ++this.lastId }, request.encode(fields)));
  }

  /**
   * Why the server would refuse the call by its limits (CON-7); undefined if it may be sent.
   *
   * @param {import('./call.js').Call} call
   */
  refusalOf(call) {
    if (!this.opcodes.has(call.message.opcode)) {
      return new CarillonError('UNSUPPORTED_OPCODE', `the server does not serve ${call.message.name}`);
    }
    const size = call.payloadSize;
    const { frameLimit } = this.hello;
    if (size <= frameLimit) return undefined;
    return new CarillonError('FRAME_TOO_LARGE', `${size} bytes; the limit is ${frameLimit}`, { limit: frameLimit });
  }

  /**
   * Gives a call its id, and queues it for the next write.
   *
   * @param {import('./call.js').Call} call
   */
  request(call) {
    call.id = ++this.lastId;
    call.state = 'queued';
    this.outgoing.push(call);
    this.outstanding.set(call.id, call);
  }

  /** Forgets a call that has no answer. If it is written, its answer will be ignored. */
  forget(call) {
    if (call.list === this.outgoing) this.outgoing.remove(call);
    this.outstanding.delete(call.id);
  }

  /** Records that a call ended before its answer. A written one keeps its room: the server still counts it (PIP-5). */
  abandon(call, now) {
    if (call.list === this.outgoing) {
      this.forget(call);
      return;
    }
    this.abandonedCount++;
    if (this.abandonedCount >= this.inFlightLimit && this.stuckSince < 0) this.stuckSince = now;
  }

  /**
   * The bytes of the next write. Their calls count as written from here on. The bytes must not be changed.
   *
   * @param {number} now
   * @returns {Buffer}
   */
  takeOutput(now) {
    let size = 0;
    for (const bytes of this.urgent) size += bytes.length;
    let isTogether = size === 0;
    let last;
    for (let call = this.outgoing.first; call !== undefined; call = call.behind) {
      if (size > 0 && size + call.size > MAXIMUM_WRITE_BYTES) break;
      size += call.size;
      isTogether &&= call.writtenAt < 0
        && (last === undefined || (call.bytes === last.bytes && call.start === last.end));
      last = call;
    }
    if (isTogether && last !== undefined) return this.#takeWithoutCopy(last, now);
    const output = Buffer.allocUnsafe(size);
    let position = 0;
    for (const bytes of this.urgent) {
      output.set(bytes, position);
      position += bytes.length;
    }
    this.urgent = [];
    if (last !== undefined) this.#write(last, output, position, now);
    return output;
  }

  /** The calls up to the last one, whose frames are next to each other: no copy is needed. */
  #takeWithoutCopy(last, now) {
    const { bytes, start } = this.outgoing.first;
    for (let call; call !== last;) {
      call = this.outgoing.shift();
      call.write(now);
    }
    return bytes.subarray(start, last.end);
  }

  /** Writes the calls up to the last one. Frames that are next to each other are copied in one step. */
  #write(last, output, position, now) {
    let { bytes, start, start: end } = this.outgoing.first;
    let to = position;
    for (let call; call !== last;) {
      call = this.outgoing.shift();
      call.write(now);
      if (call.bytes !== bytes || call.start !== end) {
        to += bytes.copy(output, to, start, end);
        ({ bytes, start } = call);
      }
      ({ end } = call);
    }
    bytes.copy(output, to, start, end);
  }

  // Time

  /** When `tick` has something to do; Infinity if never. */
  nextTime() {
    if (this.phase !== 'open') return Infinity;
    const stuck = this.stuckSince < 0 ? Infinity : this.stuckSince + this.options.pingTimeout;
    return Math.min(stuck, this.ping ? this.ping.at + this.options.pingTimeout : this.#pingDue());
  }

  /** When the next PING is due: after silence, sooner if a request waits, as far as the server allows (CON-12). */
  #pingDue() {
    const { keepaliveMs, pingIntervalMs } = this.hello;
    let due = keepaliveMs > 0 ? this.receivedAt + Math.max(keepaliveMs, pingIntervalMs) : Infinity;
    const oldest = this.outstanding.first;
    if (oldest !== undefined && oldest.state !== 'queued') {
      due = Math.min(due, Math.max(this.receivedAt, oldest.writtenAt) + this.options.probeAfter);
    }
    return Math.max(due, this.lastPing + pingIntervalMs);
  }

  /** Sends the PING that is due, or finds that nothing has come since one: the server is dead (CON-13). */
  tick(now) {
    if (this.phase !== 'open') return;
    const { pingTimeout } = this.options;
    if (this.stuckSince >= 0 && now >= this.stuckSince + pingTimeout) {
      this.#fault(connectionLostError('the server answers no requests'));
      return;
    }
    if (this.ping && now >= this.ping.at + pingTimeout) {
      if (this.receivedAt < this.ping.at) {
        this.#fault(connectionLostError('the server is silent'));
        return;
      }
      this.ping = undefined;
    }
    if (!this.ping && now >= this.#pingDue()) this.sendPing(now);
  }

  /** True if a PING of the program may be sent: not sooner after the last one than the server allows (CON-12). */
  mayPing(now) {
    return this.phase === 'open' && !this.ping && now >= this.lastPing + this.hello.pingIntervalMs;
  }

  /** The cluster that the server belongs to; undefined if there is none (POS-1). */
  get cluster() {
    return this.phase === 'open' ? this.hello.cluster : undefined;
  }

  /** Lets the requests that follow see what this client has seen at another node (POS-3). */
  sendPosition(position) {
    const data = Buffer.alloc(8);
    data.writeBigUInt64BE(position);
    this.urgent.push(frame({ kind: CONTROL, opcode: POSITION_OPCODE }, data));
  }

  /** Queues a PING. */
  sendPing(now) {
    const data = randomBytes(8);
    this.ping = { data, at: now };
    this.lastPing = now;
    this.urgent.push(frame({ kind: CONTROL, opcode: PING_OPCODE }, data));
  }

  // Receiving

  /**
   * Reads bytes in any division: a frame can come in parts, and several at once (CON-14).
   *
   * @param {Uint8Array} chunk
   * @param {number} now
   */
  receive(chunk, now) {
    if (this.phase === 'closed') return;
    this.receivedAt = now;
    const data = this.input.with(chunk);
    this.reader.attach(data);
    let position = 0;
    try {
      for (;;) {
        const used = this.#readOne(position, now);
        if (used === 0) break;
        position += used;
      }
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      this.#fault(connectionLostError(`the server has sent what cannot be read: ${error.message}`));
    }
    if (this.phase !== 'closed') this.input.keep(data, position);
  }

  /** Reads a preface or a frame and returns its size; 0 if it is not whole, or if the connection is closed. */
  #readOne(start, now) {
    if (this.phase === 'closed') return 0;
    const { reader } = this;
    const { buffer } = reader;
    if (this.phase === 'preface') return this.#readPreface(buffer, start);
    const size = buffer.length - start;
    if (size < HEADER_SIZE) return 0;
    const length = getU32(buffer, start);
    const kind = buffer[start + 4];
    const flags = buffer[start + 5];
    const opcode = (buffer[start + 6] << 8) | buffer[start + 7];
    const id = getU32(buffer, start + 8) * 0x1_0000_0000 + getU32(buffer, start + 12);
    if (length > this.options.maximumReceiveBytes) throw new MalformedError(`a frame of ${length} bytes`);
    if (kind < ANSWER || kind > CONTROL) throw new MalformedError(`a frame of kind ${kind}`);
    if ((flags & 0x0f) !== 0 && !(kind === CONTROL && opcode === PING_OPCODE && flags === ACK)) {
      throw new MalformedError(`flags ${flags}`);
    }
    const fits = kind === CONTROL ? id === 0 : kind === ERROR || id !== 0;
    if (!fits) throw new MalformedError(`a frame of kind ${kind} with id ${id}`);
    if (size < HEADER_SIZE + length) return 0;
    reader.position = start + HEADER_SIZE;
    reader.end = reader.position + length;
    if (kind === ANSWER) this.#answer(opcode, flags, id);
    else if (kind === ERROR) this.#error(opcode, flags, id);
    else if (kind === EVENT) this.#event(opcode, flags, id);
    else this.#control(opcode, flags, now);
    return HEADER_SIZE + length;
  }

  /** Reads the first bytes of the server; returns how many, 0 if some are missing or wrong. */
  #readPreface(buffer, start) {
    const available = Math.min(buffer.length - start, PREFACE_SIZE);
    for (let index = 0; index < available; index++) {
      const byte = buffer[start + index];
      const fits = index < MAGIC.length ? byte === MAGIC[index] : index === 8 ? byte <= 1 : byte === 0;
      if (!fits) {
        this.#fault(connectionLostError('the peer does not speak the protocol of Carillon'));
        return 0;
      }
    }
    if (available < PREFACE_SIZE) return 0;
    this.isVersionRefused = buffer[start + 8] === 0;
    this.phase = 'hello';
    return PREFACE_SIZE;
  }

  /** Reads an answer. One to a request that was given up only frees its room. */
  #answer(opcode, flags, id) {
    if (this.phase !== 'open') {
      this.#handshake(opcode, flags, id);
      return;
    }
    const call = this.outstanding.get(id);
    if (call === undefined) return;
    if (call.isDone) {
      this.#free(call);
      return;
    }
    if (opcode !== call.message.opcode || flags >> 4 !== 0) {
      throw new MalformedError('an answer with another opcode or layout than its request');
    }
    const answer = call.readAnswer(this.reader);
    this.outstanding.delete(id);
    this.#recordWork();
    this.owner.answered(this, call, answer);
  }

  /** Frees the room of a request that was abandoned, and now is answered. */
  #free(call) {
    this.outstanding.delete(call.id);
    this.abandonedCount--;
    this.stuckSince = -1;
    this.#recordWork();
  }

  #recordWork() {
    if (this.hasWorked) return;
    this.hasWorked = true;
    this.owner.worked(this);
  }

  #handshake(opcode, flags, id) {
    const name = this.phase === 'hello' ? 'hello' : 'auth';
    const message = MESSAGES[name];
    if (opcode !== message.opcode || flags >> 4 !== 0 || id !== (name === 'hello' ? HELLO_ID : AUTH_ID)
      || this.isVersionRefused) {
      throw new MalformedError('an answer out of its phase');
    }
    const fields = message.answer.read(this.reader);
    this[name] = fields;
    if (name === 'hello') this.#takeLimits(fields);
    if (name === 'hello' && !fields.authenticated) {
      this.#authenticate();
      return;
    }
    this.phase = 'open';
    this.owner.opened(this);
  }

  /** Takes the limits of HELLO's answer (CON-6). */
  #takeLimits(fields) {
    this.inFlightLimit = Math.min(Math.max(1, fields.inFlightLimit), this.options.maximumInFlight);
    for (const { opcode, lowest, highest } of fields.opcodes) {
      if (lowest <= 1 && highest >= 1) this.opcodes.add(opcode);
    }
  }

  #authenticate() {
    if (this.key === undefined) {
      this.#fault(new CarillonError('AUTHENTICATION_FAILED', 'the server requires a key, and none is configured'));
      return;
    }
    this.phase = 'auth';
    this.#sendHandshake('auth', { method: 1, credential: this.key });
  }

  /** Reads an error: of the handshake, of the connection, or of a request. */
  #error(opcode, flags, id) {
    if (flags >> 4 !== 0) throw new MalformedError('an error of another layout');
    const error = errorFromFrame(ERROR_LAYOUT.read(this.reader));
    if (this.phase !== 'open') {
      this.#fault(error);
      return;
    }
    const call = this.outstanding.get(id);
    if (error.scope === 'connection') {
      this.#fault(error, call?.isDone ? undefined : call);
      return;
    }
    if (id === 0) throw new MalformedError('an error of scope request with id 0');
    if (call === undefined) return;
    if (call.isDone) {
      this.#free(call);
      return;
    }
    if (opcode !== call.message.opcode) throw new MalformedError('an error with another opcode than its request');
    this.outstanding.delete(id);
    this.#recordWork();
    this.owner.refused(this, call, error);
  }

  #event(opcode, flags, id) {
    if (opcode !== EVENT_OPCODE || flags >> 4 !== 0) return;
    const fields = EVENT_LAYOUT.read(this.reader);
    this.#recordWork();
    this.owner.eventReceived(this, id, fields);
  }

  /** Reads a PING, its answer, a POSITION or a GOAWAY; others are ignored. */
  #control(opcode, flags, now) {
    if (flags >> 4 !== 0) return;
    if (opcode === PING_OPCODE) {
      const { data } = PING.read(this.reader);
      if (flags === ACK) this.#pong(data);
      else this.#answerPing(data, now);
    } else if (opcode === POSITION_OPCODE) {
      const { position } = POSITION.read(this.reader);
      if (this.cluster !== undefined) this.owner.positionReceived(this, position);
    } else if (opcode === GOAWAY_OPCODE) {
      const fields = GOAWAY.read(this.reader);
      if (this.phase === 'open') {
        this.owner.goaway(this, fields);
        return;
      }
      this.#fault(new CarillonError('DRAINING', fields.reason || 'the server stops', {
        scope: 'connection', retryAfter: fields.reconnectAfterMs,
      }));
    }
  }

  #answerPing(data, now) {
    if (now - this.pingsSince >= 1000) {
      this.pingsSince = now;
      this.pingsReceived = 0;
    }
    if (++this.pingsReceived > MAXIMUM_PINGS) {
      this.#fault(connectionLostError('the server sends too many PINGs'));
      return;
    }
    this.urgent.push(frame({ kind: CONTROL, flags: ACK, opcode: PING_OPCODE }, data));
  }

  #pong(data) {
    if (!this.ping || Buffer.compare(this.ping.data, data) !== 0) return;
    this.ping = undefined;
    this.#recordWork();
    this.owner.pong(this);
  }

  /** Ends the session because of what the server has done, or has not done. */
  fault(text) {
    this.#fault(connectionLostError(text));
  }

  #fault(error, named) {
    this.phase = 'closed';
    this.owner.failed(this, error, named);
  }
}
