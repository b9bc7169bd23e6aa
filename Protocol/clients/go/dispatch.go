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

// accept lets a call wait for a connection and for room, unless too many calls wait or their requests have too many
// bytes (CONTRACT.md, PIP-6).
func (c *Client) accept(p *pendingCall, _ time.Duration) *Error {
	waiting := c.waiting.count
	if c.current != nil {
		waiting -= c.current.session.room()
	}
	if waiting >= c.settings.maximumWaitingCalls {
		return failure(ErrOverloaded, NotExecuted, overloadedPause, "%d calls wait already", waiting)
	}
	if c.requestBytes+len(p.frame) > c.settings.maximumMemoryBytes {
		return failure(ErrOverloaded, NotExecuted, overloadedPause,
			"the requests of all calls have %d bytes", c.requestBytes)
	}
	c.requestBytes += len(p.frame)
	p.isCounted = true
	c.waiting.pushBack(p)
	return nil
}

// finish ends a call with its result.
func (c *Client) finish(p *pendingCall, err *Error) {
	if p.state == callDone {
		return
	}
	if err != nil {
		p.err = p.final(err)
	}
	c.schedule.remove(p)
	c.waiting.remove(p)
	p.state = callDone
	if p.onEnd != nil {
		p.onEnd(p.err)
		return
	}
	if p.isCounted {
		c.requestBytes -= len(p.frame)
	}
	if p.opcode == 0 {
		c.connectCalls, c.pingCalls = without(c.connectCalls, p), without(c.pingCalls, p)
	}
	c.activeCount--
	p.nextDone, c.finished = c.finished, p
}

func without[T comparable](list []T, value T) []T {
	for index, each := range list {
		if each == value {
			return append(list[:index:index], list[index+1:]...)
		}
	}
	return list
}

// Writing

// fill returns the bytes of the next write: what the session has to say, then the calls that there is room for (PIP-3).
func (c *Client) fill(conn *connection, now time.Duration) []byte {
	data := append(conn.buffer[:0], conn.session.control...)
	conn.session.control = conn.session.control[:0]
	wasIdle := conn.session.oldest == nil
	for c.current == conn && conn.session.room() > 0 {
		p := c.waiting.first
		if p == nil || len(data) > 0 && len(data)+len(p.frame) > maximumWriteBytes {
			break
		}
		if err := c.unwritable(p, conn, now); err != nil {
			c.finish(p, err)
			continue
		}
		c.waiting.remove(p)
		if p.deadlineAt > 0 {
			setDeadline(p.frame, p.deadlineAt, p.deadline-now)
		}
		p.exchange = exchange{opcode: p.opcode, into: p.into, call: p}
		data = conn.session.write(data, &p.exchange, p.frame, now)
		p.state, p.connection = callWritten, conn
		p.attempts++
		if p.firstWritten == 0 {
			p.firstWritten, p.firstEpoch = now, conn.session.server.Epoch
		}
	}
	if wasIdle && conn.session.oldest != nil {
		c.arm(conn.session.due(), now)
	}
	conn.buffer = data[:0]
	return data
}

// unwritable returns why a call ends before it is written on this connection; nil if it may be written.
func (c *Client) unwritable(p *pendingCall, conn *connection, now time.Duration) *Error {
	if err := conn.session.refusal(p.opcode, p.frame); err != nil {
		return err
	}
	// A server that could have forgotten the key would send twice (RET-4).
	if p.effect == EffectUnknown && p.repetition.key != (Key{}) && !p.repetition.isReadOnly {
		server := &conn.session.server
		if server.Epoch != p.firstEpoch || now-p.firstWritten >= server.IdempotencyWindow {
			p.isKeyForgotten = true
			return p.lastError
		}
	}
	return nil
}

// pump connects if that is needed, and lets the connection write what there is room for.
func (c *Client) pump(now time.Duration) {
	for _, each := range c.streams {
		each.pump(now)
	}
	conn := c.current
	if conn == nil {
		c.connectIfDue(now)
		return
	}
	session := conn.session
	if session.phase == phaseOpen && len(c.pingCalls) > 0 && !session.isPinging {
		if at := session.pingAllowed(); now >= at {
			session.ping(now)
			c.arm(session.due(), now)
		} else {
			c.arm(at, now)
		}
	}
	if len(session.control) > 0 || c.waiting.first != nil && session.room() > 0 {
		conn.wakeWriter()
	}
}

// Results

// answered ends an exchange (sessionOwner).
func (conn *connection) answered(x *exchange, err *Error) {
	c, p := conn.client, x.call
	switch {
	case p == nil: // its answer was of no interest
	case p.onEnd != nil:
		c.finish(p, err)
		if err != nil && err.Code == ErrDraining {
			c.drain(conn, err.RetryAfter, err.Message)
		}
	case err == nil:
		c.finish(p, nil)
	case err.Code == ErrDraining:
		// The server takes no new requests: this one goes to the next connection without a pause (GO-6).
		c.drain(conn, err.RetryAfter, err.Message)
		if c.attemptFailed(p, err) {
			c.repeatNow(p)
		}
	default:
		c.failAfterPause(p, err, err.RetryAfter)
	}
	if err != nil && err.Code == ErrBehind && c.current == conn && len(c.targets) > 1 {
		// The node lacks what this client has seen; another one may have it (POS-5).
		c.drain(conn, err.RetryAfter, err.Message)
	}
}

// attemptFailed remembers why an attempt has failed. It returns true if the request is to be made again; otherwise the
// call has ended.
func (c *Client) attemptFailed(p *pendingCall, err *Error) bool {
	if p.mayRepeat(err, c.settings.maximumAttempts) && !c.isClosing {
		p.lastError, p.effect = err, worst(p.effect, err.Effect)
		return true
	}
	c.finish(p, err)
	return false
}

// failAfterPause repeats a request after a pause (RET-5), or ends its call.
func (c *Client) failAfterPause(p *pendingCall, err *Error, retryAfter time.Duration) {
	if !c.attemptFailed(p, err) {
		return
	}
	now := c.now()
	pause := retryAfter + c.randomPause(p.attempts)
	if pause >= p.deadline-now {
		c.finish(p, err)
		return
	}
	p.state = callPausing
	p.dueAt = now + pause
	c.schedule.fix(p.index)
	c.arm(p.dueAt, now)
	c.reports.retry(RetryReport{Operation: operationOf(p.opcode), Attempt: p.attempts, Pause: pause, Err: p.final(err)})
}

// repeatNow lets a request wait for the next connection, ahead of calls that were not written yet, because they
// began later (RET-6).
func (c *Client) repeatNow(p *pendingCall) {
	p.state = callWaiting
	c.waiting.pushFront(p)
	c.reports.retry(RetryReport{Operation: operationOf(p.opcode), Attempt: p.attempts, Err: p.final(p.lastError)})
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

// failAttempts ends the attempts of a connection that has ended. Its error is that of the request named, if it is not
// 0; of the others the effect is unknown.
func (c *Client) failAttempts(conn *connection, err *Error, named uint64) {
	lost := err
	if err.Code != ErrConnectionLost {
		lost = connectionLost("the connection has ended: %s: %s", err.Code, err.Message)
	}
	var repeated []*pendingCall
	for x := conn.session.oldest; x != nil; x = conn.session.oldest {
		conn.session.forget(x)
		p := x.call
		switch {
		case p == nil || p.onEnd != nil: // a stream has taken its requests back
		case named != 0 && x.id == named:
			// Its retry_after rules out the address (ADR-6): another one may be asked at once.
			c.failAfterPause(p, err, 0)
		case c.attemptFailed(p, lost):
			repeated = append(repeated, p)
		}
	}
	for index := len(repeated) - 1; index >= 0; index-- {
		c.repeatNow(repeated[index])
	}
}

// takeBack lets requests above the last id of a GOAWAY wait for the next connection: they were not executed (GO-3).
func (c *Client) takeBack(conn *connection, lastID uint64) {
	var above []*pendingCall
	for x := conn.session.newest; x != nil && x.id > lastID; x = conn.session.newest {
		conn.session.forget(x)
		if x.call != nil {
			above = append(above, x.call)
		} else {
			conn.session.abandonedCount--
			conn.session.stuckSince = 0
		}
	}
	for _, p := range above {
		p.attempts--
		if p.attempts == 0 {
			p.firstWritten = 0
		}
		p.state = callWaiting
		c.waiting.pushFront(p)
		if c.isClosing {
			c.finish(p, closedError())
		}
	}
}

// Ends

// expire ends a call whose deadline has passed, with the error that says most: a request that is written may have taken
// effect (DL-4), else the error of the last attempt, or why there is no connection (DL-3).
func (c *Client) expire(p *pendingCall, now time.Duration) {
	err := contextError(context.DeadlineExceeded, NotExecuted)
	isOpen := c.current != nil && c.current.session.phase == phaseOpen
	switch {
	case p.state == callWritten:
		err.Effect = EffectUnknown
	case p.lastError != nil:
		err = p.lastError
	case !isOpen:
		err = c.connections.cannotConnect()
		err.cause = context.DeadlineExceeded
	}
	c.giveUp(p, err, now)
}

// cancel ends a call whose context has ended; if it is written, its effect is unknown (DL-5).
func (c *Client) cancel(p *pendingCall, cause error, now time.Duration) {
	switch {
	case p.state == callDone:
	case errors.Is(cause, context.DeadlineExceeded):
		c.expire(p, now)
	case p.state == callWritten:
		c.giveUp(p, contextError(cause, EffectUnknown), now)
	default:
		c.giveUp(p, contextError(cause, NotExecuted), now)
	}
	c.pump(now)
}

// giveUp ends a call before its answer has come. The answer is ignored later.
func (c *Client) giveUp(p *pendingCall, err *Error, now time.Duration) {
	if p.state == callWritten {
		c.abandon(p, now)
	}
	c.finish(p, err)
}

// abandon lets the session ignore the answer to a written request.
func (c *Client) abandon(p *pendingCall, now time.Duration) {
	p.isAbandoned = true
	p.connection.session.abandon(&p.exchange, now)
	c.arm(p.connection.session.due(), now)
	c.dropIfDrained(p.connection)
}

// Time

// arm lets tick run at a time, if nothing wakes it before.
func (c *Client) arm(at, now time.Duration) {
	if at < c.armedAt && !c.isEmpty {
		c.armedAt = at
		c.timer.Reset(at - now)
	}
}

// tick is called by the timer.
func (c *Client) tick() {
	c.mu.Lock()
	c.armedAt = farAway
	c.run(c.now())
	c.unlock()
}

// run does everything that is due, and arms the timer for what comes next.
func (c *Client) run(now time.Duration) {
	for len(c.schedule) > 0 && c.schedule[0].dueAt <= now {
		p := c.schedule[0]
		if p.state != callPausing || p.deadline <= now {
			c.expire(p, now)
			continue
		}
		p.state, p.dueAt = callWaiting, p.deadline
		c.schedule.fix(0)
		c.waiting.pushBack(p)
	}
	for _, each := range append([]*EventStream(nil), c.streams...) {
		each.tick(now)
	}
	for _, conn := range c.allConnections() {
		if wrong := conn.tick(now); wrong != nil {
			c.lost(conn, wrong.err, wrong.named)
		}
	}
	if c.isClosing {
		c.finishClosing(now)
	}
	c.pump(now)
	c.arm(c.due(now), now)
}

// due returns when run has something to do.
func (c *Client) due(now time.Duration) time.Duration {
	at := farAway
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
	if c.isClosing && !c.isEmpty {
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
		for _, each := range append([]*pendingCall(nil), c.pingCalls...) {
			c.finish(each, closedError())
		}
	}
	for _, each := range append([]*pendingCall(nil), c.connectCalls...) {
		c.finish(each, closedError())
	}
	for _, each := range append(callHeap(nil), c.schedule...) {
		if each.state == callPausing {
			c.finish(each, closedError())
		}
	}
	for _, each := range append([]*EventStream(nil), c.streams...) {
		each.isClosing = true
	}
	c.run(now)
}

// finishClosing ends what is left when the time is over (CLS-2), and the connections when nothing is left (CLS-3).
func (c *Client) finishClosing(now time.Duration) {
	isOpen := c.current != nil && c.current.session.phase == phaseOpen
	if !isOpen || now >= c.closesAt {
		for _, each := range append([]*EventStream(nil), c.streams...) {
			each.end(nil)
		}
		for c.waiting.first != nil && !isOpen {
			c.finish(c.waiting.first, closedError())
		}
	}
	if now >= c.closesAt {
		for _, each := range append(callHeap(nil), c.schedule...) {
			err := closedError()
			if each.state == callWritten {
				err.Effect = EffectUnknown
			}
			c.giveUp(each, err, now)
		}
	}
	if c.activeCount > 0 || len(c.streams) > 0 || c.isEmpty {
		return
	}
	c.isEmpty = true
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
