package carillon

import (
	"context"
	"errors"
	"io"
	"time"
)

// Element is what an event stream returns: an *Event, a *Gap or a *NewHistory.
type Element interface{ isElement() }

// Event is an event. What its kind does not have is zero or nil, section 16.6.
type Event struct {
	// Sequence is the number of the event, for Acknowledge.
	Sequence  uint64
	At        time.Time
	Kind      EventKind
	App       string
	MessageID uint64
	DeviceID  uint64
	Outcome   *Outcome
	Count     *uint64
	Text      string
	// Traceparent is the distributed trace of the message; empty if there is none.
	Traceparent string
}

// Gap stands for events that the server has removed before they could be sent: from MissedFrom to MissedTo - 1.
type Gap struct {
	// Sequence is the last number that is missed, for Acknowledge.
	Sequence   uint64
	At         time.Time
	MissedFrom uint64
	MissedTo   uint64
}

// NewHistory says that the server has another history: numbers and ids of before mean nothing any more.
type NewHistory struct{}

func (*Event) isElement()      {}
func (*Gap) isElement()        {}
func (*NewHistory) isElement() {}

// Start says where a stream begins. The zero value is FromAcknowledged.
type Start struct {
	kind   startKind
	number uint64
}

type startKind uint8

const (
	startAcknowledged startKind = iota
	startNow
	startOldest
	startAfter

	fromNow    uint64 = 1<<64 - 1
	fromOldest uint64 = 1<<64 - 2
)

// FromAcknowledged begins after what the name has acknowledged; without a name, now.
func FromAcknowledged() Start { return Start{} }

// FromNow begins with the next event.
func FromNow() Start { return Start{kind: startNow} }

// FromOldest begins with the oldest event that the server keeps.
func FromOldest() Start { return Start{kind: startOldest} }

// FromAfter begins after the event of this number.
func FromAfter(sequence uint64) Start { return Start{kind: startAfter, number: sequence} }

const (
	defaultWindow = 256
	minimumWindow = 2
)

// EventOption is an option of Client.Events.
type EventOption func(*EventStream) error

// WithName lets the server keep, under this name, what the stream has acknowledged.
func WithName(name string) EventOption {
	return func(s *EventStream) error { s.name = name; return requireText("name", name) }
}

// WithStart says where the stream begins.
func WithStart(start Start) EventOption {
	return func(s *EventStream) error { s.start = start; return nil }
}

// WithApps asks for events of these apps only.
func WithApps(apps ...string) EventOption {
	return func(s *EventStream) error {
		s.apps = apps
		if len(apps) == 0 {
			return invalid("apps", "there is no app; without the option the stream has the events of all")
		}
		return nil
	}
}

// WithKinds asks for events of these kinds only. Gaps come always.
func WithKinds(kinds ...EventKind) EventOption {
	return func(s *EventStream) error {
		for _, each := range kinds {
			s.kinds = append(s.kinds, uint16(each))
		}
		if len(kinds) == 0 {
			return invalid("kinds", "there is no kind; without the option the stream has the events of all")
		}
		return nil
	}
}

// WithWindow is how many elements are in memory at most: 256 without it, at least 2.
func WithWindow(elements int) EventOption {
	return func(s *EventStream) error {
		s.window = int64(elements)
		if elements < minimumWindow {
			return invalid("window", "the window must be at least %d", minimumWindow)
		}
		return nil
	}
}

// Events subscribes to events. It returns when the server has accepted that. The stream goes on by itself after the
// loss of a connection, until it is closed or the server refuses it. Section 11.
//
//	stream, err := client.Events(ctx, carillon.WithName("billing"))
//	if err != nil { … }
//	defer stream.Close(context.Background())
//	for {
//		element, err := stream.Next(ctx)
//		if err == io.EOF { break }
//		if err != nil { … }
//		if event, ok := element.(*carillon.Event); ok { … stream.Acknowledge(event.Sequence) }
//	}
func (c *Client) Events(ctx context.Context, options ...EventOption) (*EventStream, error) {
	s := &EventStream{client: c, window: defaultWindow}
	for _, each := range options {
		if err := each(s); err != nil {
			return nil, err
		}
	}
	if cause := ctx.Err(); cause != nil {
		return nil, contextError(cause, NotExecuted)
	}
	ctx, cancel := c.withRequestTimeout(ctx)
	defer cancel()
	c.mu.Lock()
	if c.isClosing {
		c.unlock()
		return nil, closedError()
	}
	c.streams = append(c.streams, s)
	c.sendWaiting(c.now())
	c.unlock()
	err := s.wait(ctx, func() bool { return s.isAccepted })
	if errors.Is(err, io.EOF) {
		err = closedError()
	}
	if err != nil {
		c.mu.Lock()
		if s.state == streamWaiting && errorCode(err) == ErrNoAnswer && c.current == nil {
			err = c.rounds.cannotConnect()
		}
		s.end(nil)
		c.unlock()
		return nil, err
	}
	return s, nil
}

// withRequestTimeout returns a context that ends with the request timeout if the context has no deadline of its own.
func (c *Client) withRequestTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.settings.requestTimeout)
}

// wait waits until something is true of the stream. It returns the error of the stream, io.EOF if it has ended without
// one, or that of the context.
func (s *EventStream) wait(ctx context.Context, isTrue func() bool) error {
	c := s.client
	for {
		c.mu.Lock()
		if isTrue() {
			c.unlock()
			return nil
		}
		if s.state == streamEnded {
			err := s.failure
			c.unlock()
			if err != nil {
				return err
			}
			return io.EOF
		}
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		c.unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return contextError(ctx.Err(), NotExecuted)
		}
	}
}

// Next returns the next element; io.EOF when the stream was closed, or the error that has ended it, after what was in
// memory. If the context ends, nothing is lost: Next can be called again.
func (s *EventStream) Next(ctx context.Context) (Element, error) {
	var next Element
	err := s.wait(ctx, func() bool {
		if len(s.queue) == 0 {
			return false
		}
		next, s.queue = s.queue[0], s.queue[1:]
		s.taken++
		if sequence := sequenceOf(next); sequence > s.returned {
			s.returned = sequence
		}
		s.sendDue(s.client.now())
		return true
	})
	return next, err
}

func sequenceOf(element Element) uint64 {
	switch e := element.(type) {
	case *Event:
		return e.Sequence
	case *Gap:
		return e.Sequence
	default:
		return 0
	}
}

// Acknowledge says that every event up to this number is processed. It does not wait for the server; see Flush. Call it
// for the last of several events, not for each one. If the stream has no name, nothing is acknowledged.
func (s *EventStream) Acknowledge(sequence uint64) error {
	c := s.client
	c.mu.Lock()
	defer c.unlock()
	if sequence > s.returned {
		return invalid("sequence", "the stream has not returned event %d yet", sequence)
	}
	if s.name != "" && sequence > s.acknowledged {
		s.acknowledged = sequence
		c.sendWaiting(c.now())
	}
	return nil
}

// Flush waits until everything that was acknowledged is durable.
func (s *EventStream) Flush(ctx context.Context) error {
	ctx, cancel := s.client.withRequestTimeout(ctx)
	defer cancel()
	err := s.wait(ctx, func() bool { return s.acknowledged <= s.durable })
	if errors.Is(err, io.EOF) {
		return closedError()
	}
	return err
}

// Close sends the last acknowledgement and ends the stream. What is in memory is dropped. It returns ErrConnectionLost
// if the last acknowledgement is not certain: then the server sends events again to the next stream of this name.
func (s *EventStream) Close(ctx context.Context) error {
	c := s.client
	ctx, cancel := c.withRequestTimeout(ctx)
	defer cancel()
	c.mu.Lock()
	s.isClosing, s.queue = true, nil
	if s.state == streamWaiting {
		s.end(nil)
	}
	c.sendWaiting(c.now())
	c.unlock()
	err := s.wait(ctx, func() bool { return s.state == streamEnded })
	c.mu.Lock()
	defer c.unlock()
	s.end(nil)
	if err == nil && s.acknowledged > s.durable {
		return connectionLost("the acknowledgement of %d is not durable", s.acknowledged)
	}
	return err
}
