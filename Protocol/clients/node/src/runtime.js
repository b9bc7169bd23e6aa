/**
 * The shell of the dispatcher: the clock, timers, sockets, keys and hooks.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { CallDispatcher } from './core/call_dispatcher.js';
import { keyBytes } from './options.js';
import { Transport } from './transport.js';

/** The longest time of a timer of Node.js is 2³¹ − 1 ms. */
const MAXIMUM_TIMER_MS = 2 ** 30;

/** Runs the dispatcher of one client. */
export class Runtime {
  #isScheduled = false;
  #turnTime = 0;
  #timer;
  #timerAt = Infinity;
  #isBusy = true;
  #whenClosed = [];
  #run = () => {
    this.#isScheduled = false;
    const now = this.now();
    this.dispatcher.run(now);
    for (const [connection, transport] of this.transports) {
      if (!connection.hasEnded) transport.flush(now);
    }
    this.#reference(this.dispatcher.isBusy);
    this.#setTimer();
    if (this.dispatcher.isClosed) this.#closed();
  };

  /** @param {import('./options.js').Options} options */
  constructor(options) {
    this.options = options;
    /** @type {Map<import('./core/connection.js').Connection, Transport>} */
    this.transports = new Map();
    this.dispatcher = new CallDispatcher(options, this);
  }

  now() {
    return performance.now();
  }

  /** The time, looked at once for all calls that are made together. */
  turnTime() {
    return this.#isScheduled ? this.#turnTime : this.now();
  }

  random() {
    return Math.random();
  }

  /**
   * Runs the dispatcher when everything that is being done now is done: what is begun until then goes out in one write
   * (CONTRACT.md, PIP-3).
   */
  wake() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#turnTime = this.now();
    process.nextTick(this.#run);
  }

  connect(connection) {
    const transport = new Transport(connection, this.options, this.dispatcher);
    this.transports.set(connection, transport);
    transport.start();
  }

  disconnect(connection, isOrderly) {
    const transport = this.transports.get(connection);
    if (transport === undefined) return;
    transport.close(isOrderly);
    transport.closed.then(() => {
      this.transports.delete(connection);
      this.wake();
    });
  }

  /** Reads the key, for each connection anew, so that it can be replaced without a restart (CRED-2). */
  readKey(done) {
    const { apiKey, apiKeyFile } = this.options;
    if (typeof apiKey !== 'function' && apiKeyFile === undefined) {
      done(apiKey);
      return;
    }
    let key;
    try {
      key = apiKeyFile === undefined ? apiKey() : readKeyFile(apiKeyFile);
      if (typeof key?.then !== 'function') key = bytesOf(key);
    } catch (error) {
      done(undefined, error);
      return;
    }
    if (typeof key?.then !== 'function') done(key);
    else key.then(bytesOf).then(done, (error) => done(undefined, error));
  }

  /** Tells the program; what its hook throws is dropped (OBS-4). */
  report(hook, value) {
    try {
      this.options[hook]?.(value);
    } catch {
      // A fault of the program's hook is no fault of the call.
    }
  }

  /** Closes the client; fulfilled when its connections are closed (CLS-3). */
  close(drainTimeout) {
    return new Promise((resolve) => {
      this.#whenClosed.push(resolve);
      this.dispatcher.close(drainTimeout, this.now());
      this.wake();
    });
  }

  #closed() {
    if (this.transports.size > 0) return;
    clearTimeout(this.#timer);
    for (const resolve of this.#whenClosed.splice(0)) resolve();
  }

  /** An idle client does not keep the process alive (CLS-4). */
  #reference(isBusy) {
    if (isBusy !== this.#isBusy) this.#timer?.[isBusy ? 'ref' : 'unref']();
    this.#isBusy = isBusy;
    for (const transport of this.transports.values()) transport.reference(isBusy);
  }

  /** Sets the timer for what is due next. One that fires too early does no harm. */
  #setTimer() {
    const next = this.dispatcher.nextTime();
    if (next >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = next;
    this.#timer = setTimeout(() => {
      this.#timerAt = Infinity;
      this.#timer = undefined;
      this.#run();
    }, Math.min(MAXIMUM_TIMER_MS, Math.max(0, Math.ceil(next - this.now()))));
    if (!this.#isBusy) this.#timer.unref();
  }
}

/** The key of a file, without white space at its ends. */
async function readKeyFile(path) {
  return (await readFile(path, 'utf8')).trim() || undefined;
}

function bytesOf(key) {
  return key === undefined || key === null ? undefined : keyBytes(key);
}
