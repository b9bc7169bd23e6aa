package carillon

import "strconv"

// name returns the name of a number; that of a number of a later server, which names lacks, is "UNKNOWN_" and the
// number.
func name(names []string, number int) string {
	if number >= 0 && number < len(names) && names[number] != "" {
		return names[number]
	}
	return "UNKNOWN_" + strconv.Itoa(number)
}

// Environment is one of APNs' two environments.
type Environment uint8

// The environments.
const (
	Production Environment = 1
	Sandbox    Environment = 2
)

// String returns the name of the environment.
func (e Environment) String() string { return name([]string{"", "production", "sandbox"}, int(e)) }

// TokenKind says what a token is for.
type TokenKind uint8

// The token kinds, section 16.3.
const (
	KindDevice TokenKind = iota + 1
	KindVoIP
	KindLiveActivity
	KindWidget
	KindControl
	KindPushToTalk
	KindFileProvider
	KindLocation
	KindComplication
	KindMDM
	KindFCM // Android: a registration token of FCM, as bytes of its text
	KindFID // Android: a Firebase installation id, as bytes of its text
	KindWeb // a browser
)

var tokenKinds = []string{"", "device", "voip", "liveactivity", "widget", "control", "pushtotalk", "fileprovider",
	"location", "complication", "mdm", "fcm", "fid", "web"}

// String returns the name of the token kind.
func (k TokenKind) String() string { return name(tokenKinds, int(k)) }

// PushType is APNs' type of a push.
type PushType uint8

// The push types, section 16.4.
const (
	PushAlert PushType = iota + 1
	PushBackground
	PushLocation
	PushVoIP
	PushComplication
	PushFileProvider
	PushMDM
	PushLiveActivity
	PushPushToTalk
	PushWidgets
	PushControls
)

var pushTypes = []string{"", "alert", "background", "location", "voip", "complication", "fileprovider", "mdm",
	"liveactivity", "pushtotalk", "widgets", "controls"}

// String returns the name of the push type.
func (p PushType) String() string { return name(pushTypes, int(p)) }

// Lane is the queue of a message.
type Lane uint8

// Messages of LaneInteractive go before those of LaneBulk.
const (
	LaneInteractive Lane = 1
	LaneBulk        Lane = 2
)

// String returns the name of the lane.
func (l Lane) String() string { return name([]string{"", "interactive", "bulk"}, int(l)) }

// OverBudget says what becomes of a silent push to a device whose silent-push budget is spent.
type OverBudget uint8

// OverBudgetDrop ends it as over-budget; OverBudgetWait keeps it until there is room.
const (
	OverBudgetDrop OverBudget = 1
	OverBudgetWait OverBudget = 2
)

// String returns the name.
func (o OverBudget) String() string { return name([]string{"", "drop", "wait"}, int(o)) }

// RegisterResultKind is the result of REGISTER.
type RegisterResultKind uint8

// The results of REGISTER, section 7.1.
const (
	RegisterResultCreated RegisterResultKind = iota + 1
	RegisterResultRefreshed
	RegisterResultReplaced
)

// String returns the name of the result.
func (r RegisterResultKind) String() string {
	return name([]string{"", "created", "refreshed", "replaced"}, int(r))
}

// UnregisterResultKind is the result of UNREGISTER.
type UnregisterResultKind uint8

// The results of UNREGISTER, section 7.3.
const (
	UnregisterResultRemoved       UnregisterResultKind = 1
	UnregisterResultNotRegistered UnregisterResultKind = 2
)

// String returns the name of the result.
func (u UnregisterResultKind) String() string {
	return name([]string{"", "removed", "not-registered"}, int(u))
}

// ForgetResult is the result of FORGET_SUBSCRIBER.
type ForgetResult uint8

// The results of FORGET_SUBSCRIBER, section 11.5.
const (
	ForgetResultForgotten  ForgetResult = 1
	ForgetResultNoSuchName ForgetResult = 2
)

// String returns the name of the result.
func (f ForgetResult) String() string {
	return name([]string{"", "forgotten", "no-such-name"}, int(f))
}

// StoragePolicy says what APNs stores of the messages of a broadcast channel.
type StoragePolicy uint8

// The storage policies, section 14.
const (
	StoreNone       StoragePolicy = 1
	StoreMostRecent StoragePolicy = 2
)

// String returns the name of the policy.
func (s StoragePolicy) String() string { return name([]string{"", "none", "most-recent"}, int(s)) }

// DeleteChannelResult is the result of DELETE_CHANNEL.
type DeleteChannelResult uint8

// The results of DELETE_CHANNEL, section 14.4.
const (
	DeleteChannelResultDeleted       DeleteChannelResult = 1
	DeleteChannelResultNoSuchChannel DeleteChannelResult = 2
)

// String returns the name of the result.
func (c DeleteChannelResult) String() string {
	return name([]string{"", "deleted", "no-such-channel"}, int(c))
}

// DeviceState is the state of a device.
type DeviceState uint8

// A quarantined device has a token that its provider has declared dead.
const (
	DeviceStateActive      DeviceState = 1
	DeviceStateQuarantined DeviceState = 2
)

// String returns the name of the state.
func (s DeviceState) String() string { return name([]string{"", "active", "quarantined"}, int(s)) }

// MessageState is the state of a message.
type MessageState uint8

// The states of a message, section 10.2.
const (
	StateWaiting MessageState = iota + 1
	StateSending
	StateFinished
	StateScheduled
	StatePaused
)

// String returns the name of the state.
func (s MessageState) String() string {
	return name([]string{"", "waiting", "sending", "finished", "scheduled", "paused"}, int(s))
}

// ObstacleKind is why devices of a message wait for a pool.
type ObstacleKind uint8

// The kinds of obstacles, section 10.2.
const (
	ObstacleUnreachable       ObstacleKind = 1
	ObstacleCredentialRefused ObstacleKind = 2
)

// String returns the name of the kind.
func (k ObstacleKind) String() string {
	return name([]string{"", "unreachable", "credential-refused"}, int(k))
}

// Addressing says whether a device is a recipient of a message.
type Addressing uint8

// The values of TRACE, section 10.8.
const (
	AddressingRecipient Addressing = iota + 1
	AddressingNoRecipient
	AddressingWouldBeRecipient
	AddressingWouldBeNoRecipient
)

// String returns the name.
func (a Addressing) String() string {
	return name([]string{"", "recipient", "no-recipient", "would-be-recipient", "would-be-no-recipient"}, int(a))
}

// SourceKind says what puts a device into an audience.
type SourceKind uint8

// The kinds of sources of TRACE, section 10.8.
const (
	SourceDevice SourceKind = iota + 1
	SourceGroup
	SourceTopic
	SourceTerm
	SourceAll
)

// String returns the name of the kind.
func (k SourceKind) String() string {
	return name([]string{"", "device", "group", "topic", "term", "all"}, int(k))
}

// ReceiptKind is what an app has reported about a push.
type ReceiptKind uint8

// The kinds of receipts, section 12.
const (
	ReceiptReceived ReceiptKind = 1
	ReceiptOpened   ReceiptKind = 2
)

// String returns the name of the kind.
func (k ReceiptKind) String() string { return name([]string{"", "received", "opened"}, int(k)) }

// Outcome is how the delivery to a device ended.
type Outcome uint8

// The outcomes, section 16.5.
const (
	OutcomePending           Outcome = 0
	OutcomeDelivered         Outcome = 1
	OutcomeUnregistered      Outcome = 2
	OutcomeExpired           Outcome = 3
	OutcomeGaveUp            Outcome = 4
	OutcomeWrongKind         Outcome = 5
	OutcomeNoCredential      Outcome = 6
	OutcomeQuarantined       Outcome = 7
	OutcomeMuted             Outcome = 8
	OutcomeNoLanguage        Outcome = 9
	OutcomeCancelled         Outcome = 10
	OutcomeOverBudget        Outcome = 11
	OutcomeLeft              Outcome = 12
	OutcomeTokenUnregistered Outcome = 32
	OutcomeTokenExpired      Outcome = 33
	OutcomeBadToken          Outcome = 34
	OutcomeTokenNotForTopic  Outcome = 35
	OutcomePayloadTooLarge   Outcome = 36
	OutcomeTopicDisallowed   Outcome = 37
	OutcomeBadTopic          Outcome = 38
	OutcomeBadRequest        Outcome = 39
	OutcomeForbidden         Outcome = 40
	OutcomeNoChannel         Outcome = 41
	OutcomeRefused           Outcome = 63
)

var outcomes = []string{"pending", "delivered", "unregistered", "expired", "gave-up", "wrong-kind", "no-credential",
	"quarantined", "muted", "no-language", "cancelled", "over-budget", "left"}
var outcomesOfAPNs = []string{"token-unregistered", "token-expired", "bad-token", "token-not-for-topic",
	"payload-too-large", "topic-disallowed", "bad-topic", "bad-request", "forbidden", "no-channel"}

// String returns the name of the outcome, such as token-unregistered.
func (o Outcome) String() string {
	switch {
	case o == OutcomeRefused:
		return "refused"
	case o >= OutcomeTokenUnregistered && o <= OutcomeNoChannel:
		return outcomesOfAPNs[o-OutcomeTokenUnregistered]
	default:
		return name(outcomes, int(o))
	}
}

// EventKind is what an event reports.
type EventKind uint16

// The kinds of events, section 16.6. A gap is an element of its own, *Gap.
const (
	EventMessageFinished EventKind = iota + 1
	EventDeliveryFailed
	EventDeviceQuarantined
	EventTokenReplaced
	EventDeviceMoved
	EventMessageUpdated
	EventConnectionUp
	EventConnectionDown
	EventCredentialRefused
	EventBadTokensBegan
	EventBadTokensEnded
	EventPoolUnreachable
	EventPoolReachable

	gapKind EventKind = 0
)

var eventKinds = []string{"gap", "message-finished", "delivery-failed", "device-quarantined", "token-replaced",
	"device-moved", "message-updated", "connection-up", "connection-down", "credential-refused", "bad-tokens-began",
	"bad-tokens-ended", "pool-unreachable", "pool-reachable"}

// String returns the name of the kind, such as message-finished.
func (k EventKind) String() string { return name(eventKinds, int(k)) }

// Roles are what a principal may do with an app: a sum.
type Roles uint8

// The roles, section 6.2.
const (
	RoleRegister Roles = 1
	RoleSend     Roles = 2
	RoleObserve  Roles = 4
	RoleAdmin    Roles = 8
)

// Mutes say whether a device is muted: a sum.
type Mutes uint8

// A device is muted itself, or through a group of it.
const (
	MutedItself  Mutes = 1
	MutedByGroup Mutes = 2
)

// SwitchChanges says what SWITCH has changed: a sum.
type SwitchChanges uint8

// The device was in the first group; it was not in the second.
const (
	SwitchLeft   SwitchChanges = 1
	SwitchJoined SwitchChanges = 2
)

// TraceFlags are what TRACE says of a device: a sum.
type TraceFlags uint8

// The flags of TRACE, section 10.8.
const (
	TraceQuarantined TraceFlags = 1
	TraceMuted       TraceFlags = 2
	TraceHasBody     TraceFlags = 4
)
