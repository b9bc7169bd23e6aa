package carillon

import (
	"context"
	"errors"
	"time"
)

// This file decides what becomes of calls: waiting, writing, answers, retries, deadlines. All its methods are called
// under the client's lock and do nothing that blocks.

const (
	maximumWriteBytes = 64 << 10
	overloadedPause   = 100 * time.Millisecond
)

// enqueue lets a call wait for a connection and for room, unless too many calls wait or their requests have too many
// bytes (CONTRACT.md, PIP-6).
func (c *Client) enqueue(call *pendingCall) *Error {
	waiting := c.waiting.count
	if c.current != nil {
		waiting -= c.current.session.room()
	}
	if waiting >= c.settings.maximumWaitingCalls {
		return failure(ErrOverloaded, NotExecuted, overloadedPause, "%d calls wait already", waiting)
	}
	if c.requestBytes+len(call.frame) > c.settings.maximumMemoryBytes {
		return failure(ErrOverloaded, NotExecuted, overloadedPause,
			"the requests of all calls have %d bytes", c.requestBytes)
	}
	c.requestBytes += len(call.frame)
	call.isCounted = true
	c.waiting.pushBack(call)
	return nil
}

// finish ends a call with its result.
func (c *Client) finish(call *pendingCall, err *Error) {
	if call.state == callDone {
		return
	}
	if err != nil {
		call.err = call.final(err)
	}
	c.schedule.remove(call)
	c.waiting.remove(call)
	call.state = callDone
	if call.onEnd != nil {
		call.onEnd(call.err)
		return
	}
	if call.isCounted {
		c.requestBytes -= len(call.frame)
	}
	if call.opcode == 0 {
		c.connectCalls, c.pingCalls = without(c.connectCalls, call), without(c.pingCalls, call)
	}
	c.activeCount--
	call.nextDone, c.finished = c.finished, call
}

// copyOf returns a list that stays as it is while the original changes.
func copyOf[T any](list []T) []T { return append([]T(nil), list...) }

func without[T comparable](list []T, value T) []T {
	for index, each := range list {
		if each == value {
			return append(list[:index:index], list[index+1:]...)
		}
	}
	return list
}

// Writing

// nextWrite returns the bytes of the next write: what the session has to say, then the calls that there is room for
// (PIP-3).
func (c *Client) nextWrite(conn *connection, now time.Duration) []byte {
	data := append(conn.buffer[:0], conn.session.control...)
	conn.session.control = conn.session.control[:0]
	wasIdle := conn.session.oldest == nil
	for c.current == conn && conn.session.room() > 0 {
		call := c.waiting.first
		if call == nil || len(data) > 0 && len(data)+len(call.frame) > maximumWriteBytes {
			break
		}
		if err := c.writeRefusal(call, conn, now); err != nil {
			c.finish(call, err)
			continue
		}
		c.waiting.remove(call)
		data = conn.writeCall(data, call, now)
	}
	if wasIdle && conn.session.oldest != nil {
		c.setTimer(conn.session.due(), now)
	}
	conn.buffer = data[:0]
	return data
}

// writeCall appends the request of a call, and begins an attempt.
func (conn *connection) writeCall(data []byte, call *pendingCall, now time.Duration) []byte {
	if call.deadlineAt > 0 {
		setDeadline(call.frame, call.deadlineAt, call.deadline-now)
	}
	call.exchange = exchange{opcode: call.opcode, answer: call.answer, call: call}
	call.attemptWritten(conn, now)
	return conn.session.write(data, &call.exchange, call.frame, now)
}

// writeRefusal returns why a call ends before it is written on this connection; nil if it may be written.
func (c *Client) writeRefusal(call *pendingCall, conn *connection, now time.Duration) *Error {
	if err := conn.session.refusal(call.opcode, call.frame); err != nil {
		return err
	}
	// A server that could have forgotten the key would send twice (RET-4).
	if call.effect == EffectUnknown && call.repetition.key != (Key{}) && !call.repetition.isReadOnly {
		server := &conn.session.server
		if server.Epoch != call.firstEpoch || now-call.firstWritten >= server.IdempotencyWindow {
			call.isKeyForgotten = true
			return call.lastError
		}
	}
	return nil
}

// sendWaiting connects if that is needed, and lets the connection write what there is room for.
func (c *Client) sendWaiting(now time.Duration) {
	for _, each := range c.streams {
		each.sendDue(now)
	}
	conn := c.current
	if conn == nil {
		c.connectIfNeeded(now)
		return
	}
	session := conn.session
	if session.phase == phaseOpen && len(c.pingCalls) > 0 && !session.isPinging {
		c.pingWhenAllowed(session, now)
	}
	if len(session.control) > 0 || c.waiting.first != nil && session.room() > 0 {
		conn.wakeWriter()
	}
}

// pingWhenAllowed writes a PING for the calls of Ping, now or when the server allows it (CON-12).
func (c *Client) pingWhenAllowed(session *session, now time.Duration) {
	at := session.pingAllowed()
	if now >= at {
		session.ping(now)
		at = session.due()
	}
	c.setTimer(at, now)
}

// Results

// exchangeEnded decides what follows the answer to a request (sessionOwner).
func (conn *connection) exchangeEnded(ended *exchange, err *Error) {
	c, call := conn.client, ended.call
	switch {
	case call == nil: // its answer was of no interest
	case call.onEnd != nil:
		c.finish(call, err)
		if err != nil && err.Code == ErrDraining {
			c.drain(conn, err.RetryAfter, err.Message)
		}
	case err == nil:
		c.finish(call, nil)
	case err.Code == ErrDraining:
		// The server takes no new requests: this one goes to the next connection without a pause (GO-6).
		c.drain(conn, err.RetryAfter, err.Message)
		if c.recordFailure(call, err) {
			c.requeue(call)
		}
	default:
		c.attemptFailed(call, err, err.RetryAfter)
	}
	if err != nil && err.Code == ErrBehind && c.current == conn && len(c.targets) > 1 {
		// The node lacks what this client has seen; another one may have it (POS-5).
		c.drain(conn, err.RetryAfter, err.Message)
	}
}

// recordFailure remembers why an attempt has failed, and returns true if the request is to be made again; otherwise it
// ends the call.
func (c *Client) recordFailure(call *pendingCall, err *Error) bool {
	if call.mayRepeat(err, c.settings.maximumAttempts) && !c.isClosing {
		call.lastError, call.effect = err, worst(call.effect, err.Effect)
		return true
	}
	c.finish(call, err)
	return false
}

// attemptFailed lets a call make another attempt after a pause (RET-5), or ends it.
func (c *Client) attemptFailed(call *pendingCall, err *Error, retryAfter time.Duration) {
	if !c.recordFailure(call, err) {
		return
	}
	now := c.now()
	pause := retryAfter + c.randomPause(call.attempts)
	if pause >= call.deadline-now {
		c.finish(call, err)
		return
	}
	call.state = callPausing
	call.dueAt = now + pause
	c.schedule.fix(call.index)
	c.setTimer(call.dueAt, now)
	c.reports.retry(RetryReport{
		Operation: operationOf(call.opcode), Attempt: call.attempts, Pause: pause, Err: call.final(err)})
}

// requeue lets a call wait for the next connection, ahead of calls that were not written yet, because they began later
// (RET-6).
func (c *Client) requeue(call *pendingCall) {
	call.state = callWaiting
	c.waiting.pushFront(call)
	c.reports.retry(RetryReport{
		Operation: operationOf(call.opcode), Attempt: call.attempts, Err: call.final(call.lastError)})
}

// randomPause returns the random part of a pause: it spreads clients that were refused at the same moment (RET-5).
func (c *Client) randomPause(attempt int) time.Duration {
	whole := c.settings.maximumBackoff
	if attempt < 1 {
		attempt = 1
	}
	if shift := uint(attempt - 1); shift < 30 && c.settings.backoff<<shift < whole && c.settings.backoff<<shift > 0 {
		whole = c.settings.backoff << shift
	}
	return whole/2 + time.Duration(c.random.Int63n(int64(whole-whole/2)+1))
}

// attemptsLost ends the attempts of a connection that has ended. Its error is that of the request with this id, if
// it is not 0; of the others the effect is unknown.
func (c *Client) attemptsLost(conn *connection, err *Error, requestID uint64) {
	lost := err
	if err.Code != ErrConnectionLost {
		lost = connectionLost("the connection has ended: %s: %s", err.Code, err.Message)
	}
	var repeated []*pendingCall
	for oldest := conn.session.oldest; oldest != nil; oldest = conn.session.oldest {
		conn.session.forget(oldest)
		call := oldest.call
		switch {
		case call == nil || call.onEnd != nil: // a stream has taken its requests back
		case requestID != 0 && oldest.id == requestID:
			// Its retry_after rules out the address (ADR-6): another one may be asked at once.
			c.attemptFailed(call, err, 0)
		case c.recordFailure(call, lost):
			repeated = append(repeated, call)
		}
	}
	for index := len(repeated) - 1; index >= 0; index-- {
		c.requeue(repeated[index])
	}
}

// callsNotExecuted lets requests above the last id of a GOAWAY wait for the next connection: the server has not
// executed them (GO-3).
func (c *Client) callsNotExecuted(conn *connection, lastID uint64) {
	var above []*pendingCall
	for newest := conn.session.newest; newest != nil && newest.id > lastID; newest = conn.session.newest {
		conn.session.forget(newest)
		if newest.call != nil {
			above = append(above, newest.call)
		} else {
			conn.session.abandonedCount--
			conn.session.stuckSince = 0
		}
	}
	for _, call := range above {
		call.attempts--
		if call.attempts == 0 {
			call.firstWritten = 0
		}
		call.state = callWaiting
		c.waiting.pushFront(call)
		if c.isClosing {
			c.finish(call, closedError())
		}
	}
}

// Ends

// expire ends a call whose deadline has passed, with the error that says most: a request that is written may have taken
// effect (DL-4), else the error of the last attempt, or why there is no connection (DL-3).
func (c *Client) expire(call *pendingCall, now time.Duration) {
	err := contextError(context.DeadlineExceeded, NotExecuted)
	isOpen := c.current != nil && c.current.session.phase == phaseOpen
	switch {
	case call.state == callWritten:
		err.Effect = EffectUnknown
	case call.lastError != nil:
		err = call.lastError
	case !isOpen:
		err = c.rounds.cannotConnect()
		err.cause = context.DeadlineExceeded
	}
	c.giveUp(call, err, now)
}

// cancel ends a call whose context has ended; if it is written, its effect is unknown (DL-5).
func (c *Client) cancel(call *pendingCall, cause error, now time.Duration) {
	switch {
	case call.state == callDone:
	case errors.Is(cause, context.DeadlineExceeded):
		c.expire(call, now)
	case call.state == callWritten:
		c.giveUp(call, contextError(cause, EffectUnknown), now)
	default:
		c.giveUp(call, contextError(cause, NotExecuted), now)
	}
	c.sendWaiting(now)
}

// giveUp ends a call before its answer has come. The answer is ignored later.
func (c *Client) giveUp(call *pendingCall, err *Error, now time.Duration) {
	if call.state == callWritten {
		c.abandon(call, now)
	}
	c.finish(call, err)
}

// abandon lets the session ignore the answer to a written request.
func (c *Client) abandon(call *pendingCall, now time.Duration) {
	call.isAbandoned = true
	call.connection.session.abandon(&call.exchange, now)
	c.setTimer(call.connection.session.due(), now)
	c.dropIfDrained(call.connection)
}

// Time

// setTimer lets the timer fire at a time, unless it fires sooner.
func (c *Client) setTimer(at, now time.Duration) {
	if at < c.timerAt && !c.isClosed {
		c.timerAt = at
		c.timer.Reset(at - now)
	}
}

// timerFired is called by the timer.
func (c *Client) timerFired() {
	c.mu.Lock()
	c.timerAt = forever
	c.performDue(c.now())
	c.unlock()
}

// performDue does everything that is due, and sets the timer for what comes next.
func (c *Client) performDue(now time.Duration) {
	for len(c.schedule) > 0 && c.schedule[0].dueAt <= now {
		call := c.schedule[0]
		if call.state != callPausing || call.deadline <= now {
			c.expire(call, now)
			continue
		}
		call.state, call.dueAt = callWaiting, call.deadline
		c.schedule.fix(0)
		c.waiting.pushBack(call)
	}
	for _, each := range copyOf(c.streams) {
		each.endIfUnsubscribed()
	}
	for _, conn := range c.allConnections() {
		if fault := conn.performDue(now); fault != nil {
			c.connectionEnded(conn, fault.err, fault.requestID)
		}
	}
	if c.isClosing {
		c.finishClosing(now)
	}
	c.sendWaiting(now)
	c.setTimer(c.due(now), now)
}

// due returns when performDue has something to do.
func (c *Client) due(now time.Duration) time.Duration {
	at := forever
	earlier := func(candidate time.Duration) {
		if candidate < at {
			at = candidate
		}
	}
	if len(c.schedule) > 0 {
		earlier(c.schedule[0].dueAt)
	}
	for _, each := range c.streams {
		earlier(each.due(now))
	}
	for _, conn := range c.allConnections() {
		earlier(conn.due())
	}
	if c.current == nil && !c.isConnecting && c.wantsConnection(now) {
		earlier(c.connectionDue(now))
	}
	if c.isClosing && !c.isClosed {
		earlier(c.closesAt)
	}
	return at
}

// Closing

// close accepts no more calls, and ends those that are not on an open connection; the others have the drain timeout
// (CLS-1).
func (c *Client) close(now time.Duration) {
	if c.isClosing {
		return
	}
	c.isClosing, c.closesAt = true, now+c.settings.drainTimeout
	if c.current == nil || c.current.session.phase != phaseOpen {
		for c.waiting.first != nil {
			c.finish(c.waiting.first, closedError())
		}
		for _, each := range copyOf(c.pingCalls) {
			c.finish(each, closedError())
		}
	}
	for _, each := range copyOf(c.connectCalls) {
		c.finish(each, closedError())
	}
	for _, each := range copyOf(c.schedule) {
		if each.state == callPausing {
			c.finish(each, closedError())
		}
	}
	for _, each := range c.streams {
		each.isClosing = true
	}
	c.performDue(now)
}

// finishClosing ends what is left when the time is over (CLS-2), and the connections when nothing is left (CLS-3).
func (c *Client) finishClosing(now time.Duration) {
	isOpen := c.current != nil && c.current.session.phase == phaseOpen
	if !isOpen || now >= c.closesAt {
		for _, each := range copyOf(c.streams) {
			each.end(nil)
		}
	}
	for !isOpen && c.waiting.first != nil {
		c.finish(c.waiting.first, closedError())
	}
	if now >= c.closesAt {
		c.endRemaining(now)
	}
	if c.activeCount > 0 || len(c.streams) > 0 || c.isClosed {
		return
	}
	c.isClosed = true
	c.timer.Stop()
	for _, conn := range c.allConnections() {
		c.drop(conn)
	}
	c.endLifetime()
	c.reports.state(StateReport{State: StateClosed})
	go func() {
		c.running.Wait()
		close(c.closed)
	}()
}

// endRemaining ends the calls that are left when the drain timeout has passed.
func (c *Client) endRemaining(now time.Duration) {
	for _, each := range copyOf(c.schedule) {
		err := closedError()
		if each.state == callWritten {
			err.Effect = EffectUnknown
		}
		c.giveUp(each, err, now)
	}
}
