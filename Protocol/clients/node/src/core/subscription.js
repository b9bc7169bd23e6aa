/**
 * A stream of events over any number of connections: its position, credit and acknowledgements (CONTRACT.md, EVT).
 *
 * @module
 */
import { invalidArgument } from '../errors.js';

const NOW = 2n ** 64n - 1n;
const OLDEST = 2n ** 64n - 2n;

/** The state of one stream. `state` is waiting, subscribing, subscribed or ended. */
export class Subscription {
  /**
   * @param {{name: string, start: 'acknowledged'|'now'|'oldest'|bigint, apps: string[], kinds: any[], window: number}}
   *   options
   * @param {number} deadline until it must be accepted
   * @param {() => void} onChange
   */
  constructor({ name, start, apps, kinds, window }, deadline, onChange) {
    this.name = name;
    this.start = start;
    this.apps = apps;
    this.kinds = kinds;
    this.window = window;
    this.deadline = deadline;
    this.onChange = onChange;
    this.state = 'waiting';
    this.connection = undefined;
    this.id = 0;
    this.isAccepted = false;
    this.isClosing = false;
    this.error = undefined;
    this.epoch = undefined;
    /** The sequence of the last frame received. */
    this.position = undefined;
    /** Elements that the program has not taken. */
    this.queue = [];
    /** The largest sequence that the program has taken. */
    this.returned = 0n;
    // Frames of this subscription: granted and received in all. `taken` begins at minus the elements in memory.
    this.granted = 0;
    this.received = 0;
    this.taken = 0;
    this.acknowledged = 0n;
    this.durable = 0n;
    /** The acknowledgement of the EVENT_CREDIT that is not answered; undefined if none is outstanding. */
    this.pending = undefined;
    /** The credit was refused for a time: it must be granted again. */
    this.isRefused = false;
    this.failures = 0;
    this.lastError = undefined;
    this.notBefore = -Infinity;
  }

  // Subscribing

  /** The fields of SUBSCRIBE_EVENTS on a server of this epoch. */
  begin(epoch) {
    if (this.epoch !== undefined && epoch !== this.epoch) this.#forgetHistory();
    this.epoch = epoch;
    this.state = 'subscribing';
    this.received = 0;
    this.taken = -this.queue.length;
    this.granted = this.#nextCredit();
    this.pending = undefined;
    this.isRefused = false;
    return { name: this.name, from: this.#from(), apps: this.apps, kinds: this.kinds, credit: BigInt(this.granted) };
  }

  /** Numbers of another history mean nothing (CONTRACT.md, EVT-8). */
  #forgetHistory() {
    this.position = undefined;
    this.acknowledged = 0n;
    this.durable = 0n;
    this.returned = 0n;
    if (typeof this.start === 'bigint') this.start = 'acknowledged';
    this.queue.push({ type: 'newHistory' });
    this.onChange();
  }

  /** `from`: the position, or where the program wants to begin (EVT-2, EVT-7). */
  #from() {
    if (this.position !== undefined) return this.position || OLDEST;
    if (this.start === 'acknowledged') return this.name ? 0n : NOW;
    if (this.start === 'now') return NOW;
    return this.start === 'oldest' ? OLDEST : this.start || OLDEST;
  }

  /** SUBSCRIBE_EVENTS was answered. */
  accepted(after) {
    this.state = 'subscribed';
    this.isAccepted = true;
    this.failures = 0;
    if (this.position === undefined || after > this.position) this.position = after;
    this.onChange();
  }

  /** Lets the stream subscribe again, not before `notBefore`: its subscription has ended. */
  lost(notBefore = -Infinity) {
    if (this.state === 'ended') return;
    this.state = 'waiting';
    this.connection = undefined;
    this.pending = undefined;
    this.notBefore = notBefore;
  }

  // Events

  /** Receives an event. Returns false if the server had no credit for it (EVT-4). */
  event(fields) {
    this.received++;
    if (this.received > this.granted) return false;
    const before = this.position ?? 0n;
    if (fields.sequence <= before) {
      this.taken++;
      return true;
    }
    this.position = fields.sequence;
    this.queue.push(fields.kind === 'gap' ? gapBehind(fields, before) : { type: 'event', ...fields });
    this.onChange();
    return true;
  }

  /** Removes and returns the next element; undefined if there is none now. */
  take() {
    const element = this.queue.shift();
    if (element === undefined) return undefined;
    this.taken++;
    if (element.sequence > this.returned) this.returned = element.sequence;
    return element;
  }

  // Credit and acknowledgements

  #nextCredit() {
    return Math.max(0, this.taken + this.window);
  }

  /** True if half of the window is used up: sooner, each event would cost a request (EVT-3). */
  get needsCredit() {
    return this.granted - this.taken <= Math.floor(this.window / 2);
  }

  /** The fields of the EVENT_CREDIT that is due; undefined if none is (EVT-3, EVT-5). */
  creditDue() {
    if (this.state !== 'subscribed' || this.pending !== undefined) return undefined;
    const { needsCredit } = this;
    if (!needsCredit && !this.isRefused && this.isFlushed) return undefined;
    this.isRefused = false;
    if (needsCredit) this.granted = this.#nextCredit();
    this.pending = this.isFlushed ? 0n : this.acknowledged;
    return { subscription: BigInt(this.id), credit: BigInt(this.granted), ack: this.pending };
  }

  /** EVENT_CREDIT was answered. */
  creditAnswered() {
    if (this.pending > this.durable) this.durable = this.pending;
    this.pending = undefined;
    this.failures = 0;
    this.onChange();
  }

  /** EVENT_CREDIT was refused for a time. */
  creditRefused(notBefore) {
    this.pending = undefined;
    this.isRefused = true;
    this.notBefore = notBefore;
  }

  /** Records that the program has processed all events up to the number. */
  acknowledge(sequence) {
    if (sequence > this.returned) throw invalidArgument('sequence', `the stream has not returned event ${sequence}`);
    if (this.name && sequence > this.acknowledged) this.acknowledged = sequence;
  }

  /** True if everything acknowledged is durable. */
  get isFlushed() {
    return this.acknowledged <= this.durable;
  }

  /** Ends the stream. The program gets the error after the elements that are in memory. */
  end(error) {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.error = error;
    this.connection = undefined;
    this.onChange();
  }
}

/** A gap; of one that begins before the position only the rest (EVT-6). */
function gapBehind({ sequence, at, missedFrom, missedTo }, position) {
  return { type: 'gap', sequence, at, missedFrom: missedFrom > position ? missedFrom : position + 1n, missedTo };
}
