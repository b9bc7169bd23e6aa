package carillon

import "context"

// Subscribers are the devices and groups of Subscribe and Unsubscribe.
type Subscribers struct {
	// Devices are subscribed themselves.
	Devices []DeviceReference
	// Groups give the topics to their devices.
	Groups []string
}

// SubscribeResult is the answer to SUBSCRIBE and UNSUBSCRIBE.
type SubscribeResult struct {
	// Changed is how many subscriptions are new, or have ended: one for each topic and each device or group of the call.
	Changed uint32
	// Unknown has the indices of the devices that are not registered; the others take effect.
	Unknown []uint32
}

// Subscribe subscribes devices and groups to topics. Section 9.1.
func (a *App) Subscribe(ctx context.Context, topics []string, subscribers Subscribers,
	options ...CallOption) (*SubscribeResult, error) {
	return call[SubscribeResult](ctx, a.client, (&subscribeRequest{App: a.name, Topics: topics,
		Devices: subscribers.Devices, Groups: subscribers.Groups}).prepare(), options)
}

// Unsubscribe ends subscriptions of devices and groups. Section 9.1.
func (a *App) Unsubscribe(ctx context.Context, topics []string, subscribers Subscribers,
	options ...CallOption) (*SubscribeResult, error) {
	return call[SubscribeResult](ctx, a.client, (&unsubscribeRequest{App: a.name, Topics: topics,
		Devices: subscribers.Devices, Groups: subscribers.Groups}).prepare(), options)
}

// TopicSummary is a row of TOPICS.
type TopicSummary struct {
	Name    string `wire:"topic"`
	Devices uint64
}

// TopicPage is a page of topics.
type TopicPage struct {
	// Next is After of the next page; empty after the last one.
	Next   string
	Topics []TopicSummary
}

// Topics returns a page of the topics whose names begin with a prefix. Section 9.2.
func (a *App) Topics(ctx context.Context, prefix string, page NamePageRequest,
	options ...CallOption) (*TopicPage, error) {
	return call[TopicPage](ctx, a.client,
		(&topicsRequest{App: a.name, Prefix: prefix, After: page.After, Limit: page.limit()}).prepare(), options)
}

// AllTopics iterates over all topics whose names begin with a prefix.
func (a *App) AllTopics(prefix string, options ...CallOption) *Iterator[TopicSummary] {
	return iterateNames(func(ctx context.Context, page NamePageRequest) ([]TopicSummary, string, error) {
		found, err := a.Topics(ctx, prefix, page, options...)
		if err != nil {
			return nil, "", err
		}
		return found.Topics, found.Next, nil
	})
}

// TopicDevices returns a page of the devices of a topic. Section 9.3.
func (a *App) TopicDevices(ctx context.Context, topic string, page PageRequest,
	options ...CallOption) (*DeviceIDPage, error) {
	return call[DeviceIDPage](ctx, a.client,
		(&topicDevicesRequest{App: a.name, Topic: topic, Cursor: page.Cursor, Limit: page.limit()}).prepare(), options)
}

// AllTopicDevices iterates over the ids of all devices of a topic.
func (a *App) AllTopicDevices(topic string, options ...CallOption) *Iterator[uint64] {
	return iterateDevices(func(ctx context.Context, page PageRequest) (*DeviceIDPage, error) {
		return a.TopicDevices(ctx, topic, page, options...)
	})
}

// Explanation is the answer to EXPLAIN.
type Explanation struct {
	// Condition is in its canonical form.
	Condition string
	// Devices is how many devices a message would address now.
	Devices uint64
	// Sets are those that the condition names.
	Sets []ExplainedSet
}

// ExplainedSet is a set that a condition names, as a condition of its own, and how many devices it has.
type ExplainedSet struct {
	Set     string
	Devices uint64
}

// Explain counts the devices of a condition. Section 9.4.
func (a *App) Explain(ctx context.Context, condition string, options ...CallOption) (*Explanation, error) {
	return call[Explanation](ctx, a.client, (&explainRequest{App: a.name, Condition: condition}).prepare(), options)
}
