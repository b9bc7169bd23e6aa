/**
 * A stream of events for programs: an async iterator with acknowledgements.
 *
 * @module
 */
import { invalidArgument } from './errors.js';
import { Members, checkMembers } from './options.js';
import { Subscription } from './core/subscription.js';

const OPTIONS = new Members(['name', 'start', 'apps', 'kinds', 'window']);
const STARTS = ['acknowledged', 'now', 'oldest'];
const DEFAULT_WINDOW = 256;
const MINIMUM_WINDOW = 2;
const MAXIMUM_WINDOW = 65_536;
const MAXIMUM_SEQUENCE = 2n ** 64n - 3n;

/** The checked options of a stream (CONTRACT.md, EVT-1, AUD-4). */
export function eventOptions(options) {
  checkMembers(options, OPTIONS);
  const { name = '', start = 'acknowledged', window = DEFAULT_WINDOW } = options;
  if (typeof name !== 'string') throw invalidArgument('name', 'must be a text');
  if (!STARTS.includes(start) && !(typeof start === 'bigint' && start >= 0n && start <= MAXIMUM_SEQUENCE)) {
    throw invalidArgument('start', `must be one of ${STARTS.join(', ')}, or a bigint`);
  }
  if (!Number.isInteger(window) || window < MINIMUM_WINDOW || window > MAXIMUM_WINDOW) {
    throw invalidArgument('window', `must be ${MINIMUM_WINDOW} to ${MAXIMUM_WINDOW}`);
  }
  return { name, start, window, apps: listOf(options, 'apps'), kinds: listOf(options, 'kinds') };
}

/** A list of the options; empty if it is left out. */
function listOf(options, name) {
  const list = options[name];
  if (list === undefined) return [];
  if (!Array.isArray(list) || list.length === 0) {
    throw invalidArgument(name, 'must be a list that is not empty; leave it out for all');
  }
  return [...list];
}

/** A stream of events. Take its elements with `for await`, or with `next`. */
export class EventStream {
  #dispatcher;
  #now;
  #subscription;
  #takers = [];
  #flushes = [];
  #closes = [];
  #onAccepted;
  #hasThrown = false;

  /**
   * @param {import('./core/call_dispatcher.js').CallDispatcher} dispatcher
   * @param {() => number} now
   * @param {ReturnType<typeof eventOptions>} options
   * @param {number} deadline
   * @param {(error?: Error) => void} onAccepted
   */
  constructor(dispatcher, now, options, deadline, onAccepted) {
    this.#dispatcher = dispatcher;
    this.#now = now;
    this.#onAccepted = onAccepted;
    this.#subscription = new Subscription(options, deadline, () => this.#changed());
    dispatcher.streams.add(this.#subscription, now());
  }

  /** The name under which the server keeps what is acknowledged; empty if there is none. */
  get name() {
    return this.#subscription.name;
  }

  /** Gives up before the server has accepted the subscription. */
  abandon(error) {
    this.#dispatcher.streams.end(this.#subscription, error);
  }

  /** Tells the program what has changed: that the stream was accepted, what has come, its end. */
  #changed() {
    const subscription = this.#subscription;
    const hasEnded = subscription.state === 'ended';
    if (this.#onAccepted !== undefined && (subscription.isAccepted || hasEnded)) {
      const onAccepted = this.#onAccepted;
      this.#onAccepted = undefined;
      // The program gets the error from `events`, not from an iteration.
      if (!subscription.isAccepted) this.#hasThrown = true;
      onAccepted(subscription.isAccepted ? undefined : subscription.error);
    }
    while (this.#takers.length > 0 && (subscription.queue.length > 0 || hasEnded)) this.#give(this.#takers.shift());
    if (subscription.isFlushed || hasEnded) for (const flush of this.#flushes.splice(0)) this.#endFlush(flush);
    if (hasEnded) for (const resolve of this.#closes.splice(0)) resolve();
  }

  /** Gives a waiting task the next element; without one the error, once, or the end. */
  #give({ resolve, reject }) {
    const subscription = this.#subscription;
    const element = subscription.take();
    if (element !== undefined) {
      this.#dispatcher.streams.taken(subscription);
      resolve({ value: element, done: false });
    } else if (subscription.error !== undefined && !this.#hasThrown) {
      this.#hasThrown = true;
      reject(subscription.error);
    } else {
      resolve({ value: undefined, done: true });
    }
  }

  /** The next element. Rejected once if the stream has failed, after what was in memory. */
  next() {
    return new Promise((resolve, reject) => {
      const { queue, state } = this.#subscription;
      if (queue.length > 0 || state === 'ended') this.#give({ resolve, reject });
      else this.#takers.push({ resolve, reject });
    });
  }

  /** Ends the stream, as leaving a `for await` does. */
  async return(value) {
    await this.close();
    return { value, done: true };
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /**
   * Says that the program has processed all events up to this element or number (EVT-5). It returns at once. If the
   * stream has no name, nothing is acknowledged.
   *
   * @param {bigint | {sequence: bigint}} upTo
   */
  acknowledge(upTo) {
    const sequence = typeof upTo === 'bigint' ? upTo : upTo?.sequence;
    if (typeof sequence !== 'bigint') throw invalidArgument('sequence', 'must be a bigint, an event or a gap');
    this.#subscription.acknowledge(sequence);
    this.#dispatcher.shell.wake();
  }

  /** Waits until everything acknowledged is durable. */
  flush() {
    return new Promise((resolve, reject) => {
      if (this.#subscription.isFlushed || this.#subscription.state === 'ended') this.#endFlush({ resolve, reject });
      else this.#flushes.push({ resolve, reject });
    });
  }

  /** Ends a `flush`: with an error if the stream has ended before. */
  #endFlush({ resolve, reject }) {
    if (this.#subscription.isFlushed) resolve();
    else reject(this.#subscription.error ?? this.#dispatcher.endedError());
  }

  /** Sends the last acknowledgement, then ends the stream (EVT-11). What is in memory is dropped. */
  close() {
    return new Promise((resolve) => {
      this.#subscription.queue.length = 0;
      this.#closes.push(resolve);
      if (this.#subscription.state === 'ended') this.#changed();
      else this.#dispatcher.streams.finish(this.#subscription);
    });
  }
}
