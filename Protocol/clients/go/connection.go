package carillon

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"time"
)

const readBufferBytes = 64 << 10

// connection is one connection to a server, from the attempt to open it until its end. One goroutine reads its socket
// and one writes it; the client's lock protects everything but the socket.
type connection struct {
	client  *Client
	target  *target
	session *session
	// givesUpAt is when the connection must be open.
	givesUpAt time.Duration
	cancel    context.CancelFunc // ends the attempt to connect
	socket    net.Conn           // nil before the socket is connected
	// wake has an element if the writer is to look for work; isIdle says that it waits for that.
	wake      chan struct{}
	isIdle    bool
	buffer    []byte // of the writer
	hasOpened bool
	hasEnded  bool
	// subscriptions are the streams by the id of their SUBSCRIBE_EVENTS.
	subscriptions map[uint64]*EventStream
}

func newConnection(c *Client, target *target, key []byte, now time.Duration) *connection {
	conn := &connection{client: c, target: target, givesUpAt: now + c.settings.connectTimeout,
		wake: make(chan struct{}, 1), subscriptions: map[uint64]*EventStream{}}
	conn.session = newSession(&c.settings, key, conn, now)
	return conn
}

// due returns when performDue has something to do.
func (conn *connection) due() time.Duration {
	if conn.session.phase != phaseOpen {
		return conn.givesUpAt
	}
	return conn.session.due()
}

// performDue does what is due of a connection.
func (conn *connection) performDue(now time.Duration) *fault {
	if conn.session.phase != phaseOpen && now >= conn.givesUpAt {
		return &fault{err: failure(ErrCannotConnect, NotExecuted, 0, "the server does not answer in time")}
	}
	fault := conn.session.performDue(now)
	if len(conn.session.control) > 0 {
		conn.wakeWriter()
	}
	return fault
}

// run connects, reads until the end, and returns when the socket is closed.
func (conn *connection) run(ctx context.Context, keyFailure error) {
	c := conn.client
	socket, err := conn.dial(ctx, keyFailure)
	c.mu.Lock()
	if err != nil {
		c.connectionEnded(conn, err, 0)
		c.unlock()
		return
	}
	conn.socket = socket
	hasEnded := conn.hasEnded
	c.unlock()
	if !hasEnded {
		conn.transfer()
	}
	_ = socket.Close()
}

// dial opens the socket. Without the key that was to be read, it fails as an attempt to connect does (CRED-2).
func (conn *connection) dial(ctx context.Context, keyFailure error) (net.Conn, *Error) {
	if keyFailure != nil {
		return nil, failure(ErrCannotConnect, NotExecuted, 0, "the key cannot be read: %v", keyFailure)
	}
	socket, err := dial(ctx, &conn.client.settings, conn.target.address)
	if err != nil {
		return nil, dialError(err)
	}
	return socket, nil
}

// transfer reads and writes until the connection has ended.
func (conn *connection) transfer() {
	written := make(chan struct{})
	go func() {
		defer close(written)
		conn.writeAll()
	}()
	conn.readAll()
	<-written
}

// close ends the goroutines of the connection, under the lock.
func (conn *connection) close() {
	conn.cancel()
	conn.wakeWriter()
	if conn.socket != nil {
		conn.client.running.Add(1)
		go func() {
			defer conn.client.running.Done()
			_ = conn.socket.Close() // with TLS this sends close_notify, which can take its time
		}()
	}
}

func (conn *connection) wakeWriter() {
	select {
	case conn.wake <- struct{}{}:
	default:
	}
}

// writeAll writes whatever there is to write, all of it in one write (CONTRACT.md, PIP-3).
func (conn *connection) writeAll() {
	c := conn.client
	for {
		c.mu.Lock()
		data := c.nextWrite(conn, c.now())
		conn.isIdle = len(data) == 0
		if conn.isIdle {
			c.dropIfDrained(conn)
		}
		hasEnded := conn.hasEnded
		c.unlock()
		switch {
		case hasEnded:
			return
		case len(data) > 0:
			if _, err := conn.socket.Write(data); err != nil {
				conn.socketEnded(err)
				return
			}
			if cap(data) > 2*maximumWriteBytes {
				conn.buffer = nil
			}
		default:
			<-conn.wake
			// Goroutines that run now can add their requests to this write.
			runtime.Gosched()
		}
	}
}

// readAll gives the session what comes, until the end.
func (conn *connection) readAll() {
	buffer := receiveBuffer{data: make([]byte, readBufferBytes)}
	for {
		n, err := buffer.fill(conn.socket)
		if n > 0 {
			used, goesOn := conn.received(buffer.unread())
			buffer.start += used
			if !goesOn {
				return
			}
		}
		if err != nil {
			conn.socketEnded(err)
			return
		}
		if len(buffer.unread()) == 0 {
			buffer.reset()
		} else {
			buffer.makeRoom(conn.wanted(buffer.unread()))
		}
	}
}

// receiveBuffer has the bytes of a socket; those of data[start:end] are not read by the session yet.
type receiveBuffer struct {
	data       []byte
	start, end int
}

// fill adds what the socket has, and returns the number of its bytes.
func (b *receiveBuffer) fill(socket net.Conn) (int, error) {
	n, err := socket.Read(b.data[b.end:])
	b.end += n
	return n, err
}

func (b *receiveBuffer) unread() []byte { return b.data[b.start:b.end] }

// reset makes a buffer without unread bytes empty. One that has grown for a long frame gives its memory back.
func (b *receiveBuffer) reset() {
	b.start, b.end = 0, 0
	if len(b.data) > 4*readBufferBytes {
		b.data = make([]byte, readBufferBytes)
	}
}

// makeRoom lets the frame that begins with the unread bytes come whole.
func (b *receiveBuffer) makeRoom(frameBytes int) {
	if frameBytes <= len(b.data)-b.start {
		return
	}
	room := b.data
	if frameBytes > len(b.data) {
		room = make([]byte, frameBytes)
	}
	copy(room, b.unread())
	b.data, b.start, b.end = room, 0, b.end-b.start
}

// wanted returns how many bytes the frame has that begins with data.
func (conn *connection) wanted(data []byte) int {
	conn.client.mu.Lock()
	defer conn.client.mu.Unlock()
	return conn.session.wanted(data)
}

// received handles bytes of the server; false at the end of the connection.
func (conn *connection) received(data []byte) (int, bool) {
	c := conn.client
	c.mu.Lock()
	defer c.unlock()
	if conn.hasEnded {
		return 0, false
	}
	now := c.now()
	used, fault := conn.session.receive(data, now)
	if fault != nil {
		c.connectionEnded(conn, fault.err, fault.requestID)
		return used, false
	}
	c.connectionWorked(conn)
	c.dropIfDrained(conn)
	if c.isClosing {
		c.finishClosing(now)
	}
	c.sendWaiting(now)
	if len(conn.session.control) > 0 {
		conn.wakeWriter()
	}
	return used, !conn.hasEnded
}

// socketEnded is called when the socket has ended.
func (conn *connection) socketEnded(cause error) {
	c := conn.client
	c.mu.Lock()
	defer c.unlock()
	err := connectionLost("%v", cause)
	if errors.Is(cause, io.EOF) {
		err = connectionLost("the server has closed the connection")
	}
	err.cause = cause
	c.connectionEnded(conn, err, 0)
}
