package carillon

import (
	"sync"
	"time"
)

// callState is the state of a call (CONTRACT.md, States of a call).
type callState uint8

const (
	callWaiting callState = iota // for a connection or for room
	callWritten
	callPausing // before the next attempt
	callDone
)

// pendingCall is one use of a method, from its beginning to its one result, over all its attempts. Connect and Ping are
// calls without a frame. The client's lock protects it.
type pendingCall struct {
	exchange   exchange
	frame      []byte
	answer     answer
	opcode     uint16
	repetition repetition
	// deadlineAt is where deadline_ms is in the frame; 0 = it has none.
	deadlineAt    int
	isNotRepeated bool
	// onEnd is called, under the lock, in place of waking a goroutine: for requests of streams.
	onEnd func(*Error)

	state    callState
	begunAt  time.Duration
	deadline time.Duration
	// dueAt is the deadline, or the end of a pause; index is where the call is in the heap, -1 = it is not there.
	dueAt time.Duration
	index int

	connection *connection // of the latest attempt
	attempts   int
	// effect and lastError are those of the attempts that have failed.
	effect    Effect
	lastError *Error
	// firstWritten and firstEpoch are of the first attempt: they decide whether the server still knows the key
	// (CONTRACT.md, RET-4).
	firstWritten   time.Duration
	firstEpoch     Key
	isKeyForgotten bool

	err  *Error
	done chan struct{}
	// isAbandoned: a session still has the exchange of this call, which must not be used again.
	isAbandoned    bool
	earlier, later *pendingCall // in the list of waiting calls
	isListed       bool
	isCounted      bool // the frame is part of the memory of all calls
	nextDone       *pendingCall
}

var callPool = sync.Pool{New: func() any { return &pendingCall{done: make(chan struct{}, 1)} }}

func newCall() *pendingCall {
	p := callPool.Get().(*pendingCall)
	p.index = -1
	return p
}

// encoder begins the frame of the call's request, with a deadline that is filled in for each attempt.
func (p *pendingCall) encoder(opcode uint16) writer {
	p.opcode = opcode
	return newWriterWithDeadline(p.frame[:0], opcode)
}

// encoded ends the frame of the call's request.
func (p *pendingCall) encoded(w *writer, rule repetition) {
	w.end()
	p.frame, p.repetition, p.err = w.data, rule, w.failure
	p.deadlineAt = w.tagsAt + 3 // behind the count, the tag and the size
}

// attemptWritten notes that the request is written on a connection.
func (p *pendingCall) attemptWritten(conn *connection, now time.Duration) {
	p.state, p.connection = callWritten, conn
	p.attempts++
	if p.firstWritten == 0 {
		p.firstWritten, p.firstEpoch = now, conn.session.server.Epoch
	}
}

// release makes the call available again.
func (p *pendingCall) release() {
	if p.isAbandoned {
		return
	}
	frame, done := p.frame, p.done
	if cap(frame) > 16<<10 {
		frame = nil
	}
	*p = pendingCall{frame: frame[:0], done: done}
	callPool.Put(p)
}

// mayRepeat is true if the request may be made again after an attempt with this error: it had no effect, or a second
// request does no harm (RET-1).
func (p *pendingCall) mayRepeat(err *Error, maximumAttempts int) bool {
	if p.isNotRepeated || p.onEnd != nil || err.RetryAfter == Never || p.attempts >= maximumAttempts {
		return false
	}
	return err.Effect == NotExecuted || err.Effect == EffectUnknown && p.repetition.isRepeatable
}

// final returns the error of the call. Its effect is the worst of all attempts: an earlier one may have taken effect
// (ERR-3).
func (p *pendingCall) final(err *Error) *Error {
	final := *err
	final.Effect = worst(p.effect, err.Effect)
	if p.repetition.isReadOnly {
		final.Effect = NotExecuted
	}
	final.Attempts, final.Key = p.attempts, p.repetition.key
	final.isSafeToRetry = final.Effect == EffectUnknown && p.repetition.isRepeatable && !p.isKeyForgotten
	return &final
}

// callList is a list of calls in their order; a call is in one at most.
type callList struct {
	first, last *pendingCall
	count       int
}

func (l *callList) pushBack(p *pendingCall) {
	p.earlier, p.later, p.isListed = l.last, nil, true
	if l.last != nil {
		l.last.later = p
	} else {
		l.first = p
	}
	l.last = p
	l.count++
}

func (l *callList) pushFront(p *pendingCall) {
	p.earlier, p.later, p.isListed = nil, l.first, true
	if l.first != nil {
		l.first.earlier = p
	} else {
		l.last = p
	}
	l.first = p
	l.count++
}

func (l *callList) remove(p *pendingCall) {
	if !p.isListed {
		return
	}
	if p.earlier != nil {
		p.earlier.later = p.later
	} else {
		l.first = p.later
	}
	if p.later != nil {
		p.later.earlier = p.earlier
	} else {
		l.last = p.earlier
	}
	p.earlier, p.later, p.isListed = nil, nil, false
	l.count--
}

// callHeap has the calls by dueAt. It is a heap of its own because container/heap boxes its elements.
type callHeap []*pendingCall

func (h *callHeap) push(p *pendingCall) {
	p.index = len(*h)
	*h = append(*h, p)
	h.up(p.index)
}

func (h *callHeap) remove(p *pendingCall) {
	index, last := p.index, len(*h)-1
	if index < 0 {
		return
	}
	h.swap(index, last)
	(*h)[last] = nil
	*h = (*h)[:last]
	p.index = -1
	if index < last {
		h.fix(index)
	}
}

func (h *callHeap) fix(index int) {
	h.down(index)
	h.up(index)
}

func (h callHeap) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h callHeap) up(index int) {
	for index > 0 && h[index].dueAt < h[(index-1)/2].dueAt {
		h.swap(index, (index-1)/2)
		index = (index - 1) / 2
	}
}

func (h callHeap) down(index int) {
	for {
		least := index
		for child := 2*index + 1; child <= 2*index+2 && child < len(h); child++ {
			if h[child].dueAt < h[least].dueAt {
				least = child
			}
		}
		if least == index {
			return
		}
		h.swap(index, least)
		index = least
	}
}
