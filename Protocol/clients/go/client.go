package carillon

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"time"
)

// Client talks to one Carillon server, or to one of several. All its calls share one connection. It is safe for any
// number of goroutines; make one and keep it. A forked process makes its own.
type Client struct {
	settings settings
	reports  reporter
	base     time.Time
	// lifetime ends with Close; attempts to connect end with it.
	lifetime    context.Context
	endLifetime context.CancelFunc
	running     sync.WaitGroup // the goroutines of connections

	mu sync.Mutex
	// finished are calls whose goroutines are woken after the lock is released.
	finished *pendingCall
	timer    *time.Timer
	timerAt  time.Duration
	random   *rand.Rand

	waiting      callList
	schedule     callHeap
	connectCalls []*pendingCall
	pingCalls    []*pendingCall
	// activeCount is the number of calls that have not ended, requestBytes the bytes of their requests.
	activeCount, requestBytes int
	streams                   []*EventStream

	targets []*target
	// current takes new requests; draining connections only wait for answers.
	current      *connection
	draining     []*connection
	isConnecting bool // an attempt has begun and has no connection yet
	rounds       rounds
	server       ServerInfo
	hasServer    bool
	// position is the greatest position in the log of a cluster that was seen.
	position position

	isClosing bool
	closesAt  time.Duration
	isClosed  bool // after closing: nothing is left
	closed    chan struct{}
}

// New makes a client without connecting: its first call does. See Connect.
func New(options ...Option) (*Client, error) {
	settings, err := settingsOf(options)
	if err != nil {
		return nil, err
	}
	c := &Client{settings: settings, base: time.Now(), timerAt: forever, closed: make(chan struct{})}
	c.reports.hooks = settings.hooks
	c.lifetime, c.endLifetime = context.WithCancel(context.Background())
	seed := NewKey()
	// Pauses need no secret randomness.
	c.random = rand.New(rand.NewSource(int64(binary.BigEndian.Uint64(seed[:]))))
	for _, each := range settings.addresses {
		c.targets = append(c.targets, &target{address: each})
	}
	if settings.isShuffled {
		c.random.Shuffle(len(c.targets), func(i, j int) { c.targets[i], c.targets[j] = c.targets[j], c.targets[i] })
	}
	c.rounds.lastConnected = -1
	c.timer = time.AfterFunc(time.Hour, c.timerFired)
	c.timer.Stop()
	return c, nil
}

// Connect makes a client and opens its first connection. It fails when every address has failed once, so that a wrong
// address or key is found at the start of a program.
//
//	client, err := carillon.Connect(ctx, carillon.FromEnvironment())
//	if err != nil { … }
//	defer client.Close(context.Background())
func Connect(ctx context.Context, options ...Option) (*Client, error) {
	client, err := New(options...)
	if err != nil {
		return nil, err
	}
	if err := client.Connect(ctx); err != nil {
		_ = client.Close(ctx)
		return nil, err
	}
	return client, nil
}

// App returns the calls about one app, which is named by its bundle id.
func (c *Client) App(name string) *App { return &App{client: c, name: name} }

// DefaultApp is App with the app that CARILLON_APP names, for a client made with FromEnvironment.
func (c *Client) DefaultApp() (*App, error) {
	if c.settings.defaultApp == "" {
		return nil, invalid("CARILLON_APP", "CARILLON_APP is not set")
	}
	return c.App(c.settings.defaultApp), nil
}

// Server returns what the server of the latest connection has said; false before the first one.
func (c *Client) Server() (ServerInfo, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server, c.hasServer
}

// Connect opens a connection if there is none. It fails when every address has failed once.
func (c *Client) Connect(ctx context.Context) error {
	return c.wait(ctx, func(call *pendingCall) *Error {
		if c.current != nil && c.current.session.phase == phaseOpen {
			c.finish(call, nil)
			return nil
		}
		c.connectCalls = append(c.connectCalls, call)
		return nil
	})
}

// Ping asks the server for a round trip. PINGs keep the distance that the server asks for: one that comes too soon
// waits.
func (c *Client) Ping(ctx context.Context) error {
	return c.wait(ctx, func(call *pendingCall) *Error {
		c.pingCalls = append(c.pingCalls, call)
		return nil
	})
}

// wait runs a call without a request.
func (c *Client) wait(ctx context.Context, start func(*pendingCall) *Error) error {
	call := newCall()
	defer call.release()
	call.repetition.isReadOnly = true
	if err := c.begin(ctx, call, start); err != nil {
		return err
	}
	return nil
}

// call makes a request that is prepared, and reads its answer.
func (c *Client) call(ctx context.Context, call *pendingCall, into answer, options []CallOption) error {
	defer call.release()
	call.answer = into
	if len(options) > 0 {
		call.isNotRepeated = callOptionsOf(options).isNotRepeated
	}
	err := call.err
	if err == nil {
		err = c.begin(ctx, call, c.enqueue)
	}
	if c.settings.hooks.OnCall != nil {
		c.report(call, err)
	}
	if err != nil {
		return err
	}
	return nil
}

// report tells the program how a call ended.
func (c *Client) report(call *pendingCall, err *Error) {
	report := CallReport{Operation: operationOf(call.opcode), Attempts: call.attempts}
	if call.begunAt != 0 {
		report.Duration = c.now() - call.begunAt
	}
	if call.connection != nil {
		report.Address = call.connection.target.address.text
	}
	if err != nil {
		report.Code, report.Effect = err.Code, err.Effect
	} else if !call.repetition.isReadOnly {
		report.Effect = Executed
	}
	c.reports.call(report)
}

// begin begins a call and waits for its end.
func (c *Client) begin(ctx context.Context, call *pendingCall, start func(*pendingCall) *Error) *Error {
	if cause := ctx.Err(); cause != nil {
		return call.final(contextError(cause, NotExecuted))
	}
	now := c.now()
	call.begunAt = now
	call.deadline = now + c.settings.requestTimeout
	if at, ok := ctx.Deadline(); ok {
		call.deadline = now + time.Until(at)
	}
	c.mu.Lock()
	if c.isClosing {
		c.unlock()
		return call.final(closedError())
	}
	c.activeCount++
	call.dueAt = call.deadline
	c.schedule.push(call)
	if err := start(call); err != nil {
		c.finish(call, err)
	}
	c.setTimer(call.deadline, now)
	c.sendWaiting(now)
	c.unlock()
	if cancelled := ctx.Done(); cancelled != nil {
		select {
		case <-call.done:
			return call.err
		case <-cancelled:
			c.mu.Lock()
			c.cancel(call, ctx.Err(), c.now())
			c.unlock()
		}
	}
	<-call.done
	return call.err
}

// Close accepts no more calls, waits for those that are written for up to the drain timeout, and closes the
// connections. If the context ends before, it waits no longer for calls and returns the context's error. A second Close
// waits for the first.
func (c *Client) Close(ctx context.Context) error {
	c.mu.Lock()
	c.close(c.now())
	c.unlock()
	var err error
	select {
	case <-c.closed:
	case <-ctx.Done():
		c.mu.Lock()
		now := c.now()
		if c.activeCount > 0 {
			err = contextError(ctx.Err(), EffectUnknown)
		}
		c.closesAt = now
		c.performDue(now)
		c.unlock()
		<-c.closed
	}
	if idle := c.reports.flushed(); idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
		}
	}
	return err
}

// String names the client and its addresses, and nothing that is secret.
func (c *Client) String() string {
	var texts []string
	for _, each := range c.settings.addresses {
		texts = append(texts, each.text)
	}
	return "carillon.Client(" + strings.Join(texts, ", ") + ")"
}

// Format prints String, whatever the verb.
func (c *Client) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(c.String())) }

// now is the time since the client was made, by the monotonic clock.
func (c *Client) now() time.Duration { return time.Since(c.base) }

// unlock releases the lock and wakes the goroutines of the calls that have ended.
func (c *Client) unlock() {
	finished := c.finished
	c.finished = nil
	c.mu.Unlock()
	for finished != nil {
		next := finished.nextDone // before the goroutine uses the call again
		finished.done <- struct{}{}
		finished = next
	}
}
