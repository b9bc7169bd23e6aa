package carillon

import (
	"context"
	"fmt"
)

// App makes calls about one app. It is a small value, safe for any number of goroutines. Client.App returns one.
type App struct {
	client *Client
	name   string
}

// Name returns the name of the app, its bundle id.
func (a *App) Name() string { return a.name }

// Format prints the name of the app, whatever the verb.
func (a *App) Format(state fmt.State, _ rune) {
	_, _ = state.Write([]byte("carillon.App(" + a.name + ")"))
}

// call makes a request and reads its answer into a new value.
func call[A any, P interface {
	*A
	answer
}](ctx context.Context, client *Client, prepared *pendingCall, options []CallOption) (*A, error) {
	into := new(A)
	if err := client.call(ctx, prepared, P(into), options); err != nil {
		return nil, err
	}
	return into, nil
}

// CallOption changes one call. There is WithoutRetry.
type CallOption interface{ applyCall(*callOptions) }

// callOptions are what options of calls can change.
type callOptions struct {
	isNotRepeated bool
}

// NoRetry is the option that WithoutRetry returns.
type NoRetry struct{}

// WithoutRetry makes a call whose request is written once at most: an error after which the client would repeat it by
// itself is returned.
func WithoutRetry() NoRetry { return NoRetry{} }

func (NoRetry) applyCall(options *callOptions)        { options.isNotRepeated = true }
func (NoRetry) applySend(message *outgoing) error     { message.options.isNotRepeated = true; return nil }
func (NoRetry) applyResend(again *resending) error    { again.options.isNotRepeated = true; return nil }
func (NoRetry) applyAnnounce(other *announcing) error { other.options.isNotRepeated = true; return nil }
func (o callOptions) applyCall(options *callOptions)  { *options = o }
func (o callOptions) list() []CallOption              { return []CallOption{o} }
func callOptionsOf(options []CallOption) (o callOptions) {
	for _, each := range options {
		each.applyCall(&o)
	}
	return o
}
