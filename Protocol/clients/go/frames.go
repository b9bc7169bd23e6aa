package carillon

//go:generate go run ./internal/generate

// The frames of a server that are no answers, and answers without fields. Those that are public stand with their methods.

// errorFrame is the payload of a frame of kind 3, section 9.
type errorFrame struct {
	Code         uint16
	Scope        uint8
	Effect       uint8
	RetryAfterMs uint32
	Message      string
	Field        string
	Limit        *uint64
	Item         *uint32
	Column       *uint32
}

// goAwayFrame is the payload of GOAWAY, section 6.4.
type goAwayFrame struct {
	LastID           uint64
	Code             uint16
	GraceMs          uint32
	ReconnectAfterMs uint32
	Reason           string
}

// eventFrame is the payload of a frame of kind 4, section 8a.2.
type eventFrame struct {
	Event
	MissedFrom *uint64
	MissedTo   *uint64
}

type subscribedAnswer struct {
	After uint64
}

type emptyAnswer struct{}

// repeatClass says when a request may be repeated after an unknown effect, RET-2 of the contract.
type repeatClass uint8

const (
	classRead repeatClass = iota
	classTime
	classKey
	classAlways
	classState
	classConnection
)

// repetition says what may be done with a request after a failed attempt.
type repetition struct {
	// isRead: the request has no effect. isSafe: it may be repeated when its effect is unknown.
	isRead, isSafe bool
	key            Key
}

// repetitionOf returns how a request may be repeated, RET-2.
func repetitionOf(message request) repetition {
	switch m := message.(type) {
	case *registerRequest:
		return repetition{isSafe: m.SeenAt != 0}
	case *batchRequest:
		return repetition{isSafe: m.hasTimes}
	case *unregisterRequest:
		return repetition{isSafe: m.At != 0}
	case *steerRequest:
		return repetition{isSafe: m.Action != actionResume}
	case *resendRequest:
		return repetition{isSafe: m.Key != Key{}, key: m.Key}
	case *sendRequest:
		isRead := m.DryRun != nil && *m.DryRun == 1
		return repetition{isRead: isRead, isSafe: isRead || m.Key != Key{}, key: m.Key}
	case *updateGroupRequest:
		return repetition{isRead: m.Muted == nil, isSafe: true}
	default:
		class := message.class()
		return repetition{isRead: class == classRead, isSafe: class == classRead || class == classAlways || class == classState}
	}
}
