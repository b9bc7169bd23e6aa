package carillon

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"time"
)

const readSize = 64 << 10

// connection has its socket, from the attempt to the end. One goroutine reads it and one writes it; the
// client's lock protects everything but the socket.
type connection struct {
	client  *Client
	target  *target
	session *session
	// givesUpAt is when the connection must be open.
	givesUpAt time.Duration
	cancel    context.CancelFunc // ends the attempt to connect
	conn      net.Conn           // nil before the socket is connected
	// wake has an element if the writer is to look for work; isIdle says that it waits for that.
	wake     chan struct{}
	isIdle   bool
	buffer   []byte // of the writer
	wasOpen  bool
	hasEnded bool
	// subscriptions are the streams by the id of their SUBSCRIBE_EVENTS.
	subscriptions map[uint64]*EventStream
}

func newConnection(c *Client, target *target, key []byte, now time.Duration) *connection {
	l := &connection{client: c, target: target, givesUpAt: now + c.settings.connectTimeout, wake: make(chan struct{}, 1),
		subscriptions: map[uint64]*EventStream{}}
	l.session = newSession(&c.settings, key, l, now)
	return l
}

// due returns when tick has something to do.
func (l *connection) due() time.Duration {
	if l.session.phase != phaseOpen {
		return l.givesUpAt
	}
	return l.session.due()
}

// tick does what is due of a connection.
func (l *connection) tick(now time.Duration) *fault {
	if l.session.phase != phaseOpen && now >= l.givesUpAt {
		return &fault{err: failure(ErrCannotConnect, NotExecuted, 0, "the server does not answer in time")}
	}
	wrong := l.session.tick(now)
	if len(l.session.control) > 0 {
		l.wakeWriter()
	}
	return wrong
}

// run connects, reads until the end, and returns when the socket is closed.
func (l *connection) run(ctx context.Context, keyFailure error) {
	c := l.client
	var conn net.Conn
	failed := keyFailure
	if failed == nil {
		conn, failed = dial(ctx, &c.settings, l.target.address)
	} else {
		failed = failure(ErrCannotConnect, NotExecuted, 0, "the key cannot be read: %v", failed)
	}
	c.mu.Lock()
	if failed != nil {
		c.lost(l, dialError(failed), 0)
		c.unlock()
		return
	}
	l.conn = conn
	hasEnded := l.hasEnded
	c.unlock()
	if !hasEnded {
		written := make(chan struct{})
		go func() {
			defer close(written)
			l.writeAll()
		}()
		l.readAll()
		<-written
	}
	_ = conn.Close()
}

// close ends the goroutines of the connection, under the lock.
func (l *connection) close() {
	l.cancel()
	l.wakeWriter()
	if l.conn != nil {
		l.client.running.Add(1)
		go func() {
			defer l.client.running.Done()
			_ = l.conn.Close() // with TLS this sends close_notify, which can take its time
		}()
	}
}

func (l *connection) wakeWriter() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// writeAll writes whatever there is to write, all of it in one write (PIP-3).
func (l *connection) writeAll() {
	c := l.client
	for {
		c.mu.Lock()
		data := c.fill(l, c.now())
		l.isIdle = len(data) == 0
		if l.isIdle {
			c.dropIfDrained(l)
		}
		hasEnded := l.hasEnded
		c.unlock()
		switch {
		case hasEnded:
			return
		case len(data) > 0:
			if _, err := l.conn.Write(data); err != nil {
				l.ended(err)
				return
			}
			if cap(data) > 2*writeSize {
				l.buffer = nil
			}
		default:
			<-l.wake
			// Goroutines that run now can add their requests to this write.
			runtime.Gosched()
		}
	}
}

// readAll gives the session what comes, until the end.
func (l *connection) readAll() {
	c := l.client
	buffer := make([]byte, readSize)
	start, end := 0, 0
	for {
		n, err := l.conn.Read(buffer[end:])
		end += n
		if n > 0 {
			used, goesOn := l.received(buffer[start:end])
			start += used
			if !goesOn {
				return
			}
		}
		if err != nil {
			l.ended(err)
			return
		}
		if start == end {
			start, end = 0, 0
			if len(buffer) > 4*readSize {
				buffer = make([]byte, readSize)
			}
			continue
		}
		c.mu.Lock()
		wanted := l.session.wanted(buffer[start:end])
		c.mu.Unlock()
		if wanted > len(buffer)-start {
			room := buffer
			if wanted > len(buffer) {
				room = make([]byte, wanted)
			}
			copy(room, buffer[start:end])
			buffer, start, end = room, 0, end-start
		}
	}
}

// received handles bytes of the server; false at the end of the connection.
func (l *connection) received(data []byte) (int, bool) {
	c := l.client
	c.mu.Lock()
	defer c.unlock()
	if l.hasEnded {
		return 0, false
	}
	now := c.now()
	used, wrong := l.session.receive(data, now)
	if wrong != nil {
		c.lost(l, wrong.err, wrong.named)
		return used, false
	}
	c.noteWorked(l)
	c.dropIfDrained(l)
	if c.isClosing {
		c.finishClosing(now)
	}
	c.pump(now)
	if len(l.session.control) > 0 {
		l.wakeWriter()
	}
	return used, !l.hasEnded
}

// ended is called when the socket has ended.
func (l *connection) ended(cause error) {
	c := l.client
	c.mu.Lock()
	defer c.unlock()
	err := connectionLost("%v", cause)
	if errors.Is(cause, io.EOF) {
		err = connectionLost("the server has closed the connection")
	}
	err.cause = cause
	c.lost(l, err, 0)
}
