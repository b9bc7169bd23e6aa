/**
 * The streams of a client: their requests on the connection of the moment (CONTRACT.md, EVT-7, EVT-10, EVT-11).
 *
 * @module
 */
import { MESSAGES } from '../codec/messages.js';
import { CarillonError } from '../errors.js';
import { Call } from './call.js';

const ignore = () => {};
const noAnswer = () => new CarillonError('NO_ANSWER', 'the subscription was not accepted in time', { retryAfter: 0 });

/** All streams that have not ended. */
export class Streams {
  /** @param {import('./call_dispatcher.js').CallDispatcher} dispatcher */
  constructor(dispatcher) {
    this.dispatcher = dispatcher;
    this.all = new Set();
  }

  get size() {
    return this.all.size;
  }

  /** Begins a stream. */
  add(subscription, now) {
    this.dispatcher.now = now;
    this.dispatcher.mayReadKeyAgain = true;
    this.all.add(subscription);
    this.dispatcher.shell.wake();
  }

  /** Sends the last acknowledgement, then ends the stream (EVT-11). */
  finish(subscription) {
    subscription.isClosing = true;
    if (subscription.state === 'waiting') this.end(subscription);
    else this.dispatcher.shell.wake();
  }

  /** True if a stream needs a connection now. */
  wantConnection(now) {
    for (const each of this.all) {
      if (each.state === 'waiting' && each.notBefore <= now && !each.isClosing) return true;
    }
    return false;
  }

  /** When `expire` or `sendDue` has something to do. */
  nextTime() {
    let next = Infinity;
    for (const each of this.all) {
      if (!each.isAccepted) next = Math.min(next, each.deadline);
      if (each.notBefore > this.dispatcher.now) next = Math.min(next, each.notBefore);
    }
    return next;
  }

  /** Ends the streams that were not accepted in time. */
  expire(now) {
    for (const each of this.all) {
      if (each.isAccepted || now < each.deadline) continue;
      const isOpen = this.dispatcher.current?.session.phase === 'open';
      this.end(each, each.lastError ?? (isOpen ? noAnswer() : this.dispatcher.servers.timeout()));
    }
  }

  /** Ends a stream. The program gets the error after the elements that are in memory. */
  end(subscription, error) {
    this.all.delete(subscription);
    if (subscription.connection !== undefined) subscription.connection.subscriptions.delete(subscription.id);
    subscription.end(error);
  }

  /** Makes the requests that are due on an open connection. */
  sendDue(connection) {
    for (const each of this.all) {
      if (!connection.session.hasRoom) return;
      if (each.notBefore > this.dispatcher.now) continue;
      if (each.state === 'waiting') this.#subscribe(each, connection);
      else if (each.state === 'subscribed' && each.connection === connection) this.#credit(each, connection);
    }
  }

  /** The program has taken an element: credit is granted at once, acknowledgements go out together. */
  taken(subscription) {
    const { connection, needsCredit, notBefore } = subscription;
    const maySend = connection?.session.hasRoom && notBefore <= this.dispatcher.now;
    if (maySend && needsCredit && subscription.state === 'subscribed') {
      this.#credit(subscription, connection);
    }
    this.dispatcher.shell.wake();
  }

  #request(name, fields, subscription, connection) {
    const call = new Call(MESSAGES[name], Infinity, ignore, ignore);
    call.encode(fields);
    call.stream = subscription;
    call.connection = connection;
    connection.session.request(call);
    return call.id;
  }

  #subscribe(subscription, connection) {
    const fields = subscription.begin(connection.session.hello.epoch);
    subscription.connection = connection;
    subscription.id = this.#request('subscribe_events', fields, subscription, connection);
    connection.subscriptions.set(subscription.id, subscription);
  }

  #credit(subscription, connection) {
    const credit = subscription.isClosing && subscription.isFlushed ? undefined : subscription.creditDue();
    if (credit !== undefined) {
      this.#request('event_credit', credit, subscription, connection);
    } else if (subscription.isClosing && subscription.isFlushed && subscription.pending === undefined) {
      subscription.pending = 0n;
      connection.subscriptions.delete(subscription.id);
      this.#request('unsubscribe_events', { subscription: BigInt(subscription.id) }, subscription, connection);
    }
  }

  /** Takes the answer to a request of a stream. */
  answered(call, answer) {
    const { stream, connection } = call;
    const { name } = call.message;
    if (stream.connection !== connection) {
      // The program no longer waits for it: the subscription must not remain.
      const isLate = name === 'subscribe_events' && connection.session.hasRoom;
      if (isLate) this.#request('unsubscribe_events', { subscription: BigInt(call.id) }, stream, connection);
    } else if (name === 'subscribe_events') {
      stream.accepted(answer.after);
    } else if (name === 'event_credit') {
      stream.creditAnswered();
    } else {
      this.end(stream);
    }
  }

  /** Ends a stream whose request was refused, or tries again after a pause (EVT-10). */
  refused(call, error) {
    const { stream, connection } = call;
    if (stream.connection !== connection) return;
    const { name } = call.message;
    const isGone = name === 'event_credit' && error.code === 'NOT_FOUND';
    if (name === 'unsubscribe_events' || (error.retryAfter === undefined && !isGone)) {
      this.end(stream, name === 'unsubscribe_events' ? undefined : error);
      return;
    }
    stream.lastError = error;
    stream.failures++;
    const { now, servers } = this.dispatcher;
    const notBefore = now + (error.retryAfter ?? 0) + servers.randomPause(stream.failures);
    if (name === 'event_credit' && !isGone) {
      stream.creditRefused(notBefore);
      return;
    }
    connection.subscriptions.delete(stream.id);
    stream.lost(notBefore);
  }

  /** Passes an event on to its stream. */
  event(connection, id, fields) {
    const stream = connection.subscriptions.get(id);
    if (stream === undefined || stream.connection !== connection) return;
    if (!stream.event(fields)) connection.session.fault('the server has sent more events than the credit allows');
  }

  /** Lets the streams of a connection that has ended, or drains, go on at the next one (EVT-7). */
  lost(connection) {
    for (const each of this.all) {
      if (each.connection !== connection) continue;
      if (each.isClosing) this.end(each);
      else each.lost();
    }
    connection.subscriptions.clear();
  }

  /** Ends the streams that wait for a connection. */
  failWaiting(error) {
    for (const each of this.all) {
      if (each.state === 'waiting') this.end(each, error);
    }
  }

  /** The client is closed: each stream ends after its last acknowledgement. */
  close() {
    for (const each of this.all) this.finish(each);
  }

  /** Ends all streams without an error. */
  endAll() {
    for (const each of [...this.all]) this.end(each);
  }
}
