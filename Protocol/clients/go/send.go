package carillon

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"
)

// Audience says for which devices a message is. ToDevices, ToGroups, ToTopic, ToCondition, ToChannel and AllDevices
// make one; the zero value, and one that is empty, are refused: they never mean all devices.
type Audience struct {
	kind      uint8
	devices   []DeviceReference
	groups    []string
	topic     string
	condition string
	channel   string
	// environment is that of the channel.
	environment uint8
}

const (
	audienceDevices   = 1
	audienceGroups    = 2
	audienceTopic     = 3
	audienceCondition = 4
	audienceAll       = 5
	audienceChannel   = 6
)

// ToDevices is the audience of these devices.
func ToDevices(devices ...DeviceReference) Audience {
	return Audience{kind: audienceDevices, devices: devices}
}

// ToGroups is the audience of every device of any of the groups, once.
func ToGroups(groups ...string) Audience { return Audience{kind: audienceGroups, groups: groups} }

// ToTopic is the audience of every device of a topic.
func ToTopic(topic string) Audience { return Audience{kind: audienceTopic, topic: topic} }

// ToCondition is the audience of every device for which a condition holds; Conditions.md of the protocol has the
// grammar.
func ToCondition(condition string) Audience {
	return Audience{kind: audienceCondition, condition: condition}
}

// AllDevices is the audience of every device of the app.
func AllDevices() Audience { return Audience{kind: audienceAll} }

// ToChannel is the audience of the devices that are subscribed to a broadcast channel at APNs: the push type is
// PushLiveActivity, the event of the payload is update or end, and an expiration is needed. Section 10.1.8.
func ToChannel(environment Environment, channel string) Audience {
	return Audience{kind: audienceChannel, channel: channel, environment: uint8(environment)}
}

// Format prints the audience without whole tokens, whatever the verb.
func (a Audience) Format(state fmt.State, _ rune) {
	text := "no audience"
	switch a.kind {
	case audienceDevices:
		text = fmt.Sprint("devices ", a.devices)
	case audienceGroups:
		text = fmt.Sprint("groups ", a.groups)
	case audienceTopic:
		text = "topic " + a.topic
	case audienceCondition:
		text = "condition " + a.condition
	case audienceAll:
		text = "all devices"
	case audienceChannel:
		text = "channel " + a.channel
	}
	_, _ = state.Write([]byte(text))
}

// put puts the audience into a request, or says why it is none.
func (a *Audience) put(message *sendRequest) error {
	isEmpty := true
	switch a.kind {
	case audienceDevices:
		isEmpty, message.Devices = len(a.devices) == 0, a.devices
	case audienceGroups:
		isEmpty, message.Groups = len(a.groups) == 0, a.groups
	case audienceTopic:
		isEmpty, message.Topic = a.topic == "", &a.topic
	case audienceCondition:
		isEmpty, message.Condition = a.condition == "", &a.condition
	case audienceAll:
		isEmpty = false
	case audienceChannel:
		isEmpty, message.Channel, message.Environment = a.channel == "", &a.channel, &a.environment
	}
	if isEmpty {
		return invalid("audience", "the audience is missing or empty; AllDevices() stands for all devices")
	}
	message.Audience = a.kind
	return nil
}

// SendOption changes one message.
type SendOption interface{ applySend(*sendArguments) error }

// sendArguments is a message while its options are applied.
type sendArguments struct {
	request   sendRequest
	options   callOptions
	languages []Languages
	hasKey    bool
}

type sendOption func(*sendArguments) error

func (o sendOption) applySend(message *sendArguments) error { return o(message) }

// WithPushType sends another type of push than PushAlert.
func WithPushType(pushType PushType) SendOption {
	return sendOption(func(message *sendArguments) error { message.request.PushType = uint8(pushType); return nil })
}

// WithPriority sets the priority of APNs: 10, 5 or 1. Without it the usual one of the push type is taken.
func WithPriority(priority uint8) SendOption {
	return sendOption(func(message *sendArguments) error { message.request.Priority = priority; return nil })
}

// atTime makes an option of a time; the zero time is refused, because it is rather a mistake than a wish.
func atTime(field string, at time.Time, set func(*sendArguments)) SendOption {
	return sendOption(func(message *sendArguments) error {
		if at.IsZero() {
			return invalid(field, "%s is the zero time", field)
		}
		set(message)
		return nil
	})
}

// WithExpiration lets the provider store the push until then. No attempt starts after it. The time is cut to seconds.
func WithExpiration(at time.Time) SendOption {
	return atTime("expiration", at, func(message *sendArguments) {
		seconds := uint64(1)
		if at.Unix() > 1 {
			seconds = uint64(at.Unix())
		}
		message.request.Expiration = &seconds
	})
}

// WithoutStoring lets the provider try once and not store the push.
func WithoutStoring() SendOption {
	return sendOption(func(message *sendArguments) error { message.request.Expiration = Ptr[uint64](0); return nil })
}

// WithCollapseID lets the push replace an earlier one of this id on the device.
func WithCollapseID(id string) SendOption {
	return sendOption(func(message *sendArguments) error { message.request.CollapseID = &id; return nil })
}

// NotAfterOption is the option that WithNotAfter and WithoutTimeLimit return.
type NotAfterOption struct {
	milliseconds uint64
	isZero       bool
}

// WithNotAfter ends deliveries that have not ended by then as expired.
func WithNotAfter(at time.Time) NotAfterOption {
	return NotAfterOption{milliseconds: millisecondsOf(at), isZero: at.IsZero()}
}

// NoTimeLimit lets Resend deliver after WithNotAfter of the old message.
const NoTimeLimit uint64 = 1<<64 - 1

// WithoutTimeLimit is WithNotAfter with NoTimeLimit: Resend delivers after the time of the old message, too.
func WithoutTimeLimit() NotAfterOption { return NotAfterOption{milliseconds: NoTimeLimit} }

func (o NotAfterOption) set(at **uint64) error {
	if o.isZero {
		return invalid("not_after", "not_after is the zero time")
	}
	*at = &o.milliseconds
	return nil
}

func (o NotAfterOption) applySend(message *sendArguments) error {
	return o.set(&message.request.NotAfter)
}
func (o NotAfterOption) applyResend(resend *resendArguments) error {
	return o.set(&resend.request.NotAfter)
}

// WithLane sends in another lane than LaneInteractive.
func WithLane(lane Lane) SendOption {
	return sendOption(func(message *sendArguments) error { message.request.Lane = Ptr(uint8(lane)); return nil })
}

// WithLanguages gives devices of some languages other payloads.
func WithLanguages(languages Languages) SendOption {
	return sendOption(func(message *sendArguments) error {
		message.languages = append(message.languages, languages)
		return nil
	})
}

// WithoutDevice leaves a device out of the audience.
func WithoutDevice(device DeviceReference) SendOption {
	return sendOption(func(message *sendArguments) error { message.request.Except = &device; return nil })
}

// DryRun lets the server check and count everything, and send nothing.
func DryRun() SendOption {
	return sendOption(func(message *sendArguments) error { message.request.DryRun = Ptr[uint8](1); return nil })
}

// WithSendAt schedules the message.
func WithSendAt(at time.Time) SendOption {
	return atTime("send_at", at, func(message *sendArguments) { message.request.SendAt = Ptr(millisecondsOf(at)) })
}

// WithPace bounds the deliveries a second.
func WithPace(perSecond uint32) SendOption {
	return sendOption(func(message *sendArguments) error { message.request.Pace = &perSecond; return nil })
}

// WithOverBudget says what becomes of a silent push to a device whose silent-push budget is spent. Without it,
// OverBudgetDrop.
func WithOverBudget(choice OverBudget) SendOption {
	return sendOption(func(message *sendArguments) error {
		message.request.OverBudget = Ptr(uint8(choice))
		return nil
	})
}

// WithIDKey puts the message's id into each payload, under this key.
func WithIDKey(key string) SendOption {
	return sendOption(func(message *sendArguments) error { message.request.IDKey = &key; return nil })
}

// WithLabel gives the message a short description, for listings and the server's log.
func WithLabel(label string) SendOption {
	return sendOption(func(message *sendArguments) error { message.request.Label = &label; return nil })
}

// WithTraceparent says where the message stands in a distributed trace, as W3C Trace Context writes it: the server's
// log, MessageStatus and events have it.
func WithTraceparent(value string) SendOption {
	return sendOption(func(message *sendArguments) error { message.request.Traceparent = &value; return nil })
}

// WithAndroid gives members of FCM's message.android as JSON. They override what is made of the payload, section
// 10.1.6.
func WithAndroid(members []byte) SendOption {
	return sendOption(func(message *sendArguments) error {
		message.request.Android = append([]byte{}, members...)
		return nil
	})
}

// WithAndroidRaw gives FCM's message without its target as JSON, instead of what is made of the payload.
func WithAndroidRaw(whole []byte) SendOption {
	return sendOption(func(message *sendArguments) error {
		message.request.AndroidRaw = append([]byte{}, whole...)
		return nil
	})
}

// WithWeb gives what browsers get beside what is made of the payload, as JSON: notification, mutable, ttl, urgency,
// topic (section 10.1.7).
func WithWeb(members []byte) SendOption {
	return sendOption(func(message *sendArguments) error {
		message.request.Web = append([]byte{}, members...)
		return nil
	})
}

// WithWebRaw gives what the service worker of a browser gets as JSON, instead of what is made of the payload.
func WithWebRaw(whole []byte) SendOption {
	return sendOption(func(message *sendArguments) error {
		message.request.WebRaw = append([]byte{}, whole...)
		return nil
	})
}

// KeyOption is the option that WithKey and WithoutKey return.
type KeyOption struct {
	key    Key
	isNone bool
}

// WithKey sets the idempotency key, for example the Key of an *Error. Without it the client makes one at random.
func WithKey(key Key) KeyOption { return KeyOption{key: key} }

// WithoutKey sends no idempotency key. Then the client does not repeat a request whose effect is unknown.
func WithoutKey() KeyOption { return KeyOption{isNone: true} }

func (o KeyOption) set(key *Key, hasKey *bool) error {
	if o.key == (Key{}) && !o.isNone {
		return invalid("key", "the key is zero; WithoutKey() sends none")
	}
	*key, *hasKey = o.key, true
	return nil
}

func (o KeyOption) applySend(message *sendArguments) error {
	return o.set(&message.request.Key, &message.hasKey)
}
func (o KeyOption) applyResend(resend *resendArguments) error {
	return o.set(&resend.request.Key, &resend.hasKey)
}

// SendResult is the answer to SEND and RESEND.
type SendResult struct {
	// MessageID is 0 for a dry run.
	MessageID uint64
	// Duplicate is true if a message with this key was accepted before: this is its answer again.
	Duplicate bool
	// Total is how many devices are addressed; Ended of these had an outcome at once.
	Total uint32
	Ended uint32
}

// Send sends a message. The payload is a *Notification, Raw bytes or JSON; it can be nil if there are languages: then
// devices of other languages get no push. When Send returns, the message is durable. Section 10.1.
func (a *App) Send(ctx context.Context, audience Audience, payload Payload,
	options ...SendOption) (*SendResult, error) {
	message := &sendArguments{request: sendRequest{App: a.name, PushType: uint8(PushAlert)}}
	if err := audience.put(&message.request); err != nil {
		return nil, err
	}
	for _, each := range options {
		if err := each.applySend(message); err != nil {
			return nil, err
		}
	}
	if !message.hasKey {
		message.request.Key = NewKey()
	}
	var err error
	request := &message.request
	request.Payload, request.Bodies, err = payloadsOf(PushType(request.PushType), payload, message.languages, "payload")
	if err != nil {
		return nil, err
	}
	return call[SendResult](ctx, a.client, request.prepare(), message.options.list())
}

// ResendOption changes Resend: WithOutcomes, WithNotAfter, WithoutTimeLimit, WithKey, WithoutKey and WithoutRetry.
type ResendOption interface{ applyResend(*resendArguments) error }

// resendArguments is a RESEND while its options are applied.
type resendArguments struct {
	request resendRequest
	options callOptions
	hasKey  bool
}

type resendOption func(*resendArguments) error

func (o resendOption) applyResend(resend *resendArguments) error { return o(resend) }

// WithOutcomes sends again to devices that ended in one of these outcomes. Without it, to those of every outcome that a
// second attempt can improve.
func WithOutcomes(outcomes ...Outcome) ResendOption {
	return resendOption(func(resend *resendArguments) error {
		if len(outcomes) == 0 {
			return invalid("outcomes", "there are no outcomes")
		}
		for _, each := range outcomes {
			resend.request.Outcomes = append(resend.request.Outcomes, uint8(each))
		}
		return nil
	})
}

// Resend sends a finished message again. Section 10.7.
func (a *App) Resend(ctx context.Context, messageID uint64, options ...ResendOption) (*SendResult, error) {
	resend := &resendArguments{request: resendRequest{App: a.name, MessageID: messageID}}
	for _, each := range options {
		if err := each.applyResend(resend); err != nil {
			return nil, err
		}
	}
	if !resend.hasKey {
		resend.request.Key = NewKey()
	}
	return call[SendResult](ctx, a.client, resend.request.prepare(), resend.options.list())
}

// Languages are payloads for devices of some languages: Translations, or PayloadsByLanguage.
type Languages interface {
	bodies(pushType PushType, payload Payload) ([]bodiesItem, error)
}

// PayloadsByLanguage are whole payloads by language tag.
type PayloadsByLanguage map[string]Payload

func (p PayloadsByLanguage) bodies(pushType PushType, _ Payload) ([]bodiesItem, error) {
	var items []bodiesItem
	for _, tag := range sortedTags(p) {
		if p[tag] == nil {
			return nil, invalid("bodies."+tag, "there is no payload for %s", tag)
		}
		body, err := p[tag].payload(pushType, "bodies."+tag)
		if err != nil {
			return nil, err
		}
		items = append(items, bodiesItem{Language: tag, Payload: body})
	}
	return items, nil
}

// sortedTags returns the language tags in the order of their lower-case letters, then of their bytes.
func sortedTags[T any](languages map[string]T) []string {
	tags := make([]string, 0, len(languages))
	for tag := range languages {
		tags = append(tags, tag)
	}
	sort.Slice(tags, func(i, j int) bool {
		a, b := strings.ToLower(tags[i]), strings.ToLower(tags[j])
		return a < b || a == b && tags[i] < tags[j]
	})
	return tags
}

// payloadsOf returns the bytes of the payload and of its languages.
func payloadsOf(pushType PushType, payload Payload, languages []Languages, field string) ([]byte, []bodiesItem, error) {
	var data []byte
	var bodies []bodiesItem
	for _, each := range languages {
		more, err := each.bodies(pushType, payload)
		if err != nil {
			return nil, nil, err
		}
		bodies = append(bodies, more...)
	}
	if payload != nil {
		var err error
		if data, err = payload.payload(pushType, field); err != nil {
			return nil, nil, err
		}
	}
	return data, bodies, nil
}
