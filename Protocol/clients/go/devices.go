package carillon

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sort"
	"time"
)

// Registration is what REGISTER stores of a device. What is nil or empty leaves what is stored.
type Registration struct {
	// App is for RegisterBatch; App.Register fills it in.
	App string
	// Environment and Kind are Production and KindDevice if they are zero.
	Environment Environment
	Kind        TokenKind
	// Token is the token of APNs, not in hexadecimal; see ParseToken.
	Token []byte
	// SeenAt is when the app saw the token. The zero time means now, by the server's clock; then the client does
	// not repeat the request after a lost answer.
	SeenAt time.Time
	// Replaces is the old token that this one replaces.
	Replaces []byte
	// Locale is a language tag, TimeZone a name of the IANA database. A pointer to "" forgets them.
	Locale   *string
	TimeZone *string
	// Topics are those to which the device is subscribed in the same step, Groups those that it joins.
	Topics []string
	Groups []string
	// Attributes are set; an empty value removes the key, others stay.
	Attributes map[string]string
	// Subscription is the push subscription of a browser as JSON; see WebRegistration.
	Subscription []byte
}

// WebRegistration makes the registration of a browser from its push subscription, the JSON of
// PushSubscription.toJSON(). Kind is KindWeb, and Token the SHA-256 of the endpoint.
func WebRegistration(subscription []byte) (Registration, error) {
	var parsed struct {
		Endpoint string `json:"endpoint"`
	}
	if err := json.Unmarshal(subscription, &parsed); err != nil || parsed.Endpoint == "" {
		return Registration{}, invalid("subscription", "is not JSON of a push subscription")
	}
	token := sha256.Sum256([]byte(parsed.Endpoint))
	return Registration{Kind: KindWeb, Token: token[:], Subscription: subscription}, nil
}

func (r *Registration) request() *registerRequest {
	environment, kind := r.Environment, r.Kind
	if environment == 0 {
		environment = Production
	}
	if kind == 0 {
		kind = KindDevice
	}
	return &registerRequest{App: r.App, Environment: uint8(environment), Kind: uint8(kind), Token: r.Token,
		SeenAt: millisecondsOf(r.SeenAt), Replaces: r.Replaces, Locale: r.Locale, TimeZone: r.TimeZone, Topics: r.Topics,
		Groups: r.Groups, Attributes: attributesOf(r.Attributes), Subscription: r.Subscription}
}

func attributesOf(attributes map[string]string) []attributesItem {
	var items []attributesItem
	for key, value := range attributes {
		items = append(items, attributesItem{Key: key, Value: value})
	}
	sort.Slice(items, func(i, j int) bool { return items[i].Key < items[j].Key })
	return items
}

// RegisterResult is the answer to REGISTER.
type RegisterResult struct {
	DeviceID uint64
	Result   RegisterResultKind
}

// Register registers a device, or refreshes it. Section 7.1.
func (a *App) Register(ctx context.Context, device Registration, options ...CallOption) (*RegisterResult, error) {
	device.App = a.name
	return call[RegisterResult](ctx, a.client, device.request().prepare(), options)
}

// BatchResult is the result of one registration of a batch.
type BatchResult struct {
	// Number is the number of the error, 0 if the registration is done. DeviceID and Result are 0 after an error.
	Number   uint16 `wire:"code"`
	DeviceID uint64
	Result   RegisterResultKind
}

// Err returns nil if the registration is done, else its Code.
func (b BatchResult) Err() error {
	if b.Number == 0 {
		return nil
	}
	return CodeOf(b.Number)
}

type registerBatchAnswer struct {
	Results []BatchResult
}

// RegisterBatch registers many devices, also of several apps, in one step. One that is refused does not affect the
// others. The results are in the order of the devices. Section 7.2.
func (c *Client) RegisterBatch(ctx context.Context, devices []Registration,
	options ...CallOption) ([]BatchResult, error) {
	message, hasTimes := &registerBatchRequest{Items: make([][]byte, len(devices))}, true
	for index := range devices {
		w := writer{}
		devices[index].request().write(&w)
		if w.failure != nil {
			item := uint32(index)
			w.failure.Field, w.failure.Item = "items", &item
			return nil, w.failure
		}
		message.Items[index] = w.data
		hasTimes = hasTimes && !devices[index].SeenAt.IsZero()
	}
	prepared := message.prepare()
	prepared.repetition.isRepeatable = hasTimes
	found, err := call[registerBatchAnswer](ctx, c, prepared, options)
	if err != nil {
		return nil, err
	}
	return found.Results, nil
}

// UnregisterResult is the answer to UNREGISTER.
type UnregisterResult struct {
	// DeviceID is 0 if there was no device.
	DeviceID uint64
	Result   UnregisterResultKind
}

// Unregister removes a device. The zero time as at means now, by the server's clock; then the client does not repeat
// the request after a lost answer. Section 7.3.
func (a *App) Unregister(ctx context.Context, device DeviceReference, at time.Time,
	options ...CallOption) (*UnregisterResult, error) {
	message := &unregisterRequest{App: a.name, Device: device, At: millisecondsOf(at)}
	return call[UnregisterResult](ctx, a.client, message.prepare(), options)
}

// DeviceRecord is what the server knows of a device.
type DeviceRecord struct {
	DeviceID     uint64
	Environment  Environment
	Kind         TokenKind
	Token        []byte
	RegisteredAt time.Time
	SeenAt       time.Time
	State        DeviceState
	// Locale and TimeZone are empty, Attributes is nil if there are none.
	Locale     string
	TimeZone   string
	Attributes map[string]string
	// Muted is true if the device itself is muted.
	Muted bool
}

// Lookup returns what the server knows of a device; ErrNotFound if there is none. Section 7.4.
func (a *App) Lookup(ctx context.Context, device DeviceReference, options ...CallOption) (*DeviceRecord, error) {
	return call[DeviceRecord](ctx, a.client, (&lookupRequest{App: a.name, Device: device}).prepare(), options)
}

// DeviceUpdate is what UPDATE_DEVICE changes. What is nil leaves what is stored; a pointer to "" forgets it.
type DeviceUpdate struct {
	Locale   *string
	TimeZone *string
	// Attributes are set; an empty value removes the key, others stay.
	Attributes map[string]string
	// Muted: the device gets no pushes until it is false again.
	Muted *bool
}

type deviceAnswer struct {
	DeviceID uint64
}

func (a *deviceAnswer) id(err error) (uint64, error) {
	if err != nil {
		return 0, err
	}
	return a.DeviceID, nil
}

// UpdateDevice changes what is stored of a device and returns its id. Section 7.5.
func (a *App) UpdateDevice(ctx context.Context, device DeviceReference, update DeviceUpdate,
	options ...CallOption) (uint64, error) {
	message := &updateDeviceRequest{App: a.name, Device: device, Locale: update.Locale, TimeZone: update.TimeZone,
		Attributes: attributesOf(update.Attributes), Muted: bit(update.Muted)}
	found, err := call[deviceAnswer](ctx, a.client, message.prepare(), options)
	return found.id(err)
}

// bit returns a truth value as it is on the wire: 1 or 0, or nil for nil.
func bit(value *bool) *uint8 {
	if value == nil {
		return nil
	}
	if *value {
		return Ptr[uint8](1)
	}
	return Ptr[uint8](0)
}

// GroupMembership is a group that a device is in.
type GroupMembership struct {
	Group string
	Muted bool
}

// TopicMembership is a topic that a device has, and through which group; Source is empty for the device itself.
type TopicMembership struct {
	Topic  string
	Source string
}

// Memberships is the answer to MEMBERSHIPS: all groups, and a page of topics.
type Memberships struct {
	DeviceID uint64
	Muted    Mutes
	Groups   []GroupMembership
	Topics   []TopicMembership
	// Next is After of the next page; empty after the last one.
	Next string
}

// Memberships returns the groups of a device, and a page of its topics. Section 7.6.
func (a *App) Memberships(ctx context.Context, device DeviceReference, page NamePageRequest,
	options ...CallOption) (*Memberships, error) {
	return call[Memberships](ctx, a.client,
		(&membershipsRequest{App: a.name, Device: device, After: page.After, Limit: page.limit()}).prepare(), options)
}

// AllMemberships iterates over all topics of a device.
func (a *App) AllMemberships(device DeviceReference, options ...CallOption) *Iterator[TopicMembership] {
	return iterateNames(func(ctx context.Context, page NamePageRequest) ([]TopicMembership, string, error) {
		found, err := a.Memberships(ctx, device, page, options...)
		if err != nil {
			return nil, "", err
		}
		return found.Topics, found.Next, nil
	})
}

// Restore takes a device out of quarantine and returns its id. Section 7.7.
func (a *App) Restore(ctx context.Context, device DeviceReference, options ...CallOption) (uint64, error) {
	found, err := call[deviceAnswer](ctx, a.client, (&restoreRequest{App: a.name, Device: device}).prepare(), options)
	return found.id(err)
}

// QuarantinedDevices returns a page of the devices whose tokens the provider has declared dead. Section 7.8.
func (a *App) QuarantinedDevices(ctx context.Context, page PageRequest, options ...CallOption) (*DeviceIDPage, error) {
	return call[DeviceIDPage](ctx, a.client,
		(&quarantineRequest{App: a.name, Cursor: page.Cursor, Limit: page.limit()}).prepare(), options)
}

// AllQuarantinedDevices iterates over the ids of all devices in quarantine.
func (a *App) AllQuarantinedDevices(options ...CallOption) *Iterator[uint64] {
	return iterateDevices(func(ctx context.Context, page PageRequest) (*DeviceIDPage, error) {
		return a.QuarantinedDevices(ctx, page, options...)
	})
}

// DevicePage is a page of all devices of an app.
type DevicePage struct {
	// Next is Cursor of the next page; 0 after the last one.
	Next    uint64
	Devices []DeviceRecord
}

// Devices returns a page of all devices of the app, active and quarantined. It needs the role admin. Section 13.2.
func (a *App) Devices(ctx context.Context, page PageRequest, options ...CallOption) (*DevicePage, error) {
	message := &devicesRequest{App: a.name, Cursor: page.Cursor, Limit: page.limit()}
	return call[DevicePage](ctx, a.client, message.prepare(), options)
}

// AllDevices iterates over all devices of the app.
func (a *App) AllDevices(options ...CallOption) *Iterator[DeviceRecord] {
	return iterateNumbers(func(ctx context.Context, page PageRequest) ([]DeviceRecord, uint64, error) {
		found, err := a.Devices(ctx, page, options...)
		if err != nil {
			return nil, 0, err
		}
		return found.Devices, found.Next, nil
	})
}
