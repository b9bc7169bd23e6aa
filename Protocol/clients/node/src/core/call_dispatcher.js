// Long: the decisions about calls and connections share their state.
/**
 * The client without sockets and without a clock: calls, retries, connections and streams (CONTRACT.md, RET,
 * ADR, GO, CRED, CLS).
 *
 * @module
 */
import { ENUMERATIONS } from '../codec/enumerations.js';
import { CarillonError, cannotConnect, closedError, connectionLostError } from '../errors.js';
import { List, Schedule } from './collections.js';
import { ServerSelection } from './server_selection.js';
import { Connection } from './connection.js';
import { LogPosition } from './log_position.js';
import { Session } from './session.js';
import { Streams } from './streams.js';

/**
 * Decides which request is written on which connection and when, and ends each call with one result. `now` is the time
 * of the monotonic clock.
 */
export class CallDispatcher {
  /**
   * @param {import('../options.js').Options} options
   * @param {import('./shell.js').Shell} shell
   */
  constructor(options, shell) {
    this.options = options;
    this.shell = shell;
    this.servers = new ServerSelection(options, shell.random);
    this.streams = new Streams(this);
    this.now = shell.now();
    /** Calls that wait for a connection or for room, in their order. */
    this.waiting = new List();
    /** All calls that have not ended. */
    this.calls = new Schedule();
    this.connectCalls = new Set();
    this.pingCalls = new Set();
    this.requestBytes = 0;
    /** The connection for new requests, or the attempt to open it. */
    this.current = undefined;
    this.draining = new Set();
    /** The answers to HELLO and AUTH of the latest connection. */
    this.server = undefined;
    this.logPosition = new LogPosition();
    this.isReadingKey = false;
    /** True if something has begun to wait since the key was read: the key may be another one by now. */
    this.mayReadKeyAgain = false;
    this.isClosing = false;
    this.closesAt = Infinity;
    this.isClosed = false;
  }

  /** All connections. */
  connections() {
    return this.current === undefined ? [...this.draining] : [this.current, ...this.draining];
  }

  /** True if the process must live on for this client (CONTRACT.md, CLS-4). */
  get isBusy() {
    return this.calls.size > 0 || this.streams.size > 0 || (this.isClosing && !this.isClosed);
  }

  // Calls

  /**
   * Begins a call whose payload is encoded.
   *
   * @param {import('./call.js').Call} call
   */
  begin(call, now) {
    this.now = now;
    call.begunAt = now;
    const connection = this.current;
    const hasRoom = connection !== undefined && this.waiting.size === 0 && connection.session.hasRoom;
    if (this.isClosing) return this.#refuse(call, closedError());
    if (this.requestBytes + call.size > this.options.maximumMemoryBytes
      || (!hasRoom && this.waiting.size >= this.options.maximumWaitingCalls)) {
      return this.#refuse(call, new CarillonError('OVERLOADED', 'too many calls wait', { retryAfter: 100 }));
    }
    this.requestBytes += call.size;
    this.calls.push(call);
    this.mayReadKeyAgain = true;
    if (hasRoom) this.#queue(call, connection);
    else this.waiting.push(call);
    return this.shell.wake();
  }

  /** Begins to wait for the first connection, as `connect` does (ADR-8), or for a round trip. */
  beginWaiting(call, now) {
    this.now = now;
    if (this.isClosing) return this.#refuse(call, closedError());
    if (call.message.name === 'connect' && this.current?.session.phase === 'open') return call.resolve();
    this.calls.push(call);
    this.mayReadKeyAgain = true;
    (call.message.name === 'connect' ? this.connectCalls : this.pingCalls).add(call);
    return this.shell.wake();
  }

  /** Ends a call that the program no longer waits for (DL-5). */
  cancel(call, cause, now) {
    this.now = now;
    this.#giveUp(call, new CarillonError('CANCELLED', 'the call was cancelled', { retryAfter: 0, cause }));
    this.shell.wake();
  }

  /** Ends a call that was not begun. */
  #refuse(call, error) {
    call.state = 'done';
    this.#settle(call, undefined, call.final(error));
  }

  /** Ends a call, whatever its state. If it was written its effect is unknown (DL-4, DL-5, CLS-2). */
  #giveUp(call, error) {
    if (call.isDone) return;
    const { connection, state } = call;
    if (state === 'queued' || state === 'written') connection.session.abandon(call, this.now);
    this.finish(call, undefined, state === 'written' ? error.with({ effect: 'unknown' }) : error);
    if (connection !== undefined) this.#dropIfDrained(connection);
  }

  /** Ends a call with an answer or an error. */
  finish(call, answer, error) {
    if (call.list !== undefined) call.list.remove(call);
    if (call.place >= 0) this.calls.remove(call);
    if (call.message.opcode === undefined) {
      this.connectCalls.delete(call);
      this.pingCalls.delete(call);
    }
    this.requestBytes -= call.size;
    call.state = 'done';
    this.#settle(call, answer, error === undefined ? undefined : call.final(error));
  }

  /** Reports the end of a call, and gives the program its answer or its error. */
  #settle(call, answer, error) {
    if (this.options.onCall !== undefined && call.message.opcode !== undefined) {
      this.shell.report('onCall', { operation: call.operation, address: call.connection?.address,
        duration: this.now - call.begunAt, attempts: call.attempts, code: error?.code,
        effect: error?.effect ?? (call.isReadOnly ? 'not_executed' : 'executed') });
    }
    call.onEnd?.();
    if (error === undefined) call.resolve(answer);
    else call.reject(error);
  }

  /** Ends a call whose deadline has passed, with the error that says most about why (DL-3, DL-4). */
  #expired(call) {
    const isOpen = this.current?.session.phase === 'open';
    const noAnswer = new CarillonError('NO_ANSWER', 'no answer before the deadline', { retryAfter: 0 });
    if (call.state === 'written') this.#giveUp(call, noAnswer);
    else if (call.failures !== undefined) this.#giveUp(call, call.failures.lastError);
    else this.#giveUp(call, isOpen ? noAnswer : this.servers.timeout());
  }

  /** Hands a call to the session, or ends it if the server cannot take it or may have forgotten its key (RET-4). */
  #queue(call, connection) {
    const refusal = connection.session.refusalOf(call);
    if (refusal !== undefined) {
      this.finish(call, undefined, refusal);
    } else if (!call.keyIsKnown(connection.session.hello, this.now)) {
      call.failures.isKeyForgotten = true;
      this.finish(call, undefined, call.failures.lastError);
    } else {
      call.connection = connection;
      connection.session.request(call);
    }
  }

  // Time

  /** When `run` has something to do; Infinity if never. */
  nextTime() {
    let next = Math.min(this.calls.first?.due ?? Infinity, this.closesAt, this.streams.nextTime());
    for (const connection of this.connections()) {
      next = Math.min(next, connection.session.phase === 'open' ? connection.session.nextTime() : connection.givesUpAt);
      if (this.pingCalls.size > 0 && connection.hasOpened) {
        next = Math.min(next, connection.session.lastPing + connection.session.hello.pingIntervalMs);
      }
    }
    return this.#wantsConnection() && !this.isReadingKey ? Math.min(next, this.servers.nextTime()) : next;
  }

  /** Does everything that is due. */
  run(now) {
    this.now = now;
    while (this.calls.first?.due <= now) {
      const call = this.calls.first;
      if (call.state === 'pausing' && now < call.deadline) this.#resume(call);
      else this.#expired(call);
    }
    for (const connection of this.connections()) {
      if (connection.session.phase === 'open') connection.session.tick(now);
      else if (now >= connection.givesUpAt) {
        this.#connectionEnded(connection, cannotConnect('the server does not answer in time'));
      }
    }
    this.streams.expire(now);
    if (this.isClosing) this.#finishClosing();
    this.#sendWaiting();
  }

  /** Ends the pause after a failed attempt: the call waits for room. */
  #resume(call) {
    this.calls.remove(call);
    call.due = call.deadline;
    this.calls.push(call);
    call.state = 'waiting';
    this.waiting.push(call);
  }

  /** Connects if that is needed, and queues what there is room for. */
  #sendWaiting() {
    if (this.current === undefined) this.#connectIfNeeded();
    const connection = this.current;
    if (connection === undefined || connection.session.phase !== 'open') return;
    const { session } = connection;
    this.streams.sendDue(connection);
    if (this.pingCalls.size > 0 && session.mayPing(this.now)) session.sendPing(this.now);
    while (this.waiting.size > 0 && session.hasRoom) this.#queue(this.waiting.shift(), connection);
  }

  // Connections

  /** True if something waits for a connection, and there is none. */
  #wantsConnection() {
    if (this.current !== undefined || this.isClosed) return false;
    return this.waiting.size > 0 || this.connectCalls.size > 0 || this.pingCalls.size > 0
      || this.streams.wantConnection(this.now);
  }

  /** Begins to connect, with reading the key, if something waits and an address may be tried. */
  #connectIfNeeded() {
    if (this.isReadingKey || !this.#wantsConnection()) return;
    this.servers.liftByTime(this.now);
    if (this.servers.canConnect(this.now) || (this.servers.couldUseAnotherKey && this.mayReadKeyAgain)) {
      this.mayReadKeyAgain = false;
      this.isReadingKey = true;
      this.shell.readKey((key, error) => this.#keyRead(key, error));
    } else if (this.servers.areAllRefused) {
      this.#failAll(this.servers.refusal);
    }
  }

  /** Connects to the next address with the key that was read; without a key the attempt fails. */
  #keyRead(key, error) {
    this.isReadingKey = false;
    this.now = this.shell.now();
    if (this.isClosed) return;
    if (error === undefined) this.servers.liftByKey(key);
    if (this.servers.areAllRefused) this.#failAll(this.servers.refusal);
    const target = this.#wantsConnection() ? this.servers.next(this.now) : undefined;
    if (target === undefined) return;
    const session = new Session(this.options, key, this.now, this);
    const connection = new Connection(target, session, this.now + this.options.connectTimeout);
    this.current = connection;
    this.#report({ state: 'connecting', address: connection.address });
    if (error === undefined) this.shell.connect(connection);
    else this.#connectionEnded(connection, cannotConnect(`the key cannot be read: ${error.message}`, { cause: error }));
    this.shell.wake();
  }

  /** Ends everything that waits for a connection. */
  #failAll(error) {
    for (const call of [...this.waiting, ...this.connectCalls, ...this.pingCalls]) this.finish(call, undefined, error);
    this.streams.failWaiting(error);
  }

  #report(state) {
    if (this.options.onState !== undefined) this.shell.report('onState', state);
  }

  /** Bytes have come. */
  received(connection, chunk, now) {
    if (connection.hasEnded) return;
    this.now = now;
    connection.session.receive(chunk, now);
    this.#dropIfDrained(connection);
    this.shell.wake();
  }

  /** The connection has ended, or could not be made; without an error the server has closed it. */
  ended(connection, error, now) {
    this.now = now;
    if (error === undefined && connection.session.isVersionRefused) {
      this.#connectionEnded(connection,
        new CarillonError('UNSUPPORTED_VERSION', 'the server speaks no version of this client'));
    } else {
      this.#connectionEnded(connection, error ?? connectionLostError('the server has closed the connection'));
    }
    this.shell.wake();
  }

  /** Forgets a connection and closes its socket. */
  #drop(connection, isOrderly) {
    connection.hasEnded = true;
    connection.session.phase = 'closed';
    this.draining.delete(connection);
    if (this.current === connection) this.current = undefined;
    this.shell.disconnect(connection, isOrderly);
  }

  /** Closes a draining connection that has nothing more to do (GO-4). */
  #dropIfDrained(connection) {
    if (!this.draining.has(connection)) return;
    if (connection.session.isIdle && !connection.session.hasOutput) this.#drop(connection, true);
  }

  /**
   * Ends a connection that is gone. The error is that of the named call; of the others the effect is unknown (ERR-6).
   */
  #connectionEnded(connection, error, named) {
    if (connection.hasEnded) return;
    const wasCurrent = this.current === connection;
    const { hasWorked } = connection.session;
    this.#drop(connection, false);
    this.#attemptsLost(connection, error, named);
    if (wasCurrent) {
      this.#report({ state: connection.hasOpened ? 'disconnected' : 'failed', address: connection.address, error });
    }
    if (error.retryAfter === undefined && !connection.hasOpened) {
      this.#refuseTarget(connection, error);
    } else if (error.retryAfter > 0 && (error.scope === 'connection' || !connection.hasOpened)) {
      this.servers.ruleOut(connection.target, this.now + error.retryAfter);
    }
    if (wasCurrent && !hasWorked) this.#attemptOfRoundFailed(connection, error);
  }

  /** Records that an address refuses this client, and reports it. */
  #refuseTarget(connection, error) {
    this.servers.refuse(connection.target, error, connection.session.key, this.now);
    this.#report({ state: 'refused', address: connection.address, error });
  }

  /**
   * Records that a connection has ended before it has worked. After the last of a round the `connect` calls fail
   * (ADR-8).
   */
  #attemptOfRoundFailed(connection, error) {
    const result = this.servers.failed(connection.target, error, this.now);
    if (result === undefined) return;
    this.mayReadKeyAgain = true;
    for (const call of [...this.connectCalls]) this.finish(call, undefined, result);
  }

  /** Ends the attempts on a connection that is gone: each call is queued again or ends. */
  #attemptsLost(connection, error, named) {
    const lost = error.code === 'CONNECTION_LOST' ? error : connectionLostError(`${error.code}: ${error.message}`);
    const again = [];
    for (const call of connection.session.outstanding.values()) {
      if (call.isDone || call.stream !== undefined) continue;
      if (call.state === 'queued') again.push(call);
      else if (call === named) this.#attemptFailed(call, error);
      else if (this.#recordFailure(call, lost)) again.push(call);
      else this.finish(call, undefined, lost);
    }
    this.#requeue(again);
    this.streams.lost(connection);
  }

  /** Puts calls before those that wait, which began later; in their order (RET-6). */
  #requeue(calls) {
    for (const call of calls.reverse()) {
      if (call.list !== undefined) call.list.remove(call);
      call.state = 'waiting';
      this.waiting.unshift(call);
    }
    if (!this.isClosing) return;
    for (const call of calls) this.finish(call, undefined, closedError());
  }

  /** Records a failed attempt of a call; returns whether the call may make another one. */
  #recordFailure(call, error) {
    call.record(error);
    return !this.isClosing && call.mayRepeat(error, this.options.maximumAttempts);
  }

  /**
   * Lets a call pause for another attempt after an error of the server; ends it if a repetition could do harm, or would
   * come after the deadline (RET-1).
   */
  #attemptFailed(call, error) {
    const mayRepeat = this.#recordFailure(call, error);
    const pause = (error.retryAfter ?? 0) + this.servers.randomPause(Math.max(1, call.attempts));
    if (!mayRepeat || this.now + pause >= call.deadline) {
      this.finish(call, undefined, error);
      return;
    }
    this.#reportRetry(call, error, pause);
    this.calls.remove(call);
    call.due = this.now + pause;
    this.calls.push(call);
    call.state = 'pausing';
  }

  #reportRetry(call, error, pause) {
    if (this.options.onRetry === undefined) return;
    this.shell.report('onRetry', { operation: call.operation, attempt: call.attempts, pause, error });
  }

  /** The error of a `flush` whose stream has ended without an error. */
  endedError() {
    return this.isClosing ? closedError() : new CarillonError('CANCELLED', 'the stream was closed', { retryAfter: 0 });
  }

  // What sessions say

  /** The handshake is done: the connection takes requests. */
  opened(session) {
    const { connection } = session;
    connection.hasOpened = true;
    this.servers.opened(connection.target);
    const { software, epoch } = session.hello;
    const before = this.server?.hello.epoch;
    this.server = { hello: session.hello, auth: session.auth };
    this.#report({ state: 'connected', address: connection.address, software, epoch });
    if (before !== undefined && before !== epoch) {
      this.#report({ state: 'newHistory', address: connection.address, epoch, previousEpoch: before });
    }
    this.logPosition.send(connection.session);
    for (const call of [...this.connectCalls]) this.finish(call);
  }

  /** Keeps the position that a node has sent (POS-2). */
  positionReceived(session, number) {
    this.logPosition.reported(session, number, this.current?.session);
  }

  /** Keeps a position that the program has from another client (POS-4). */
  readAfter(seen) {
    this.logPosition.readAfter(seen, this.current?.session);
  }

  /** The connection has worked (CON-15): the next round of attempts begins without a pause. */
  worked(session) {
    if (session.connection === this.current) this.servers.worked();
  }

  answered(session, call, answer) {
    if (call.stream !== undefined) this.streams.answered(call, answer);
    else this.finish(call, answer);
  }

  /** A request was answered with an error. */
  refused(session, call, error) {
    const { connection } = session;
    if (error.code === 'DRAINING') this.#drain(connection, error.retryAfter ?? 0, error.message);
    if (call.stream !== undefined) {
      this.streams.refused(call, error);
    } else if (error.code === 'DRAINING' && this.#recordFailure(call, error)) {
      this.#reportRetry(call, error, 0);
      this.#requeue([call]);
    } else {
      this.#attemptFailed(call, error);
    }
    if (error.code === 'BEHIND' && connection === this.current && this.options.addresses.length > 1) {
      // The node lacks what this client has seen; another one may have it (POS-5).
      this.#drain(connection, error.retryAfter ?? 0, error.message);
    }
  }

  eventReceived(session, id, fields) {
    this.streams.event(session.connection, id, fields);
  }

  /** A PING was answered: every `ping` that waits has its end. */
  pong() {
    for (const call of [...this.pingCalls]) this.finish(call);
  }

  /** The session has ended with an error; it is that of the named call, if there is one. */
  failed(session, error, named) {
    this.#connectionEnded(session.connection, error, named);
  }

  /** Obeys a GOAWAY: the requests above `lastId` were not executed, and wait for another connection. */
  goaway(session, { lastId, code, reconnectAfterMs, reason }) {
    const { connection } = session;
    if (ENUMERATIONS.code[code] === 'AUTHENTICATION_FAILED' && connection.target.refusal === undefined) {
      this.#refuseTarget(connection, new CarillonError('AUTHENTICATION_FAILED', reason));
    }
    this.#callsNotExecuted(session, lastId);
    this.#drain(connection, reconnectAfterMs, reason);
  }

  /** Queues the requests above the last id of a GOAWAY again, and those that were not written yet. */
  #callsNotExecuted(session, lastId) {
    const again = [];
    for (const call of [...session.outstanding.values()]) {
      const isAbove = BigInt(call.id) > lastId;
      if (!isAbove && call.state !== 'queued') continue;
      session.forget(call);
      if (call.isDone) session.abandonedCount--;
      if (call.state === 'written') call.attempts--;
      if (!call.isDone && call.stream === undefined) again.push(call);
    }
    this.#requeue(again);
  }

  /**
   * Writes no new request on a connection, because its server is going to close it (GO-1), and does not connect to its
   * address for the time that the server has asked for (GO-2).
   */
  #drain(connection, wait, reason) {
    connection.session.isDraining = true;
    this.servers.ruleOut(connection.target, this.now + wait);
    this.streams.lost(connection);
    if (this.current !== connection) return;
    this.current = undefined;
    this.draining.add(connection);
    this.#report({ state: 'draining', address: connection.address, reason });
    if (!connection.session.hasWorked) {
      this.#attemptOfRoundFailed(connection, new CarillonError('DRAINING', reason, { retryAfter: wait }));
    }
  }

  // Closing

  /** Accepts no more calls; those on an open connection have this time to end (CLS-1). */
  close(drainTimeout, now) {
    if (this.isClosing) return;
    this.now = now;
    this.isClosing = true;
    this.closesAt = now + drainTimeout;
    const isOpen = this.current?.session.phase === 'open';
    for (const call of this.calls.elements) {
      if (call.state === 'pausing' || (call.state === 'waiting' && !isOpen)) this.#giveUp(call, closedError());
    }
    this.streams.close();
    this.shell.wake();
  }

  /** Ends what is left when the time of `close` is over, and closes when nothing is left. */
  #finishClosing() {
    if (this.isClosed) return;
    if (this.now >= this.closesAt) {
      for (const call of this.calls.elements) this.#giveUp(call, closedError());
      this.streams.endAll();
    }
    if (this.current?.session.phase !== 'open') this.streams.endAll();
    if (this.calls.size > 0 || this.streams.size > 0) return;
    this.isClosed = true;
    this.closesAt = Infinity;
    for (const connection of this.connections()) this.#drop(connection, true);
    this.#report({ state: 'closed' });
  }
}
