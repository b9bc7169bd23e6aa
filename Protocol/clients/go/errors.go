package carillon

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Code says why a call failed. Codes are errors themselves, for errors.Is:
//
//	if errors.Is(err, carillon.ErrNotFound) { … }
//
// A code of a later server is "UNKNOWN_" and its number.
type Code string

// Error returns the name of the code.
func (c Code) Error() string { return string(c) }

// The codes of the protocol, section 15.
const (
	ErrMalformed            Code = "MALFORMED"
	ErrFrameTooLarge        Code = "FRAME_TOO_LARGE"
	ErrUnsupportedVersion   Code = "UNSUPPORTED_VERSION"
	ErrUnsupportedOpcode    Code = "UNSUPPORTED_OPCODE"
	ErrUnsupportedField     Code = "UNSUPPORTED_FIELD"
	ErrWrongPhase           Code = "WRONG_PHASE"
	ErrBadRequestID         Code = "BAD_REQUEST_ID"
	ErrAuthenticationFailed Code = "AUTHENTICATION_FAILED"
	ErrForbidden            Code = "FORBIDDEN"
	ErrNotFound             Code = "NOT_FOUND"
	ErrInvalidArgument      Code = "INVALID_ARGUMENT"
	ErrStale                Code = "STALE"
	ErrIdempotencyConflict  Code = "IDEMPOTENCY_CONFLICT"
	ErrTooLarge             Code = "TOO_LARGE"
	ErrRateLimited          Code = "RATE_LIMITED"
	ErrOverloaded           Code = "OVERLOADED"
	ErrStorageFull          Code = "STORAGE_FULL"
	ErrStorageFailed        Code = "STORAGE_FAILED"
	ErrDeadline             Code = "DEADLINE"
	ErrDraining             Code = "DRAINING"
	ErrTooManyPings         Code = "TOO_MANY_PINGS"
	ErrTooManyErrors        Code = "TOO_MANY_ERRORS"
	ErrTimeout              Code = "TIMEOUT"
	ErrInternal             Code = "INTERNAL"
	ErrTooManyConnections   Code = "TOO_MANY_CONNECTIONS"
	ErrAPNsRefused          Code = "APNS_REFUSED"
	ErrAPNsUnavailable      Code = "APNS_UNAVAILABLE"
	ErrBehind               Code = "BEHIND"
)

// The codes of the client itself.
const (
	// ErrCannotConnect: no connection was opened. Causes has one text for each address.
	ErrCannotConnect Code = "CANNOT_CONNECT"
	// ErrConnectionLost: the connection ended before the answer.
	ErrConnectionLost Code = "CONNECTION_LOST"
	// ErrNoAnswer: the deadline has passed.
	ErrNoAnswer Code = "NO_ANSWER"
	// ErrCancelled: the context of the call was cancelled.
	ErrCancelled Code = "CANCELLED"
	// ErrClosed: the client was closed.
	ErrClosed Code = "CLOSED"
	// ErrUntrusted: the server's certificate was not accepted.
	ErrUntrusted Code = "UNTRUSTED"
)

// codes has the names of the codes in the order of their numbers, from 1.
var codes = [...]Code{
	ErrMalformed, ErrFrameTooLarge, ErrUnsupportedVersion, ErrUnsupportedOpcode, ErrUnsupportedField, ErrWrongPhase,
	ErrBadRequestID, ErrAuthenticationFailed, ErrForbidden, ErrNotFound, ErrInvalidArgument, ErrStale,
	ErrIdempotencyConflict, ErrTooLarge, ErrRateLimited, ErrOverloaded, ErrStorageFull, ErrStorageFailed, ErrDeadline,
	ErrDraining, ErrTooManyPings, ErrTooManyErrors, ErrTimeout, ErrInternal, ErrTooManyConnections,
	ErrAPNsRefused, ErrAPNsUnavailable, ErrBehind,
}

// CodeOf returns the code of a number of the protocol.
func CodeOf(number uint16) Code {
	if number >= 1 && int(number) <= len(codes) {
		return codes[number-1]
	}
	return Code("UNKNOWN_" + strconv.Itoa(int(number)))
}

// numberOf returns the number of a code of the protocol; 0 for the client's own.
func numberOf(code Code) uint16 {
	for index, each := range codes {
		if each == code {
			return uint16(index + 1)
		}
	}
	return 0
}

// Effect says whether a failed call has taken effect, over all its attempts.
type Effect uint8

// The effects, from the best to the worst.
const (
	NotExecuted Effect = iota
	EffectUnknown
	Executed
)

// String returns the name of the effect.
func (e Effect) String() string {
	switch e {
	case NotExecuted:
		return "not_executed"
	case Executed:
		return "executed"
	default:
		return "unknown"
	}
}

// effectOf returns the effect of a number; one that the client does not know counts as unknown.
func effectOf(number uint8) Effect {
	if number > uint8(Executed) {
		return EffectUnknown
	}
	return Effect(number)
}

func worst(a, b Effect) Effect {
	if a > b {
		return a
	}
	return b
}

// Scope says what an error ends.
type Scope uint8

// ScopeRequest concerns one request; with ScopeConnection the connection has ended.
const (
	ScopeRequest Scope = iota
	ScopeConnection
)

// String returns the name of the scope.
func (s Scope) String() string {
	if s == ScopeConnection {
		return "connection"
	}
	return "request"
}

// Never as Error.RetryAfter: the same call will fail again.
const Never time.Duration = -1

// Error is the error of every method of this package. It contains no secret, no payload and no whole token.
type Error struct {
	// Code is the name of the error, Number its number in the protocol, 0 for a code of the client itself.
	Code   Code
	Number uint16
	// Effect is that of the whole call, over all its attempts.
	Effect Effect
	Scope  Scope
	// RetryAfter is how long to wait before the call is made again, or Never.
	RetryAfter time.Duration
	// Field is the name of the argument at fault; empty if the error does not have it.
	Field string
	// Item is the index in the list Field, Limit the limit that was exceeded, Column the byte of a condition, from 1. Nil
	// if the error does not have them.
	Item   *uint32
	Limit  *uint64
	Column *uint32
	// Reason is the reason that APNs gave to a request about broadcast channels, or the server's own word for an end
	// without an answer of APNs; else empty.
	Reason string
	// Key is the idempotency key of a SEND or RESEND, for WithKey when the program repeats the call; else zero.
	Key Key
	// Attempts is how many requests were written.
	Attempts int
	// Causes has one text for each address that was tried, with ErrCannotConnect.
	Causes []string
	// Message is a text for engineers.
	Message string

	isSafeToRetry bool
	cause         error
}

// Error returns the code, the effect and the message in one line.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString("carillon: " + string(e.Code) + " (" + e.Effect.String())
	if e.Field != "" {
		text.WriteString(", field " + e.Field)
	}
	text.WriteString(")")
	if e.Message != "" {
		text.WriteString(": " + e.Message)
	}
	for _, each := range e.Causes {
		text.WriteString("; " + each)
	}
	return text.String()
}

// Is makes errors.Is true for the code of the error.
func (e *Error) Is(target error) bool { return target == error(e.Code) }

// Unwrap returns the error of the context, the system or TLS behind this one; nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// Timeout is true if the deadline has passed, as for net.Error.
func (e *Error) Timeout() bool { return e.Code == ErrNoAnswer }

// IsNotExecuted is true if the call has certainly had no effect.
func (e *Error) IsNotExecuted() bool { return e.Effect == NotExecuted }

// IsSafeToRetry is true if the program may repeat the same call, for SEND and RESEND with Key: it had no effect, or
// repeating does no harm.
func (e *Error) IsSafeToRetry() bool { return e.Effect == NotExecuted || e.isSafeToRetry }

// IsTransient is true if the same call can succeed later.
func (e *Error) IsTransient() bool { return e.RetryAfter != Never }

// IsNotExecuted is true if err is an *Error of a call that had no effect.
func IsNotExecuted(err error) bool {
	var found *Error
	return errors.As(err, &found) && found.IsNotExecuted()
}

// IsSafeToRetry is true if err is an *Error after which the same call may be repeated.
func IsSafeToRetry(err error) bool {
	var found *Error
	return errors.As(err, &found) && found.IsSafeToRetry()
}

// IsTransient is true if err is an *Error of a call that can succeed later.
func IsTransient(err error) bool {
	var found *Error
	return errors.As(err, &found) && found.IsTransient()
}

// failure makes an error of the client itself.
func failure(code Code, effect Effect, retry time.Duration, format string, values ...any) *Error {
	scope := ScopeRequest
	if code == ErrCannotConnect || code == ErrConnectionLost || code == ErrUntrusted {
		scope = ScopeConnection
	}
	return &Error{Code: code, Number: numberOf(code), Effect: effect, Scope: scope, RetryAfter: retry,
		Message: fmt.Sprintf(format, values...)}
}

func invalid(field, format string, values ...any) *Error {
	err := failure(ErrInvalidArgument, NotExecuted, Never, format, values...)
	err.Field = field
	return err
}

func connectionLost(format string, values ...any) *Error {
	return failure(ErrConnectionLost, EffectUnknown, 0, format, values...)
}

func closedError() *Error { return failure(ErrClosed, NotExecuted, Never, "the client was closed") }

// contextError makes the error of a call whose context has ended.
func contextError(cause error, effect Effect) *Error {
	code, text := ErrCancelled, "the call was cancelled"
	if errors.Is(cause, context.DeadlineExceeded) {
		code, text = ErrNoAnswer, "the deadline has passed"
	}
	err := failure(code, effect, 0, "%s", text)
	err.cause = cause
	return err
}

// errorOf makes the error of an error frame.
func errorOf(frame *errorFrame) *Error {
	err := &Error{Code: CodeOf(frame.Code), Number: frame.Code, Effect: effectOf(frame.Effect), Field: frame.Field,
		Item: frame.Item, Limit: frame.Limit, Column: frame.Column, Reason: frame.Reason, Message: frame.Message}
	if frame.Scope == uint8(ScopeConnection) {
		err.Scope = ScopeConnection
	}
	err.RetryAfter = time.Duration(frame.RetryAfterMs) * time.Millisecond
	if frame.RetryAfterMs == never {
		err.RetryAfter = Never
	}
	return err
}
