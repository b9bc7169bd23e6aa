package carillon

import (
	"fmt"
	"time"
)

// streamState is how far the subscription of a stream is.
type streamState uint8

const (
	streamWaiting     streamState = iota // for a connection, or for the end of a pause
	streamSubscribing                    // SUBSCRIBE_EVENTS is not answered
	streamSubscribed
	streamEnded
)

// EventStream is a subscription to events, over any number of connections. Client.Events returns one. It is safe for
// any number of goroutines.
type EventStream struct {
	client *Client
	name   string
	start  Start
	apps   []string
	kinds  []uint16
	window int64

	// All below is protected by the client's lock.
	state      streamState
	isAccepted bool
	isClosing  bool
	failure    *Error
	// changed is closed when something has changed; nil if nothing waits for that.
	changed chan struct{}

	connection *connection
	// id is that of SUBSCRIBE_EVENTS on the connection; request is the one that is not answered.
	id       uint64
	request  *pendingCall
	epoch    Key
	hasEpoch bool
	// position is the sequence of the last frame received (CONTRACT.md, EVT-6).
	position    uint64
	hasPosition bool
	queue       []Element
	// returned is the highest sequence that Next has returned.
	returned uint64
	// granted, received and taken count frames of this subscription; taken begins at minus the number of older elements in
	// memory, so that no more than a window is there (EVT-3).
	granted, received, taken int64
	acknowledged, durable    uint64
	// notBefore ends the pause after a refusal; failures are refusals in a row.
	notBefore time.Duration
	failures  int
}

// Format prints the name of the stream, whatever the verb.
func (s *EventStream) Format(state fmt.State, _ rune) {
	_, _ = state.Write([]byte("carillon.EventStream(" + s.name + ")"))
}

func (s *EventStream) notify() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// wantsConnection is true if the stream is to subscribe.
func (s *EventStream) wantsConnection(now time.Duration) bool {
	return s.state == streamWaiting && !s.isClosing && s.notBefore <= now
}

// due returns when sendDue has something to do.
func (s *EventStream) due(now time.Duration) time.Duration {
	if s.notBefore > now {
		return s.notBefore
	}
	return forever
}

// endIfUnsubscribed ends a stream that closes and has no subscription, which would have to be ended first.
func (s *EventStream) endIfUnsubscribed() {
	if s.isClosing && s.state == streamWaiting {
		s.end(nil)
	}
}

// sendDue makes the request that is due, if the current connection is open.
func (s *EventStream) sendDue(now time.Duration) {
	conn := s.client.current
	if conn == nil || conn.session.phase != phaseOpen || now < s.notBefore || s.request != nil {
		return
	}
	switch {
	case s.state == streamWaiting && !s.isClosing:
		s.subscribe(conn)
	case s.state == streamSubscribed && s.connection == conn:
		s.sendCredit()
	}
}

// subscribe begins the subscription on a connection: where the program wants (EVT-2), or after the last frame of the
// connection before (EVT-7). With another history it begins as at first (EVT-8).
func (s *EventStream) subscribe(conn *connection) {
	epoch := conn.session.server.Epoch
	if s.hasEpoch && s.epoch != epoch {
		s.historyChanged()
	}
	s.epoch, s.hasEpoch = epoch, true
	s.received, s.taken = 0, -int64(len(s.queue))
	s.granted = s.window + s.taken
	if s.granted < 0 {
		s.granted = 0
	}
	s.state, s.connection = streamSubscribing, conn
	into := &subscribedAnswer{}
	message := &subscribeEventsRequest{Name: s.name, From: s.from(), Apps: s.apps, Kinds: s.kinds,
		Credit: uint64(s.granted)}
	s.make(message, into, func(call *pendingCall, err *Error) {
		if err != nil {
			s.refused(err)
			return
		}
		s.subscriptionBegan(conn, call.exchange.id, into.After)
	})
}

// historyChanged forgets the sequences of the history before, and tells the program (EVT-8).
func (s *EventStream) historyChanged() {
	s.hasPosition, s.position, s.returned, s.acknowledged, s.durable = false, 0, 0, 0, 0
	if s.start.kind == startAfter {
		s.start = FromAcknowledged()
	}
	s.queue = append(s.queue, &NewHistory{})
	s.notify()
}

// subscriptionBegan notes that the server has accepted the subscription, whose events come after a sequence.
func (s *EventStream) subscriptionBegan(conn *connection, id, after uint64) {
	s.state, s.id, s.isAccepted, s.failures = streamSubscribed, id, true, 0
	conn.subscriptions[id] = s
	if !s.hasPosition || after > s.position {
		s.position, s.hasPosition = after, true
	}
}

// from returns the field of SUBSCRIBE_EVENTS that says where the events begin (EVT-2, EVT-7).
func (s *EventStream) from() uint64 {
	switch {
	case s.hasPosition && s.position > 0:
		return s.position
	case s.hasPosition || s.start.kind == startOldest:
		return fromOldest
	case s.start.kind == startNow || s.start.kind == startAcknowledged && s.name == "":
		return fromNow
	case s.start.kind == startAfter && s.start.number == 0:
		return fromOldest
	default:
		return s.start.number
	}
}

// make queues a request of the stream. Only one is outstanding at a time. onEnd is called under the lock.
func (s *EventStream) make(message request, into answer, onEnd func(*pendingCall, *Error)) {
	s.request = s.client.makeInternal(message, into, func(call *pendingCall, err *Error) {
		s.request = nil
		onEnd(call, err)
		s.notify()
	})
}

// makeInternal queues a request that no goroutine waits for.
func (c *Client) makeInternal(message request, into answer, onEnd func(*pendingCall, *Error)) *pendingCall {
	call := newCall()
	call.opcode, call.answer = message.opcode(), into
	call.onEnd = func(err *Error) { onEnd(call, err) }
	var err *Error
	call.frame, err = appendRequest(call.frame[:0], message)
	if err != nil {
		c.finish(call, err)
		return nil
	}
	c.waiting.pushBack(call)
	c.current.wakeWriter()
	return call
}

// sendCredit sends the credit and the acknowledgement that are due (EVT-3, EVT-5), or the end (EVT-11).
func (s *EventStream) sendCredit() {
	isDue := s.granted-s.taken <= s.window/2 && !s.isClosing
	isAckDue := s.acknowledged > s.durable
	if s.isClosing && !isAckDue {
		s.make(&unsubscribeEventsRequest{Subscription: s.id}, &emptyAnswer{}, func(*pendingCall, *Error) { s.end(nil) })
		return
	}
	if !isDue && !isAckDue {
		return
	}
	before, ack := s.granted, uint64(0)
	if isDue {
		s.granted = s.taken + s.window
	}
	if isAckDue {
		ack = s.acknowledged
	}
	message := &eventCreditRequest{Subscription: s.id, Credit: uint64(s.granted), Ack: ack}
	s.make(message, &emptyAnswer{}, func(_ *pendingCall, err *Error) {
		if err != nil {
			s.granted = before
			s.refused(err)
			return
		}
		s.failures = 0
		if ack > s.durable {
			s.durable = ack
		}
	})
}

// refused handles the error of SUBSCRIBE_EVENTS or EVENT_CREDIT: a pause, a new subscription or the end (EVT-10).
func (s *EventStream) refused(err *Error) {
	isGone := s.state == streamSubscribed && err.Code == ErrNotFound
	if err.RetryAfter == Never && !isGone {
		s.end(err)
		return
	}
	if isGone || s.state == streamSubscribing {
		s.detach()
	}
	if err.Code == ErrDraining {
		return // the connection drains: the next one is asked at once
	}
	s.failures++
	wait := err.RetryAfter
	if wait == Never {
		wait = 0
	}
	now := s.client.now()
	s.notBefore = now + wait + s.client.randomPause(s.failures)
	s.client.setTimer(s.notBefore, now)
}

// detach ends the subscription on this side: the stream waits for the next one.
func (s *EventStream) detach() {
	if s.connection != nil && s.state == streamSubscribed {
		delete(s.connection.subscriptions, s.id)
	}
	if call := s.request; call != nil {
		s.takeBack(call)
	}
	s.state, s.connection, s.request = streamWaiting, nil, nil
}

// takeBack ends a request of the stream whose answer is of no interest any more.
func (s *EventStream) takeBack(call *pendingCall) {
	c := s.client
	switch {
	case call.state != callWritten:
		c.waiting.remove(call)
		call.state = callDone
	case s.state == streamSubscribing && call.connection == c.current:
		// The server is going to accept a subscription that nothing reads.
		call.onEnd = func(err *Error) {
			if err == nil {
				c.unsubscribe(call.connection, call.exchange.id)
			}
		}
	default:
		c.abandon(call, c.now())
	}
}

// unsubscribe ends a subscription of the server without waiting for the answer.
func (c *Client) unsubscribe(conn *connection, id uint64) {
	if conn == c.current && conn.session.phase == phaseOpen && !c.isClosing {
		c.makeInternal(&unsubscribeEventsRequest{Subscription: id}, &emptyAnswer{}, func(*pendingCall, *Error) {})
	}
}

// lost is called when a connection has ended or drains: the stream goes on at the next one (EVT-7).
func (s *EventStream) lost(conn *connection) {
	if s.connection != conn || s.state == streamEnded {
		return
	}
	s.detach()
	s.notBefore = 0
	if s.isClosing {
		s.end(nil)
	}
}

// end ends the stream; an error is returned after what is in memory.
func (s *EventStream) end(err *Error) {
	if s.state == streamEnded {
		return
	}
	conn, id, isSubscribed := s.connection, s.id, s.state == streamSubscribed && s.request == nil && !s.isClosing
	s.detach()
	if isSubscribed && err == nil {
		s.client.unsubscribe(conn, id)
	}
	s.state, s.failure = streamEnded, err
	s.client.streams = without(s.client.streams, s)
	s.notify()
	if s.client.isClosing && len(s.client.streams) == 0 {
		s.client.finishClosing(s.client.now())
	}
}

// eventReceived takes an event of a subscription (sessionOwner); false if the server had no credit for it.
func (conn *connection) eventReceived(id uint64, frame *eventFrame) bool {
	s := conn.subscriptions[id]
	if s == nil {
		return true
	}
	s.received++
	if s.received > s.granted {
		return false
	}
	before := s.position
	if frame.Sequence <= before || s.isClosing {
		s.taken++
		return true
	}
	s.position = frame.Sequence
	var element Element = &frame.Event
	if frame.Kind == gapKind {
		gap := &Gap{Sequence: frame.Sequence, At: frame.At, MissedFrom: *frame.MissedFrom, MissedTo: *frame.MissedTo}
		if gap.MissedFrom <= before {
			gap.MissedFrom = before + 1
		}
		element = gap
	}
	s.queue = append(s.queue, element)
	s.notify()
	return true
}
