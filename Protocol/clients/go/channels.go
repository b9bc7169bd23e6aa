package carillon

import "context"

type createChannelAnswer struct {
	Channel string
}

type channelAnswer struct {
	StoragePolicy StoragePolicy
}

type deleteChannelAnswer struct {
	Result DeleteChannelResult
}

// ChannelPage is a page of broadcast channels.
type ChannelPage struct {
	// Next is After of the next page; empty after the last.
	Next string
	// Channels are their ids, ascending.
	Channels []string
}

// CreateChannel creates a broadcast channel of Live Activities and returns its id, which APNs makes. The client does
// not repeat it after a lost answer, because APNs would create another channel. Section 14.1.
func (a *App) CreateChannel(ctx context.Context, environment Environment, policy StoragePolicy,
	options ...CallOption) (string, error) {
	found, err := call[createChannelAnswer](ctx, a.client, (&createChannelRequest{App: a.name,
		Environment: uint8(environment), StoragePolicy: uint8(policy)}).prepare(), options)
	if err != nil {
		return "", err
	}
	return found.Channel, nil
}

// Channel returns what APNs stores of the messages of a broadcast channel; ErrNotFound if APNs knows no such channel.
// Section 14.2.
func (a *App) Channel(ctx context.Context, environment Environment, channel string,
	options ...CallOption) (StoragePolicy, error) {
	found, err := call[channelAnswer](ctx, a.client, (&channelRequest{App: a.name, Environment: uint8(environment),
		Channel: channel}).prepare(), options)
	if err != nil {
		return 0, err
	}
	return found.StoragePolicy, nil
}

// Channels returns a page of the broadcast channels of an environment. Section 14.3.
func (a *App) Channels(ctx context.Context, environment Environment, page NamePageRequest,
	options ...CallOption) (*ChannelPage, error) {
	return call[ChannelPage](ctx, a.client, (&channelsRequest{App: a.name, Environment: uint8(environment),
		After: page.After, Limit: page.limit()}).prepare(), options)
}

// AllChannels iterates over the broadcast channels of an environment.
func (a *App) AllChannels(environment Environment, options ...CallOption) *Iterator[string] {
	return iterateNames(func(ctx context.Context, page NamePageRequest) ([]string, string, error) {
		found, err := a.Channels(ctx, environment, page, options...)
		if err != nil {
			return nil, "", err
		}
		return found.Channels, found.Next, nil
	})
}

// DeleteChannel deletes a broadcast channel for ever. Section 14.4.
func (a *App) DeleteChannel(ctx context.Context, environment Environment, channel string,
	options ...CallOption) (DeleteChannelResult, error) {
	found, err := call[deleteChannelAnswer](ctx, a.client, (&deleteChannelRequest{App: a.name,
		Environment: uint8(environment), Channel: channel}).prepare(), options)
	if err != nil {
		return 0, err
	}
	return found.Result, nil
}
