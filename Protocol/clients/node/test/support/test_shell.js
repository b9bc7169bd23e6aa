/** A shell without sockets and without a clock, and a server of a few lines behind it. */
import { Buffer } from 'node:buffer';
import { CallDispatcher } from '../../src/core/call_dispatcher.js';
import { codeNumber } from '../../src/codec/enumerations.js';
import { ANSWER, ERROR, HEADER_SIZE, MAGIC, frame, getHeader } from '../../src/codec/layout.js';
import { BY_OPCODE, ERROR as ERROR_LAYOUT, MESSAGES } from '../../src/codec/messages.js';
import { Reader } from '../../src/codec/wire.js';
import { Options } from '../../src/options.js';
import { Call } from '../../src/core/call.js';
import { METHODS, plan } from '../../src/plans.js';

export const EPOCH = '00112233-4455-6677-8899-aabbccddeeff';
export const PREFACE = Buffer.from([...MAGIC, 1, 0, 0, 0, 0, 0, 0, 0]);
export const HELLO = {
  software: 'test/1', epoch: EPOCH, clock: undefined, frameLimit: 1 << 20, inFlightLimit: 1000, batchLimit: 1000,
  keepaliveMs: 30_000, pingIntervalMs: 10_000, idempotencyWindowS: 60, authenticated: true,
  opcodes: [...BY_OPCODE.keys()].map((opcode) => ({ opcode, lowest: 1, highest: 1 })),
};

/** The frame of an answer. */
export function answer(name, id, fields) {
  const { opcode, answer: layout } = MESSAGES[name];
  return frame({ kind: ANSWER, opcode, id }, layout.encode(fields));
}

/** The frame of an error that refuses a request before it takes effect. */
export function refusal(name, id, { code, retryAfterMs, message = '' }) {
  const payload = ERROR_LAYOUT.encode({ code: codeNumber(code), scope: 0, effect: 0, retryAfterMs, message });
  return frame({ kind: ERROR, opcode: MESSAGES[name].opcode, id }, payload);
}

/** The requests of some bytes: their names, ids and fields. */
export function requests(bytes) {
  const found = [];
  for (let position = 0; position < bytes.length;) {
    const { length, opcode, id } = getHeader(bytes, position);
    const reader = new Reader(true).attach(bytes.subarray(position + HEADER_SIZE, position + HEADER_SIZE + length));
    found.push({ name: BY_OPCODE.get(opcode).name, id, fields: BY_OPCODE.get(opcode).request.read(reader) });
    position += HEADER_SIZE + length;
  }
  return found;
}

/** A dispatcher with a clock that tests set. `connections` are the connections that it has asked for. */
export class TestShell {
  constructor(options = {}) {
    this.time = 0;
    this.connections = [];
    this.reports = [];
    this.options = new Options({ addresses: ['127.0.0.1:1', '127.0.0.1:2'], onState: () => {}, onRetry: () => {},
      onCall: () => {}, ...options });
    this.dispatcher = new CallDispatcher(this.options, this);
  }

  now() {
    return this.time;
  }

  random() {
    return 0.5;
  }

  wake() {}

  readKey(done) {
    done(undefined);
  }

  connect(connection) {
    this.connections.push(connection);
  }

  disconnect(connection) {
    connection.isDisconnected = true;
  }

  report(hook, value) {
    this.reports.push({ hook, ...value });
  }

  /** Moves the clock. */
  run(milliseconds = 0) {
    this.time += milliseconds;
    this.dispatcher.run(this.time);
  }

  /** Begins a call and returns what becomes of it. */
  call(method, request, timeout = 10_000) {
    const result = {};
    const call = new Call(METHODS[method].message, this.time + timeout, (value) => {
      result.value = value;
    }, (error) => {
      result.error = error;
    });
    plan(call, METHODS[method], request, {});
    this.dispatcher.begin(call, this.time);
    result.call = call;
    return result;
  }

  /** The latest connection, answered up to `open`. */
  open(hello = HELLO) {
    this.run();
    const connection = this.connections.at(-1);
    this.written(connection);
    this.dispatcher.received(connection, PREFACE, this.time);
    this.dispatcher.received(connection, answer('hello', 1, hello), this.time);
    this.run();
    return connection;
  }

  /** The bytes of the next write. */
  written(connection) {
    return connection.session.takeOutput(this.time);
  }

  /** The server says something. */
  says(connection, bytes) {
    this.dispatcher.received(connection, bytes, this.time);
    this.run();
  }
}
