package carillon

import (
	"bytes"
	"encoding/binary"
	"time"
)

// This file reads what a server sends: frames in any division, judged before they are believed (CONTRACT.md, CON-8 to
// CON-10).

func (s *session) fault(format string, values ...any) *fault {
	s.phase = phaseEnded
	return &fault{err: connectionLost(format, values...)}
}

func (s *session) unreadable(what string) *fault {
	return s.fault("the server has sent what cannot be read: %s", what)
}

// wanted returns how many bytes the next preface or frame has. As long as the header of a frame is not in data, that is
// the size of the header. It believes the length in a header, because receive has judged it.
func (s *session) wanted(data []byte) int {
	if len(data) < headerSize || s.phase == phasePreface {
		return headerSize
	}
	return headerSize + int(readHeader(data).length)
}

// receive reads the whole frames at the beginning of data and returns how many bytes they have: a frame can come in
// parts, and several at once (CON-14). It judges a header before its payload has come.
func (s *session) receive(data []byte, now time.Duration) (int, *fault) {
	s.receivedAt = now
	if s.phase == phasePreface {
		if fault := s.readPreface(data); fault != nil || s.phase == phasePreface {
			return 0, fault
		}
		used, fault := s.receive(data[prefaceSize:], now)
		return used + prefaceSize, fault
	}
	used := 0
	for len(data)-used >= headerSize && s.phase != phaseEnded {
		head := readHeader(data[used:])
		if what := s.headerFault(head); what != "" {
			return used, s.unreadable(what)
		}
		end := used + headerSize + int(head.length)
		if end > len(data) {
			break
		}
		if fault := s.readFrame(head, data[used+headerSize:end]); fault != nil {
			return end, fault
		}
		used = end
	}
	return used, nil
}

// readPreface judges the bytes of the preface that have come: a peer of another protocol is found at its first byte
// (CON-2). Version 0 says that an error follows (CON-3).
func (s *session) readPreface(data []byte) *fault {
	isOurs := bytes.HasPrefix([]byte(prefaceMagic), data) || bytes.HasPrefix(data, []byte(prefaceMagic))
	if len(data) > 8 {
		rest := data[9:]
		if len(rest) > len(prefaceReserved) {
			rest = rest[:len(prefaceReserved)]
		}
		isOurs = isOurs && data[8] <= 1 && bytes.HasPrefix([]byte(prefaceReserved), rest)
	}
	if !isOurs {
		return s.fault("the peer does not speak the protocol of Carillon")
	}
	if len(data) >= prefaceSize {
		s.isRefused, s.phase = data[8] == 0, phaseHello
	}
	return nil
}

// headerFault says what is wrong with a header, so that no memory is reserved for a frame that must not come (CON-8);
// empty if nothing is. An answer must also have the opcode of its request.
func (s *session) headerFault(head header) string {
	switch {
	case head.length > s.settings.maximumReceiveBytes:
		return "a frame above the limit"
	case head.kind < kindAnswer || head.kind > kindControl:
		return "a kind of frames"
	case head.flags&0x0f != 0 && !(head.kind == kindControl && head.opcode == opcodePing && head.flags&0x0f == flagACK):
		return "flags"
	case head.kind == kindControl && head.id != 0, (head.kind == kindAnswer || head.kind == kindEvent) && head.id == 0:
		return "an id"
	}
	if s.phase == phaseOpen && head.kind == kindAnswer {
		exchange := s.outstanding[head.id]
		if exchange != nil && (exchange.opcode != head.opcode || head.flags != 0) {
			return "an answer with another opcode than its request"
		}
	}
	return ""
}

// readFrame reads a whole frame whose header was judged. A fault ends the connection.
func (s *session) readFrame(head header, payload []byte) *fault {
	switch head.kind {
	case kindControl:
		return s.controlFrame(head, payload)
	case kindEvent:
		return s.eventFrame(head, payload)
	case kindError:
		return s.errorFrame(head, payload)
	}
	if s.phase != phaseOpen {
		return s.handshakeAnswer(head, payload)
	}
	exchange := s.outstanding[head.id]
	if exchange == nil {
		return nil
	}
	if exchange.call != nil && !decode(payload, exchange.answer) {
		return s.unreadable("the answer to " + operationOf(exchange.opcode))
	}
	s.complete(exchange, nil)
	return nil
}

// complete gives an exchange its end: the answer was decoded into it, or the server has sent an error.
func (s *session) complete(exchange *exchange, err *Error) {
	s.hasWorked = true
	s.forget(exchange)
	if exchange.call == nil {
		s.abandonedCount--
		s.stuckSince = 0
	}
	s.owner.exchangeEnded(exchange, err)
}

// handshakeAnswer reads the answer to HELLO or AUTH.
func (s *session) handshakeAnswer(head header, payload []byte) *fault {
	var auth authAnswer
	isAwaited := !s.isRefused && head.flags == 0 && head.id == s.lastID
	switch {
	case isAwaited && s.phase == phaseHello && head.opcode == opcodeHello && decode(payload, &s.server):
		return s.helloAnswered()
	case isAwaited && s.phase == phaseAuth && head.opcode == opcodeAuth && decode(payload, &auth):
		s.server.Principal, s.server.Grants = auth.Principal, auth.Grants
		s.open()
		return nil
	}
	return s.unreadable("an answer in the handshake")
}

// helloAnswered sends AUTH if the server asks for it; otherwise the connection is open.
func (s *session) helloAnswered() *fault {
	if s.server.Authenticated {
		s.open()
		return nil
	}
	if s.key == nil {
		s.phase = phaseEnded
		return &fault{err: failure(ErrAuthenticationFailed, NotExecuted, Never, "the server requires a key; none is set")}
	}
	s.phase = phaseAuth
	s.handshake(&authRequest{Method: methodKey, Credential: s.key})
	return nil
}

func (s *session) open() {
	s.phase = phaseOpen
	s.owner.opened()
}

// errorFrame reads an error: of the handshake, of the connection, or of a request.
func (s *session) errorFrame(head header, payload []byte) *fault {
	var frame errorFrame
	if head.flags != 0 || !decode(payload, &frame) {
		return s.unreadable("an error")
	}
	err := errorOf(&frame)
	if s.phase != phaseOpen {
		s.phase = phaseEnded
		return &fault{err: err}
	}
	if err.Scope == ScopeConnection {
		s.phase, s.hasWorked = phaseEnded, s.hasWorked || head.id != 0
		return &fault{err: err, requestID: head.id}
	}
	if head.id == 0 {
		return s.unreadable("an error without an id")
	}
	exchange := s.outstanding[head.id]
	switch {
	case exchange == nil:
	case exchange.opcode != head.opcode:
		return s.unreadable("an error with another opcode than its request")
	default:
		s.complete(exchange, err)
	}
	return nil
}

// eventFrame reads an event. It may come only while the subscription has credit for it.
func (s *session) eventFrame(head header, payload []byte) *fault {
	if head.opcode != opcodeEvent || head.flags != 0 || s.phase != phaseOpen {
		return nil
	}
	var frame eventFrame
	if !decode(payload, &frame) || frame.Kind == gapKind && (frame.MissedFrom == nil || frame.MissedTo == nil) {
		return s.unreadable("an event")
	}
	s.hasWorked = true
	if !s.owner.eventReceived(head.id, &frame) {
		return s.fault("the server has sent more events than the credit allows")
	}
	return nil
}

// controlFrame reads a PING, its answer, a POSITION or a GOAWAY; others are ignored.
func (s *session) controlFrame(head header, payload []byte) *fault {
	if head.flags > 0x0f {
		return nil
	}
	switch head.opcode {
	case opcodePing:
		return s.pingFrame(payload, head.flags == flagACK)
	case opcodePosition:
		return s.positionFrame(payload)
	case opcodeGoAway:
		return s.goAwayFrame(payload)
	}
	return nil
}

// pingFrame answers a PING of the server, or takes the answer to the PING of this side.
func (s *session) pingFrame(data []byte, isAnswer bool) *fault {
	if len(data) != pingSize {
		return s.unreadable("a PING")
	}
	if isAnswer {
		if s.isPinging && bytes.Equal(data, s.pingData[:]) {
			s.isPinging, s.hasWorked = false, true
			s.owner.pongReceived()
		}
		return nil
	}
	s.writePing(data, flagACK)
	if len(s.control) > maximumControlBytes {
		return s.fault("the server sends more PINGs than it takes answers")
	}
	return nil
}

// positionFrame takes the position of a node; one of another server is ignored (POS-1).
func (s *session) positionFrame(payload []byte) *fault {
	if len(payload) != positionSize {
		return s.unreadable("a POSITION")
	}
	if s.isNode() {
		s.owner.positionReported(binary.BigEndian.Uint64(payload))
	}
	return nil
}

// goAwayFrame takes no more requests for this connection. In the handshake a GOAWAY ends it.
func (s *session) goAwayFrame(payload []byte) *fault {
	var frame goAwayFrame
	if !decode(payload, &frame) {
		return s.unreadable("GOAWAY")
	}
	if s.phase != phaseOpen {
		s.phase = phaseEnded
		wait := time.Duration(frame.ReconnectAfterMs) * time.Millisecond
		return &fault{err: failure(ErrDraining, NotExecuted, wait, "the server drains")}
	}
	s.isDraining = true
	s.owner.goingAway(&frame)
	return nil
}
