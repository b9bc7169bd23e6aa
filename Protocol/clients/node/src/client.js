/**
 * The client: one connection at a time to one of its servers, for all calls (CONTRACT.md).
 *
 * @module
 */
import { CarillonError, closedError, invalidArgument } from './errors.js';
import { Call } from './core/call.js';
import { EventStream, eventOptions } from './events.js';
import { App, CALL, Operations } from './operations.js';
import { Members, Options, checkMembers } from './options.js';
import { plan } from './plans.js';
import { Runtime } from './runtime.js';

const CALL_OPTIONS = new Members(['timeout', 'signal', 'retry']);
const CLOSE_OPTIONS = new Members(['drainTimeout']);
const NO_OPTIONS = Object.freeze({});
const CONNECT = { name: 'connect', method: 'connect' };
const PING = { name: 'ping', method: 'ping' };

/** One listener for each signal, however many calls wait for it: a signal with many listeners prints a warning. */
const callsBySignal = new WeakMap();

/** A client of Carillon. All its methods may be used at the same time. */
export class Client extends Operations {
  // Private, so that no printed form contains a secret (CONTRACT.md, TLS-4).
  #options;
  #runtime;
  #dispatcher;
  /** The options of a call that gives none. */
  #defaults;

  /**
   * Makes a client that connects with its first call.
   *
   * @param {Record<string, any>} options
   */
  constructor(options) {
    super();
    this.#options = new Options(options);
    this.#runtime = new Runtime(this.#options);
    this.#dispatcher = this.#runtime.dispatcher;
    this.#defaults = { timeout: this.#options.requestTimeout, signal: undefined, retry: true };
  }

  /**
   * Makes a client and waits for its first connection; with the option `lazy` it does not wait (ADR-8).
   *
   * @param {Record<string, any>} options
   * @param {Record<string, any>} [callOptions]
   */
  static async connect(options, callOptions = NO_OPTIONS) {
    const client = new Client(options);
    try {
      if (!client.#options.lazy) await client.connect(callOptions);
      return client;
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** Waits for the first connection: one round of the addresses. */
  connect(options = NO_OPTIONS) {
    return this.#wait(CONNECT, options);
  }

  /** A round trip; its duration in milliseconds. */
  async ping(options = NO_OPTIONS) {
    const began = performance.now();
    await this.#wait(PING, options);
    return performance.now() - began;
  }

  /** The answer to HELLO of the latest connection, and the principal; undefined before the first one. */
  get server() {
    const { server } = this.#dispatcher;
    if (server === undefined) return undefined;
    const { opcodes, authenticated, ...hello } = server.hello;
    return { ...hello, principal: server.auth?.principal, grants: server.auth?.grants };
  }

  /**
   * The greatest position in the log of the cluster that was seen, as text: at or after the entry of every change whose
   * call has succeeded. Undefined without a cluster.
   */
  get position() {
    const { seen } = this.#dispatcher.logPosition;
    return seen === undefined ? undefined : `${seen.cluster}:${seen.number}`;
  }

  /**
   * Lets the calls that follow see what another client has seen: its `position`.
   *
   * @param {string} position
   */
  readAfter(position) {
    const [, cluster, number] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([0-9]{1,20})$/.exec(position) ?? [];
    if (cluster === undefined || BigInt(number) >= 1n << 64n) {
      throw invalidArgument('position', 'it is not a text that a client has given as its position');
    }
    this.#dispatcher.readAfter({ cluster, number: BigInt(number) });
  }

  /**
   * The operations of one app; without a name of the app that the option `app` names.
   *
   * @param {string} [name]
   */
  app(name = this.#options.app) {
    if (typeof name !== 'string' || name === '') throw invalidArgument('app', 'no app is named');
    return new App(this, name);
  }

  /**
   * Subscribes to events. The promise is fulfilled when the server has accepted the subscription.
   *
   * @param {Record<string, any>} [request]
   * @param {{timeout?: number, signal?: AbortSignal}} [options]
   * @returns {Promise<EventStream>}
   */
  events(request = {}, options = NO_OPTIONS) {
    return new Promise((resolve, reject) => {
      const { timeout, signal } = this.#checked(options);
      const checked = eventOptions(request);
      if (this.#dispatcher.isClosing) throw closedError();
      if (signal?.aborted) throw cancelled(signal);
      const cancel = () => stream.abandon(cancelled(signal));
      const deadline = this.#runtime.now() + timeout;
      const stream = new EventStream(this.#dispatcher, this.#runtime.now, checked, deadline, (error) => {
        signal?.removeEventListener('abort', cancel);
        if (error === undefined) resolve(stream);
        else reject(error);
      });
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  /**
   * Accepts no more calls, finishes those that have begun, and closes the connections.
   *
   * @param {{drainTimeout?: number}} [options]
   * @returns {Promise<void>}
   */
  async close(options = NO_OPTIONS) {
    checkMembers(options, CLOSE_OPTIONS);
    const { drainTimeout = this.#options.drainTimeout } = options;
    if (typeof drainTimeout !== 'number' || !(drainTimeout >= 0)) {
      throw invalidArgument('drain_timeout', 'must be milliseconds');
    }
    await this.#runtime.close(drainTimeout);
  }

  #checked(options) {
    checkMembers(options, CALL_OPTIONS);
    const { timeout = this.#options.requestTimeout, signal, retry = true } = options;
    if (typeof timeout !== 'number' || !(timeout > 0)) throw invalidArgument('timeout', 'must be milliseconds');
    if (typeof retry !== 'boolean') throw invalidArgument('retry', 'must be true or false');
    if (signal !== undefined && typeof signal.addEventListener !== 'function') {
      throw invalidArgument('signal', 'must be an AbortSignal');
    }
    return { timeout, signal, retry };
  }

  [CALL](method, request, options = NO_OPTIONS, own = NO_OPTIONS) {
    return new Promise((resolve, reject) => {
      const { timeout, signal, retry } = options === NO_OPTIONS ? this.#defaults : this.#checked(options);
      const now = this.#runtime.turnTime();
      const call = new Call(method.message, now + timeout, resolve, reject);
      call.isRepeated = retry;
      plan(call, method, request, own);
      if (signal !== undefined) this.#follow(signal, call);
      this.#dispatcher.begin(call, now);
    });
  }

  #wait(message, options) {
    return new Promise((resolve, reject) => {
      const { timeout, signal } = this.#checked(options);
      const now = performance.now();
      const call = new Call(message, now + timeout, resolve, reject);
      if (signal !== undefined) this.#follow(signal, call);
      this.#dispatcher.beginWaiting(call, now);
    });
  }

  /** Cancels the call with the signal (DL-5). */
  #follow(signal, call) {
    if (signal.aborted) throw cancelled(signal);
    let calls = callsBySignal.get(signal);
    if (calls === undefined) {
      calls = new Map();
      callsBySignal.set(signal, calls);
      signal.addEventListener('abort', () => {
        for (const [each, cancel] of [...calls]) cancel(each);
      }, { once: true });
    }
    calls.set(call, (each) => this.#dispatcher.cancel(each, signal.reason, performance.now()));
    call.onEnd = () => calls.delete(call);
  }
}

function cancelled(signal) {
  return new CarillonError('CANCELLED', 'the call was cancelled', { retryAfter: 0, cause: signal.reason });
}
