package carillon

import (
	"context"
	"time"
)

// This file decides which server is connected to, and when (CONTRACT.md, ADR, CRED, GO). All its methods are called
// under the client's lock, but for attempt.

// target is one address and what is known of it.
type target struct {
	address address
	// notBefore is when it may be tried again.
	notBefore time.Duration
	// refusal is why it does not accept the client, with the key that it has refused; nil if it does.
	refusal      *Error
	refusedKey   string
	refusedUntil time.Duration
}

// rounds are the attempts to connect: each round tries every address once.
type rounds struct {
	untried       []*target // of the round
	lastConnected int
	failedCount   int // rounds in a row that have failed
	pauseUntil    time.Duration
	causes        []string // one for each address of the round that was tried
	lastCauses    []string // of the round before
	lastCause     *Error
}

// cannotConnect makes the error of a call that waited for a connection.
func (r *rounds) cannotConnect() *Error {
	err := failure(ErrCannotConnect, NotExecuted, 0, "no connection was opened")
	err.Causes = r.causes
	if len(err.Causes) == 0 {
		err.Causes = r.lastCauses
	}
	if r.lastCause != nil {
		err.cause = r.lastCause
	}
	return err
}

func (c *Client) allConnections() []*connection {
	connections := copyOf(c.draining)
	if c.current != nil {
		connections = append(connections, c.current)
	}
	return connections
}

// wantsConnection is true if something waits for a connection.
func (c *Client) wantsConnection(now time.Duration) bool {
	if c.isClosing {
		return false
	}
	if c.waiting.first != nil || len(c.connectCalls) > 0 || len(c.pingCalls) > 0 {
		return true
	}
	for _, each := range c.streams {
		if each.wantsConnection(now) {
			return true
		}
	}
	return false
}

// connectIfNeeded begins an attempt to connect if one is wanted and allowed now.
func (c *Client) connectIfNeeded(now time.Duration) {
	if c.current != nil || c.isConnecting || !c.wantsConnection(now) {
		return
	}
	c.liftRefusals(now, nil)
	if c.allRefused() {
		if !c.isKeyRefused() {
			c.failRefused()
			return
		}
		// The attempt reads the key again, which may be another one by now (CRED-3).
	} else if at := c.connectionDue(now); at > now {
		c.setTimer(at, now)
		return
	}
	c.isConnecting = true
	c.running.Add(1)
	go c.attempt()
}

// connectionDue returns when an attempt may begin.
func (c *Client) connectionDue(now time.Duration) time.Duration {
	at := forever
	for _, each := range c.targets {
		possible := each.notBefore
		if each.refusal != nil && possible < each.refusedUntil {
			possible = each.refusedUntil
		}
		if possible < at {
			at = possible
		}
	}
	if at < c.rounds.pauseUntil {
		at = c.rounds.pauseUntil
	}
	return at
}

func (c *Client) allRefused() bool {
	for _, each := range c.targets {
		if each.refusal == nil {
			return false
		}
	}
	return true
}

// isKeyRefused is true if an address has refused the key: another key may be accepted.
func (c *Client) isKeyRefused() bool {
	for _, each := range c.targets {
		if each.refusal != nil && each.refusal.Code == ErrAuthenticationFailed {
			return true
		}
	}
	return false
}

// liftRefusals makes refused addresses available again when their time is over or there is another key (CONTRACT.md,
// CRED-3).
func (c *Client) liftRefusals(now time.Duration, key *[]byte) {
	for _, each := range c.targets {
		if each.refusal == nil {
			continue
		}
		hasOtherKey := key != nil && each.refusal.Code == ErrAuthenticationFailed && string(*key) != each.refusedKey
		if now >= each.refusedUntil || hasOtherKey {
			each.refusal = nil
		}
	}
}

// firstRefusal returns the earliest refusal; nil if there is none.
func (c *Client) firstRefusal() *Error {
	var first *target
	for _, each := range c.targets {
		if each.refusal != nil && (first == nil || each.refusedUntil < first.refusedUntil) {
			first = each
		}
	}
	if first == nil {
		return nil
	}
	return first.refusal
}

// failRefused ends all that waits for a connection: every address has refused the client (CRED-4).
func (c *Client) failRefused() {
	refusal := c.firstRefusal()
	for c.waiting.first != nil {
		c.finish(c.waiting.first, refusal)
	}
	for _, each := range append(copyOf(c.connectCalls), c.pingCalls...) {
		c.finish(each, refusal)
	}
	for _, each := range copyOf(c.streams) {
		each.end(refusal)
	}
}

// attempt reads the key, which can take its time, and makes one attempt to connect.
func (c *Client) attempt() {
	defer c.running.Done()
	ctx, cancel := context.WithTimeout(c.lifetime, c.settings.connectTimeout)
	defer cancel()
	key, keyFailure := readKey(ctx, c.settings.key)
	c.mu.Lock()
	now := c.now()
	c.isConnecting = false
	conn := c.nextConnection(key, keyFailure, now)
	if conn != nil {
		conn.cancel = cancel
		c.current = conn
		c.reports.state(StateReport{State: StateConnecting, Address: conn.target.address.text})
	}
	c.setTimer(c.due(now), now)
	c.unlock()
	if conn != nil {
		conn.run(ctx, keyFailure)
	}
}

// readKey calls the function of the key; it is not waited for beyond the context.
func readKey(ctx context.Context, read func(context.Context) ([]byte, error)) ([]byte, error) {
	type result struct {
		key []byte
		err error
	}
	results := make(chan result, 1)
	go func() {
		key, err := read(ctx)
		results <- result{key, err}
	}()
	select {
	case found := <-results:
		return found.key, found.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// nextConnection returns a connection to the next address of the round; nil if none may be tried now.
func (c *Client) nextConnection(key []byte, keyFailure error, now time.Duration) *connection {
	if c.current != nil || !c.wantsConnection(now) {
		return nil
	}
	known := &key
	if keyFailure != nil {
		known = nil
	}
	c.liftRefusals(now, known)
	if c.allRefused() {
		c.failRefused()
		return nil
	}
	next := c.nextTarget(now)
	if next == nil {
		return nil
	}
	return newConnection(c, next, key, now)
}

// nextTarget takes the next address of the round, or the first one of a new round; nil if none may be tried now
// (ADR-4).
func (c *Client) nextTarget(now time.Duration) *target {
	r := &c.rounds
	if now < r.pauseUntil {
		return nil
	}
	r.untried = c.available(r.untried, now)
	if len(r.untried) == 0 {
		start := (r.lastConnected + 1) % len(c.targets)
		r.untried = c.available(append(append([]*target(nil), c.targets[start:]...), c.targets[:start]...), now)
		r.lastCauses, r.causes = r.causes, nil
	}
	if len(r.untried) == 0 {
		return nil
	}
	next := r.untried[0]
	r.untried = r.untried[1:]
	return next
}

// available returns the addresses that may be tried now: not refused, and with no pause to wait for (ADR-4).
func (c *Client) available(targets []*target, now time.Duration) []*target {
	var found []*target
	for _, each := range targets {
		if each.refusal == nil && each.notBefore <= now {
			found = append(found, each)
		}
	}
	return found
}

// opened is called when a connection is open (sessionOwner).
func (conn *connection) opened() {
	c, server := conn.client, &conn.session.server
	conn.hasOpened = true
	server.Address = conn.target.address.text
	for index, each := range c.targets {
		if each == conn.target {
			c.rounds.lastConnected = index
		}
	}
	c.reports.state(StateReport{State: StateConnected, Address: server.Address, Software: server.Software,
		Epoch: server.Epoch})
	if c.hasServer && c.server.Epoch != server.Epoch {
		c.reports.state(StateReport{State: StateNewHistory, Address: server.Address, Epoch: server.Epoch,
			EarlierEpoch: c.server.Epoch})
	}
	c.server, c.hasServer = *server, true
	c.sendPosition(conn)
	for len(c.connectCalls) > 0 {
		c.finish(c.connectCalls[0], nil)
	}
}

// connectionWorked ends the row of failed rounds when a connection has worked. One that was only opened does not count:
// a server that accepts and closes would be asked in a loop (CON-15).
func (c *Client) connectionWorked(conn *connection) {
	if conn.session.hasWorked && conn == c.current {
		r := &c.rounds
		r.failedCount, r.untried, r.causes, r.lastCauses, r.lastCause = 0, nil, nil, nil, nil
	}
}

// drop closes a connection.
func (c *Client) drop(conn *connection) {
	if conn.hasEnded {
		return
	}
	conn.hasEnded = true
	conn.session.phase = phaseEnded
	c.draining = without(c.draining, conn)
	if c.current == conn {
		c.current = nil
	}
	conn.close()
}

// connectionEnded is called when a connection has ended, or could not be made.
func (c *Client) connectionEnded(conn *connection, err *Error, requestID uint64) {
	if conn.hasEnded {
		return
	}
	now := c.now()
	c.connectionWorked(conn)
	wasCurrent := c.current == conn
	c.drop(conn)
	if !conn.hasOpened {
		err = conn.handshakeError(err)
	}
	for _, each := range copyOf(c.streams) {
		each.lost(conn)
	}
	c.attemptsLost(conn, err, requestID)
	c.judgeEnd(conn, err, wasCurrent, now)
	if c.isClosing {
		c.finishClosing(now)
	}
	c.sendWaiting(now)
	c.setTimer(c.due(now), now)
}

// judgeEnd reports the end of a connection, and decides when its address may be tried again.
func (c *Client) judgeEnd(conn *connection, err *Error, wasCurrent bool, now time.Duration) {
	address := conn.target.address.text
	switch {
	case !conn.hasOpened:
		c.reports.state(StateReport{State: StateFailed, Address: address, Err: err})
	case wasCurrent:
		c.reports.state(StateReport{State: StateDisconnected, Address: address, Err: err})
	}
	if err.RetryAfter == Never && !conn.hasOpened {
		c.refuse(conn, err, now)
	} else if err.RetryAfter > 0 && (err.Scope == ScopeConnection || !conn.hasOpened) {
		conn.target.delay(now + err.RetryAfter)
	}
	if wasCurrent && !conn.session.hasWorked {
		c.attemptOfRoundFailed(conn, err, now)
	}
}

// handshakeError returns why an attempt to connect has failed.
func (conn *connection) handshakeError(err *Error) *Error {
	switch {
	case err.Code == ErrConnectionLost && conn.session.isRefused:
		return failure(ErrUnsupportedVersion, NotExecuted, Never, "the server speaks no version of this client")
	case err.Code == ErrConnectionLost:
		failed := failure(ErrCannotConnect, NotExecuted, 0, "%s", err.Message)
		failed.cause = err.cause
		return failed
	default:
		known := *err
		known.Effect = NotExecuted
		return &known
	}
}

func (t *target) delay(until time.Duration) {
	if t.notBefore < until {
		t.notBefore = until
	}
}

// refuse rules an address out for the refusal pause: the same key would be refused again (CRED-3).
func (c *Client) refuse(conn *connection, err *Error, now time.Duration) {
	conn.target.refusal, conn.target.refusedKey = err, string(conn.session.key)
	conn.target.refusedUntil = now + c.settings.refusalPause
	c.reports.state(StateReport{State: StateRefused, Address: conn.target.address.text, Err: err})
}

// attemptOfRoundFailed counts an attempt to connect that failed. After the last of a round there is a pause, so that
// servers that are down are not asked in a loop (ADR-5).
func (c *Client) attemptOfRoundFailed(conn *connection, err *Error, now time.Duration) {
	r := &c.rounds
	r.lastCause = err
	r.causes = append(r.causes, conn.target.address.text+": "+string(err.Code)+": "+err.Message)
	r.untried = c.available(r.untried, now)
	if len(r.untried) > 0 {
		return
	}
	r.failedCount++
	r.pauseUntil = now + c.randomPause(r.failedCount)
	failed := c.firstRefusal()
	if failed == nil {
		failed = r.cannotConnect()
	}
	for len(c.connectCalls) > 0 {
		c.finish(c.connectCalls[0], failed)
	}
}

// goingAway is called for a GOAWAY (sessionOwner).
func (conn *connection) goingAway(frame *goAwayFrame) {
	c := conn.client
	if CodeOf(frame.Code) == ErrAuthenticationFailed && conn.target.refusal == nil {
		c.refuse(conn, failure(ErrAuthenticationFailed, NotExecuted, Never, "%s", frame.Reason), c.now())
	}
	for _, each := range copyOf(c.streams) {
		each.lost(conn)
	}
	c.callsNotExecuted(conn, frame.LastID)
	c.drain(conn, time.Duration(frame.ReconnectAfterMs)*time.Millisecond, frame.Reason)
}

// drain gives a connection no new requests, because its server is going to close it (GO-1), and its address none for
// the time that the server has asked for (GO-2).
func (c *Client) drain(conn *connection, wait time.Duration, reason string) {
	now := c.now()
	conn.session.isDraining = true
	if wait > 0 {
		conn.target.delay(now + wait)
	}
	for _, each := range copyOf(c.streams) {
		each.lost(conn)
	}
	if c.current != conn {
		return
	}
	c.connectionWorked(conn)
	c.current = nil
	c.draining = append(c.draining, conn)
	c.reports.state(StateReport{State: StateDraining, Address: conn.target.address.text, Reason: reason})
	if !conn.session.hasWorked {
		c.attemptOfRoundFailed(conn, failure(ErrDraining, NotExecuted, wait, "%s", reason), now)
	}
}

// dropIfDrained closes a draining connection when no answer is waited for (GO-4) and everything is written.
func (c *Client) dropIfDrained(conn *connection) {
	session := conn.session
	if session.isDraining && !conn.hasEnded && conn.isIdle && session.isFinished() && len(session.control) == 0 {
		c.drop(conn)
	}
}

// pongReceived is called for the ACK of a PING (sessionOwner).
func (conn *connection) pongReceived() {
	for len(conn.client.pingCalls) > 0 {
		conn.client.finish(conn.client.pingCalls[0], nil)
	}
}
