package carillon

import (
	"sync"
	"time"
)

// Hooks let a program watch the client, for logs and metrics. Each is optional. They are called outside of locks, one
// after the other but for OnCall, which the goroutine of the call calls. A panic in a hook is dropped. A hook must not
// wait for the client; it may start a goroutine. No value contains a secret or a whole token.
type Hooks struct {
	// OnCall is called once at the end of each call.
	OnCall func(CallReport)
	// OnRetry is called when a request is going to be repeated after a pause.
	OnRetry func(RetryReport)
	// OnState is called when the state of a connection or of the client has changed.
	OnState func(StateReport)
}

// CallReport is how a call ended.
type CallReport struct {
	// Operation is the name of the request, such as message_status.
	Operation string
	// Address is that of the last attempt; empty if nothing was written.
	Address  string
	Duration time.Duration
	Attempts int
	// Code is empty if the call succeeded.
	Code   Code
	Effect Effect
}

// RetryReport is an attempt that failed and will be repeated.
type RetryReport struct {
	Operation string
	// Attempt is the number of the attempt that failed, from 1.
	Attempt int
	Pause   time.Duration
	Err     *Error
}

// State is a state of a connection or of the client.
type State string

// The states, CONTRACT.md, OBS-3.
const (
	StateConnecting   State = "connecting"
	StateConnected    State = "connected"
	StateFailed       State = "failed"
	StateDraining     State = "draining"
	StateDisconnected State = "disconnected"
	StateRefused      State = "refused"
	StateNewHistory   State = "new_history"
	StateClosed       State = "closed"
)

// StateReport is a change of state.
type StateReport struct {
	State State
	// Address is the server; empty for StateClosed.
	Address string
	// Software and Epoch are the server's, with StateConnected; Epoch and EarlierEpoch with StateNewHistory.
	Software     string
	Epoch        Key
	EarlierEpoch Key
	// Reason is what the server has said, with StateDraining.
	Reason string
	// Err is why, with StateFailed, StateDisconnected and StateRefused.
	Err *Error
}

// maximumReports bounds the reports that wait for a slow hook. Beyond it, reports of retries are dropped.
const maximumReports = 1000

// reporter calls OnRetry and OnState in their order, in a goroutine that lives while there is something to report.
type reporter struct {
	hooks   Hooks
	mu      sync.Mutex
	waiting []func(Hooks)
	idle    chan struct{} // closed when the goroutine has ended; nil if there is none
}

func (r *reporter) state(report StateReport) {
	if r.hooks.OnState != nil {
		r.add(func(hooks Hooks) { hooks.OnState(report) })
	}
}

func (r *reporter) retry(report RetryReport) {
	if r.hooks.OnRetry == nil {
		return
	}
	r.mu.Lock()
	isFull := len(r.waiting) >= maximumReports
	r.mu.Unlock()
	if !isFull {
		r.add(func(hooks Hooks) { hooks.OnRetry(report) })
	}
}

func (r *reporter) add(report func(Hooks)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, report)
	if r.idle == nil {
		r.idle = make(chan struct{})
		go r.run(r.idle)
	}
}

func (r *reporter) run(idle chan struct{}) {
	defer close(idle)
	for {
		r.mu.Lock()
		waiting := r.waiting
		r.waiting = nil
		if len(waiting) == 0 {
			r.idle = nil
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
		for _, each := range waiting {
			runProtected(func() { each(r.hooks) })
		}
	}
}

// flushed returns a channel that is closed when everything is reported; nil if it is already.
func (r *reporter) flushed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.idle
}

// call reports the end of a call in the goroutine of the caller.
func (r *reporter) call(report CallReport) {
	if r.hooks.OnCall != nil {
		runProtected(func() { r.hooks.OnCall(report) })
	}
}

func runProtected(run func()) {
	defer func() { _ = recover() }()
	run()
}
