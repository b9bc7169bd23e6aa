package carillon

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// peer is a server in the process of the test: it makes the handshake and lets a function answer each request.
type peer struct {
	listener net.Listener
	// answer returns the payload of the answer to a request, or an error frame.
	answer func(head header, payload []byte) ([]byte, *errorFrame)

	mu          sync.Mutex
	connections []net.Conn
	group       sync.WaitGroup
}

func startPeer(t testing.TB, answer func(header, []byte) ([]byte, *errorFrame)) *peer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{listener: listener, answer: answer}
	p.group.Add(1)
	go p.accept()
	t.Cleanup(func() {
		_ = listener.Close()
		p.cut()
		p.group.Wait()
	})
	return p
}

func (p *peer) accept() {
	defer p.group.Done()
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.connections = append(p.connections, conn)
		p.mu.Unlock()
		p.group.Add(1)
		go func() {
			defer p.group.Done()
			defer conn.Close()
			p.serve(conn)
		}()
	}
}

// cut ends all connections.
func (p *peer) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, each := range p.connections {
		_ = each.Close()
	}
	p.connections = nil
}

func (p *peer) serve(conn net.Conn) {
	preface := make([]byte, prefaceSize)
	if _, err := io.ReadFull(conn, preface); err != nil {
		return
	}
	_, _ = conn.Write([]byte(prefaceMagic + "\x01" + prefaceReserved))
	for {
		head := make([]byte, headerSize)
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		h := readHeader(head)
		payload := make([]byte, h.length)
		if _, err := io.ReadFull(conn, payload); err != nil {
			return
		}
		var data []byte
		switch {
		case h.kind == kindControl:
			answer := header{length: h.length, kind: kindControl, flags: flagACK, opcode: h.opcode}
			data = append(appendHeader(nil, answer), payload...)
		case h.opcode == opcodeHello:
			data = frameOf(h, kindAnswer, helloAnswer())
		default:
			answered, failed := p.answer(h, payload)
			if failed != nil {
				data = frameOf(h, kindError, errorPayload(failed))
			} else {
				data = frameOf(h, kindAnswer, answered)
			}
		}
		if _, err := conn.Write(data); err != nil {
			return
		}
	}
}

func frameOf(h header, kind uint8, payload []byte) []byte {
	answer := header{length: uint32(len(payload)), kind: kind, opcode: h.opcode, id: h.id}
	return append(appendHeader(nil, answer), payload...)
}

// helloAnswer is that of a server that asks for no key and serves every request.
func helloAnswer() []byte {
	w := writer{}
	w.str("", "peer/1.0")
	w.uuid(Key{1})
	w.u64(1)
	for _, each := range []uint32{1 << 20, 1024, 1000, 30000, 10000, 86400} {
		w.u32(each)
	}
	w.u8(1)
	requests := newRequests()
	w.u32(uint32(len(requests)))
	for _, each := range requests {
		w.u16(each.opcode())
		w.u8(1)
		w.u8(1)
	}
	return w.data
}

func errorPayload(e *errorFrame) []byte {
	w := writer{}
	w.u16(e.Code)
	w.u8(e.Scope)
	w.u8(e.Effect)
	w.u32(e.RetryAfterMs)
	w.str("", e.Message)
	return w.data
}

// zeros is an answer whose fixed part is 0 or empty; it fits every answer without a token.
func zeros(header, []byte) ([]byte, *errorFrame) { return nil, nil }

func (p *peer) connect(t testing.TB, options ...Option) *Client {
	t.Helper()
	client, err := Connect(context.Background(), append([]Option{WithAddresses(p.listener.Addr().String()),
		WithBackoff(time.Millisecond, 10*time.Millisecond)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(context.Background()) })
	return client
}

// deviceAnswerOf is the answer to UPDATE_DEVICE and RESTORE.
func deviceAnswerOf(id uint64) []byte { return binary.BigEndian.AppendUint64(nil, id) }
