package carillon

//go:generate go run ./internal/generate

// The frames of a server that are no answers, and answers without fields. Those that are public stand with their
// methods.

// errorFrame is the payload of a frame of kind 3, section 15.
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
	Reason       string
}

// goAwayFrame is the payload of GOAWAY, section 6.4.
type goAwayFrame struct {
	LastID           uint64
	Code             uint16
	GraceMs          uint32
	ReconnectAfterMs uint32
	Reason           string
}

// eventFrame is the payload of a frame of kind 4, section 11.2.
type eventFrame struct {
	Event
	MissedFrom *uint64
	MissedTo   *uint64
}

type subscribedAnswer struct {
	After uint64
}

type emptyAnswer struct{}

// repetition says what may be done with a request after a failed attempt. Most requests have one by their class in
// layouts.json; those below depend on their fields.
type repetition struct {
	// isReadOnly: the request changes nothing. isRepeatable: it may be made again when its effect is unknown.
	isReadOnly, isRepeatable bool
	key                      Key
}

func (m *registerRequest) repetition() repetition { return repetition{isRepeatable: m.SeenAt != 0} }

// repetition of a batch depends on its items, which only the caller knows.
func (m *registerBatchRequest) repetition() repetition { return repetition{} }

func (m *unregisterRequest) repetition() repetition { return repetition{isRepeatable: m.At != 0} }

func (m *updateMessageRequest) repetition() repetition {
	return repetition{isRepeatable: m.Action != actionResume}
}

func (m *updateGroupRequest) repetition() repetition {
	return repetition{isReadOnly: m.Muted == nil, isRepeatable: true}
}

func (m *resendRequest) repetition() repetition {
	return repetition{isRepeatable: m.Key != Key{}, key: m.Key}
}

func (m *sendRequest) repetition() repetition {
	isReadOnly := m.DryRun != nil && *m.DryRun == 1
	return repetition{isReadOnly: isReadOnly, isRepeatable: isReadOnly || m.Key != Key{}, key: m.Key}
}
