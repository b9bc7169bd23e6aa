package carillon

import (
	"context"
	"errors"
	"time"
)

// OutcomeCount is how many devices of a message ended in an outcome.
type OutcomeCount struct {
	Outcome Outcome
	Devices uint64
}

// MessageStatus is the answer to MESSAGE_STATUS.
type MessageStatus struct {
	State      MessageState
	AcceptedAt time.Time
	// FinishedAt is the zero time if the message has not finished.
	FinishedAt time.Time
	// Total is the number of devices, the sum of Outcomes.
	Total    uint64
	Outcomes []OutcomeCount
	// SendAt is the zero time if the message was not scheduled.
	SendAt time.Time
	// Pace is how many deliveries a second there are at most; 0 = no bound.
	Pace uint32
	// Rate is how many devices ended in the last second, about; nil if the message is not being sent.
	Rate *uint32
	// Remaining is the time until it ends at this rate; nil if no delivery ends.
	Remaining *time.Duration `wire:"remaining_ms"`
	// Received and Opened are the devices with such a receipt.
	Received uint64
	Opened   uint64
	// Audience is a condition in its canonical form; empty for a list of devices, and if it is too long.
	Audience string
	Label    string
	// Sender is the principal of the message; empty if it is not known.
	Sender string
	// Traceparent is the distributed trace of the message; empty if there is none.
	Traceparent string
	// Obstacles say why devices wait.
	Obstacles []Obstacle
}

// Obstacle is a pool of the app that cannot be used now, so that devices of its environment wait.
type Obstacle struct {
	Kind        ObstacleKind
	Credential  string
	Environment Environment
	// BeganAt is the zero time if it is not known.
	BeganAt time.Time
	// NextAttemptAt is the zero time if it is not known, or now.
	NextAttemptAt time.Time
	// Cause is a word such as certificate-expired, section 13.1; empty if no attempt to connect has failed.
	Cause string
	// Reason is for engineers; programs must not parse it.
	Reason string
}

// Devices returns how many devices ended in an outcome.
func (s *MessageStatus) Devices(outcome Outcome) uint64 {
	for _, each := range s.Outcomes {
		if each.Outcome == outcome {
			return each.Devices
		}
	}
	return 0
}

// MessageStatus returns the state of a message. Section 10.2.
func (a *App) MessageStatus(ctx context.Context, messageID uint64, options ...CallOption) (*MessageStatus, error) {
	message := &messageStatusRequest{App: a.name, MessageID: messageID}
	return call[MessageStatus](ctx, a.client, message.prepare(), options)
}

// The pauses of WaitUntilFinished.
const (
	firstStatusPause   = 20 * time.Millisecond
	maximumStatusPause = 2 * time.Second
)

// WaitUntilFinished asks for the status of a message until it is finished. It ends with the deadline of the context, or
// when that is cancelled; each request has the client's request timeout. Errors that can go away do not end it.
func (a *App) WaitUntilFinished(ctx context.Context, messageID uint64, options ...CallOption) (*MessageStatus, error) {
	for pause := firstStatusPause; ; pause *= 2 {
		if pause > maximumStatusPause {
			pause = maximumStatusPause
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
		attempt, cancel := context.WithTimeout(ctx, a.client.settings.requestTimeout)
		status, err := a.MessageStatus(attempt, messageID, options...)
		cancel()
		if err == nil && status.State == StateFinished {
			return status, nil
		}
		if err != nil && (ctx.Err() != nil || !IsTransient(err)) {
			return nil, err
		}
	}
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return contextError(ctx.Err(), NotExecuted)
	}
}

// RecipientOutcome is a row of MESSAGE_OUTCOMES. DeviceID is 0 for a token that was not registered.
type RecipientOutcome struct {
	DeviceID uint64
	Outcome  Outcome
}

// OutcomePage is a page of the recipients of a message.
type OutcomePage struct {
	// Next is Cursor of the next page; 0 after the last one.
	Next       uint64
	Recipients []RecipientOutcome
}

// MessageOutcomes returns a page of the recipients of a message. Section 10.3.
func (a *App) MessageOutcomes(ctx context.Context, messageID uint64, page PageRequest,
	options ...CallOption) (*OutcomePage, error) {
	return call[OutcomePage](ctx, a.client, (&messageOutcomesRequest{App: a.name, MessageID: messageID,
		Cursor: page.Cursor, Limit: page.limit()}).prepare(), options)
}

// AllMessageOutcomes iterates over all recipients of a message.
func (a *App) AllMessageOutcomes(messageID uint64, options ...CallOption) *Iterator[RecipientOutcome] {
	return iterateNumbers(func(ctx context.Context, page PageRequest) ([]RecipientOutcome, uint64, error) {
		found, err := a.MessageOutcomes(ctx, messageID, page, options...)
		if err != nil {
			return nil, 0, err
		}
		return found.Recipients, found.Next, nil
	})
}

// MessageFilter says which messages are listed: those that meet each of its fields that is not zero.
type MessageFilter struct {
	State  MessageState
	Sender string
	// Label is the beginning of the label.
	Label string
}

// MessageSummary is a row of MESSAGES.
type MessageSummary struct {
	MessageID  uint64
	State      MessageState
	AcceptedAt time.Time
	PushType   PushType
	Lane       Lane
	// Ended of Total devices have an outcome.
	Total uint64
	Ended uint64
	// Details are more of it; nil if the server does not send them.
	Details *MessageDetails `wire:"-"`
}

// MessageDetails are further numbers and names of a message in a list.
type MessageDetails struct {
	// Delivered and Failed devices ended with the outcome delivered, and with another one.
	Delivered uint64
	Failed    uint64
	// Label is empty if there is none, Sender if it is not known.
	Label  string
	Sender string
}

type messagesAnswer struct {
	Next     uint64
	Messages []MessageSummary
	Details  []MessageDetails
}

// MessagePage is a page of messages, the newest first.
type MessagePage struct {
	// Next is Cursor of the next page; 0 after the last one. Only Next says whether a page was the last.
	Next     uint64
	Messages []MessageSummary
}

// Messages returns a page of the messages of the app, the newest first. Section 10.5.
func (a *App) Messages(ctx context.Context, filter MessageFilter, page PageRequest,
	options ...CallOption) (*MessagePage, error) {
	message := &messagesRequest{App: a.name, Before: page.Cursor, Limit: page.limit()}
	if filter.State != 0 {
		message.State = Ptr(uint8(filter.State))
	}
	if filter.Sender != "" {
		message.Sender = &filter.Sender
	}
	if filter.Label != "" {
		message.Label = &filter.Label
	}
	found, err := call[messagesAnswer](ctx, a.client, message.prepare(), options)
	if err != nil {
		return nil, err
	}
	for index := range found.Messages {
		if len(found.Details) == len(found.Messages) {
			found.Messages[index].Details = &found.Details[index]
		}
	}
	return &MessagePage{Next: found.Next, Messages: found.Messages}, nil
}

// AllMessages iterates over all messages of the app that meet a filter, the newest first.
func (a *App) AllMessages(filter MessageFilter, options ...CallOption) *Iterator[MessageSummary] {
	return iterateNumbers(func(ctx context.Context, page PageRequest) ([]MessageSummary, uint64, error) {
		found, err := a.Messages(ctx, filter, page, options...)
		if err != nil {
			return nil, 0, err
		}
		return found.Messages, found.Next, nil
	})
}

// MessageUpdate is a change of an accepted message (UPDATE_MESSAGE). Cancel, Pause, Resume, Pace and NoPace make one;
// the zero value is refused.
type MessageUpdate struct {
	action uint8
	pace   *uint32
}

const actionResume = 3

// Cancel ends a message.
func Cancel() MessageUpdate { return MessageUpdate{action: 1} }

// Pause lets no attempt start until the message is resumed.
func Pause() MessageUpdate { return MessageUpdate{action: 2} }

// Resume ends a pause, or starts a scheduled message now. The client never repeats it by itself after an unknown
// effect.
func Resume() MessageUpdate { return MessageUpdate{action: actionResume} }

// Pace bounds the deliveries a second.
func Pace(perSecond uint32) MessageUpdate { return MessageUpdate{action: 4, pace: &perSecond} }

// NoPace ends the bound of Pace.
func NoPace() MessageUpdate { return MessageUpdate{action: 4} }

type updateMessageAnswer struct {
	State MessageState
}

// UpdateMessage changes a running message and returns its state afterwards. Section 10.6.
func (a *App) UpdateMessage(
	ctx context.Context, messageID uint64, update MessageUpdate, options ...CallOption,
) (MessageState, error) {
	if update.action == 0 {
		return 0, invalid("action", "there is no action")
	}
	message := &updateMessageRequest{App: a.name, MessageID: messageID, Action: update.action, Pace: update.pace}
	found, err := call[updateMessageAnswer](ctx, a.client, message.prepare(), options)
	if err != nil {
		return 0, err
	}
	return found.State, nil
}

// TraceSource is what puts a device into the audience of a message.
type TraceSource struct {
	Kind SourceKind
	Name string
	// Through is the group through which the device has the topic; empty = the device itself.
	Through string
}

// TraceAttempt is a remembered attempt to deliver.
type TraceAttempt struct {
	At         time.Time
	Connection uint32
	// Status is the HTTP status of the provider; 0 if there was no answer.
	Status uint16
	// Reason is for engineers; programs must not parse it.
	Reason string
}

// Trace says why a device did or did not get a message.
type Trace struct {
	DeviceID    uint64
	State       MessageState
	Addressing  Addressing
	Outcome     Outcome
	Flags       TraceFlags
	Sources     []TraceSource
	MutedGroups []string
	// Language is that of the body that fits the device.
	Language string
	// SilentBudgetLeft is how many more silent pushes the device may get now; nil if there is no budget.
	SilentBudgetLeft *uint32
	Attempts         []TraceAttempt
	// UniqueIDs are the apns-unique-ids of Attempts, in their order: "" where APNs gave none; nil if it gave none at all.
	UniqueIDs []string
	// NextAttemptAt is the zero time if no attempt waits for a time.
	NextAttemptAt time.Time
}

// Trace returns why a device did or did not get a message. Section 10.8.
func (a *App) Trace(
	ctx context.Context, messageID uint64, device DeviceReference, options ...CallOption,
) (*Trace, error) {
	message := &traceRequest{App: a.name, MessageID: messageID, Device: device}
	return call[Trace](ctx, a.client, message.prepare(), options)
}

// Receipt is what an app has reported about a push.
type Receipt struct {
	MessageID uint64
	Device    DeviceReference
	Kind      ReceiptKind
}

// ReceiptResult is the answer to RECEIPTS.
type ReceiptResult struct {
	// Counted is how many receipts are new.
	Counted uint32
	// Unknown has the indices of the receipts whose message does not exist, or was not for this device.
	Unknown []uint32
}

// ReportReceipts reports pushes that have arrived at their devices, or were opened there. Section 12.1.
func (a *App) ReportReceipts(
	ctx context.Context, receipts []Receipt, options ...CallOption,
) (*ReceiptResult, error) {
	message := &receiptsRequest{App: a.name, Receipts: make([]receiptsItem, len(receipts))}
	for index, each := range receipts {
		message.Receipts[index] = receiptsItem{MessageID: each.MessageID, Device: each.Device, Kind: uint8(each.Kind)}
	}
	return call[ReceiptResult](ctx, a.client, message.prepare(), options)
}

// ReceiptDevices returns a page of the devices with a receipt of a message. Section 12.2.
func (a *App) ReceiptDevices(ctx context.Context, messageID uint64, kind ReceiptKind, page PageRequest,
	options ...CallOption) (*DeviceIDPage, error) {
	return call[DeviceIDPage](ctx, a.client, (&receiptDevicesRequest{App: a.name, MessageID: messageID, Kind: uint8(kind),
		Cursor: page.Cursor, Limit: page.limit()}).prepare(), options)
}

// AllReceiptDevices iterates over the ids of all devices with a receipt of a message.
func (a *App) AllReceiptDevices(messageID uint64, kind ReceiptKind, options ...CallOption) *Iterator[uint64] {
	return iterateDevices(func(ctx context.Context, page PageRequest) (*DeviceIDPage, error) {
		return a.ReceiptDevices(ctx, messageID, kind, page, options...)
	})
}

// errorCode returns the code of an error of this package; empty if there is none.
func errorCode(err error) Code {
	var found *Error
	if errors.As(err, &found) {
		return found.Code
	}
	return ""
}
