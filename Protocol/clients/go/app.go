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
