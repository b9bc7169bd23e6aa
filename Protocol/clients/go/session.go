package carillon

import (
	"encoding/binary"
	"math"
	"time"
)

// The prefaces, section 2.
const (
	prefaceSize     = 16
	prefaceMagic    = "\xC3CRLN\r\n\x1A"
	clientPreface   = prefaceMagic + "\x01\x01\x00\x00\x00\x00\x00\x00"
	prefaceReserved = "\x00\x00\x00\x00\x00\x00\x00"

	opcodePing   = 0x0003
	opcodeGoAway = 0x0004
	opcodeEvent  = opcodeSubscribeEvents
	pingSize     = 8

	// onlyLayout is the layout of payloads that this client speaks, section 3.
	onlyLayout = 1
	// methodKey says that AUTH has an API key, section 6.2.
	methodKey = 1

	// maximumControlBytes bounds the ACKs that the server does not take.
	maximumControlBytes = 16 << 10
	forever             = time.Duration(math.MaxInt64)
)

// phase is how far a connection is, section 5.
type phase uint8

const (
	phasePreface phase = iota
	phaseHello
	phaseAuth
	phaseOpen
	phaseEnded
)

// session is one connection without a socket and without a clock: prefaces, HELLO, AUTH, ids, answers, PING
// (CONTRACT.md, CON and PIP). Times are since the client was made. The owner serialises all methods.
type session struct {
	settings *settings
	owner    sessionOwner
	key      []byte
	phase    phase
	// isRefused: the server's preface had version 0.
	isRefused  bool
	isDraining bool
	// hasWorked: something other than the handshake and GOAWAY has come (CONTRACT.md, CON-15).
	hasWorked bool
	server    ServerInfo

	// control is written before requests: preface, handshake, PING and ACK.
	control []byte
	lastID  uint64
	// outstanding has the written requests by id; oldest and newest are the ends of their list, in the order of ids.
	outstanding    map[uint64]*exchange
	oldest, newest *exchange
	abandonedCount int
	// stuckSince is since when abandoned requests occupy all room, as with a server that answers nothing but PINGs
	// (PIP-5); 0 = they do not.
	stuckSince time.Duration

	receivedAt time.Duration
	pingData   [pingSize]byte
	// pingedAt is when the latest PING was written, 0 = never; isPinging says that its ACK is waited for.
	pingedAt  time.Duration
	isPinging bool
}

// sessionOwner is told what a session has read. None of its methods is called after a fault.
type sessionOwner interface {
	opened()
	// exchangeEnded is called when the server has answered: with an error, or with err nil after the answer was read.
	exchangeEnded(ended *exchange, err *Error)
	// eventReceived returns false if the server had no credit for it.
	eventReceived(id uint64, frame *eventFrame) bool
	goingAway(frame *goAwayFrame)
	positionReported(number uint64)
	pongReceived()
}

// exchange is a request that is written and not answered.
type exchange struct {
	id        uint64
	opcode    uint16
	writtenAt time.Duration
	answer    answer
	// call is nil if its answer is of no interest any more.
	call           *pendingCall
	earlier, later *exchange
}

// fault is why a connection must be closed. The request with the id requestID, if it is not 0, fails with the error
// itself, the others with CONNECTION_LOST.
type fault struct {
	err       *Error
	requestID uint64
}

func newSession(settings *settings, key []byte, owner sessionOwner, now time.Duration) *session {
	s := &session{settings: settings, owner: owner, key: key, receivedAt: now, outstanding: map[uint64]*exchange{}}
	s.control = append(s.control, clientPreface...)
	s.handshake(&helloRequest{Software: settings.software, ReceiveLimit: settings.maximumReceiveBytes})
	return s
}

func (s *session) handshake(message request) {
	start := len(s.control)
	s.control, _ = appendRequest(s.control, message)
	s.lastID++
	setID(s.control[start:], s.lastID)
}

// Requests

// inFlightLimit is how many requests may be outstanding: the smaller bound of the server and the program (PIP-4).
func (s *session) inFlightLimit() int {
	limit := int(s.server.InFlightLimit)
	if limit < 1 {
		limit = 1
	}
	if s.settings.maximumInFlight < limit {
		limit = s.settings.maximumInFlight
	}
	return limit
}

// room is how many requests may be written now.
func (s *session) room() int {
	if s.phase != phaseOpen || s.isDraining {
		return 0
	}
	return s.inFlightLimit() - len(s.outstanding)
}

// refusal returns why a request must not be written on this connection (CON-7); nil if it may be.
func (s *session) refusal(opcode uint16, frame []byte) *Error {
	isServed := false
	for _, each := range s.server.Opcodes {
		isServed = isServed || each.Opcode == opcode && each.Lowest <= onlyLayout && each.Highest >= onlyLayout
	}
	if !isServed {
		return failure(ErrUnsupportedOpcode, NotExecuted, Never, "the server does not serve %s", operationOf(opcode))
	}
	if length := len(frame) - headerSize; length > int(s.server.FrameLimit) {
		err := failure(ErrFrameTooLarge, NotExecuted, Never, "the request has %d bytes", length)
		err.Limit = Ptr(uint64(s.server.FrameLimit))
		return err
	}
	return nil
}

// write appends a request to data and expects its answer.
func (s *session) write(data []byte, exchange *exchange, frame []byte, now time.Duration) []byte {
	s.lastID++
	setID(frame, s.lastID)
	exchange.id, exchange.writtenAt = s.lastID, now
	s.outstanding[exchange.id] = exchange
	exchange.earlier, exchange.later = s.newest, nil
	if s.newest != nil {
		s.newest.later = exchange
	} else {
		s.oldest = exchange
	}
	s.newest = exchange
	return append(data, frame...)
}

// forget removes an exchange: its request was answered, or not executed.
func (s *session) forget(exchange *exchange) {
	delete(s.outstanding, exchange.id)
	if exchange.earlier != nil {
		exchange.earlier.later = exchange.later
	} else {
		s.oldest = exchange.later
	}
	if exchange.later != nil {
		exchange.later.earlier = exchange.earlier
	} else {
		s.newest = exchange.earlier
	}
	exchange.earlier, exchange.later = nil, nil
}

// abandon says that an answer is of no interest any more. The request keeps its room until the answer comes, because
// the server still counts it (PIP-5).
func (s *session) abandon(exchange *exchange, now time.Duration) {
	exchange.call, exchange.answer = nil, nil
	s.abandonedCount++
	if s.phase == phaseOpen && s.abandonedCount >= s.inFlightLimit() && s.stuckSince == 0 {
		s.stuckSince = now
	}
}

// isFinished is true if no answer is waited for.
func (s *session) isFinished() bool { return len(s.outstanding) == s.abandonedCount }

// Time

// due returns when performDue has something to do.
func (s *session) due() time.Duration {
	if s.phase != phaseOpen {
		return forever
	}
	at := s.pingDue()
	if s.isPinging {
		at = s.pingedAt + s.settings.pingTimeout
	}
	if stuck := s.stuckSince + s.settings.pingTimeout; s.stuckSince != 0 && stuck < at {
		at = stuck
	}
	return at
}

// pingDue returns when a PING is due: after silence, sooner if a request waits for its answer, and not sooner than the
// server allows (CON-12).
func (s *session) pingDue() time.Duration {
	at := forever
	if keepalive := s.server.Keepalive; keepalive > 0 {
		if keepalive < s.server.PingInterval {
			keepalive = s.server.PingInterval
		}
		at = s.receivedAt + keepalive
	}
	if s.oldest != nil {
		since := s.receivedAt
		if s.oldest.writtenAt > since {
			since = s.oldest.writtenAt
		}
		if probe := since + s.settings.probeAfter; probe < at {
			at = probe
		}
	}
	if next := s.pingAllowed(); at < next {
		at = next
	}
	return at
}

// pingAllowed returns when the next PING may be sent.
func (s *session) pingAllowed() time.Duration {
	if s.pingedAt == 0 {
		return 0
	}
	return s.pingedAt + s.server.PingInterval
}

// performDue sends the PING that is due, or finds that the server is dead: it sends nothing after a PING (CON-13), or
// only answers to PINGs (PIP-5).
func (s *session) performDue(now time.Duration) *fault {
	if s.phase != phaseOpen {
		return nil
	}
	if s.stuckSince != 0 && now >= s.stuckSince+s.settings.pingTimeout {
		return s.fault("the server answers no request")
	}
	if s.isPinging && now >= s.pingedAt+s.settings.pingTimeout {
		if s.receivedAt <= s.pingedAt {
			return s.fault("the server is silent")
		}
		s.isPinging = false
	}
	if !s.isPinging && now >= s.pingDue() {
		s.ping(now)
	}
	return nil
}

// ping writes a PING of the client.
func (s *session) ping(now time.Duration) {
	binary.BigEndian.PutUint64(s.pingData[:], binary.BigEndian.Uint64(s.pingData[:])+1)
	s.isPinging, s.pingedAt = true, now
	s.writePing(s.pingData[:], 0)
}

func (s *session) writePing(data []byte, flags uint8) {
	s.control = appendHeader(s.control, header{length: pingSize, kind: kindControl, flags: flags, opcode: opcodePing})
	s.control = append(s.control, data...)
}
