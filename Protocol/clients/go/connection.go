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
	k := &connection{client: c, target: target, givesUpAt: now + c.settings.connectTimeout, wake: make(chan struct{}, 1),
		subscriptions: map[uint64]*EventStream{}}
	k.session = newSession(&c.settings, key, k, now)
	return k
}

// due returns when tick has something to do.
func (k *connection) due() time.Duration {
	if k.session.phase != phaseOpen {
		return k.givesUpAt
	}
	return k.session.due()
}

// tick does what is due of a connection.
func (k *connection) tick(now time.Duration) *fault {
	if k.session.phase != phaseOpen && now >= k.givesUpAt {
		return &fault{err: failure(ErrCannotConnect, NotExecuted, 0, "the server does not answer in time")}
	}
	wrong := k.session.tick(now)
	if len(k.session.control) > 0 {
		k.wakeWriter()
	}
	return wrong
}

// run connects, reads until the end, and returns when the socket is closed.
func (k *connection) run(ctx context.Context, keyFailure error) {
	c := k.client
	var conn net.Conn
	failed := keyFailure
	if failed == nil {
		conn, failed = dial(ctx, &c.settings, k.target.address)
	} else {
		failed = failure(ErrCannotConnect, NotExecuted, 0, "the key cannot be read: %v", failed)
	}
	c.mu.Lock()
	if failed != nil {
		c.lost(k, dialError(failed), 0)
		c.unlock()
		return
	}
	k.conn = conn
	hasEnded := k.hasEnded
	c.unlock()
	if !hasEnded {
		written := make(chan struct{})
		go func() {
			defer close(written)
			k.writeAll()
		}()
		k.readAll()
		<-written
	}
	_ = conn.Close()
}

// close ends the goroutines of the connection, under the lock.
func (k *connection) close() {
	k.cancel()
	k.wakeWriter()
	if k.conn != nil {
		k.client.running.Add(1)
		go func() {
			defer k.client.running.Done()
			_ = k.conn.Close() // with TLS this sends close_notify, which can take its time
		}()
	}
}

func (k *connection) wakeWriter() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// writeAll writes whatever there is to write, all of it in one write (CONTRACT.md, PIP-3).
func (k *connection) writeAll() {
	c := k.client
	for {
		c.mu.Lock()
		data := c.fill(k, c.now())
		k.isIdle = len(data) == 0
		if k.isIdle {
			c.dropIfDrained(k)
		}
		hasEnded := k.hasEnded
		c.unlock()
		switch {
		case hasEnded:
			return
		case len(data) > 0:
			if _, err := k.conn.Write(data); err != nil {
				k.ended(err)
				return
			}
			if cap(data) > 2*writeSize {
				k.buffer = nil
			}
		default:
			<-k.wake
			// Goroutines that run now can add their requests to this write.
			runtime.Gosched()
		}
	}
}

// readAll gives the session what comes, until the end.
func (k *connection) readAll() {
	c := k.client
	buffer := make([]byte, readSize)
	start, end := 0, 0
	for {
		n, err := k.conn.Read(buffer[end:])
		end += n
		if n > 0 {
			used, goesOn := k.received(buffer[start:end])
			start += used
			if !goesOn {
				return
			}
		}
		if err != nil {
			k.ended(err)
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
		wanted := k.session.wanted(buffer[start:end])
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
func (k *connection) received(data []byte) (int, bool) {
	c := k.client
	c.mu.Lock()
	defer c.unlock()
	if k.hasEnded {
		return 0, false
	}
	now := c.now()
	used, wrong := k.session.receive(data, now)
	if wrong != nil {
		c.lost(k, wrong.err, wrong.named)
		return used, false
	}
	c.noteWorked(k)
	c.dropIfDrained(k)
	if c.isClosing {
		c.finishClosing(now)
	}
	c.pump(now)
	if len(k.session.control) > 0 {
		k.wakeWriter()
	}
	return used, !k.hasEnded
}

// ended is called when the socket has ended.
func (k *connection) ended(cause error) {
	c := k.client
	c.mu.Lock()
	defer c.unlock()
	err := connectionLost("%v", cause)
	if errors.Is(cause, io.EOF) {
		err = connectionLost("the server has closed the connection")
	}
	err.cause = cause
	c.lost(k, err, 0)
}
