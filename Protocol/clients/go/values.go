package carillon

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"
	"time"
)

// Key is an idempotency key, or another UUID of the protocol. The zero value is none.
type Key [16]byte

// randomKeys has bytes of the operating system's random source for some keys, so that not each needs a system call.
var randomKeys struct {
	mu     sync.Mutex
	buffer [32 * len(Key{})]byte
	left   []byte
}

// NewKey returns a random key.
func NewKey() Key {
	var key Key
	randomKeys.mu.Lock()
	if len(randomKeys.left) == 0 {
		randomKeys.left = randomKeys.buffer[:]
		if _, err := rand.Read(randomKeys.left); err != nil {
			panic("carillon: the operating system has no random numbers: " + err.Error())
		}
	}
	copy(key[:], randomKeys.left)
	randomKeys.left = randomKeys.left[len(key):]
	randomKeys.mu.Unlock()
	key[6] = key[6]&0x0f | 0x40
	key[8] = key[8]&0x3f | 0x80
	return key
}

// String returns the key as 32 hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

const (
	deviceByToken = 1
	deviceByID    = 2
)

// DeviceReference names a device in a request: by its id or by its token. The zero value names none and is refused.
type DeviceReference struct {
	form        uint8
	environment Environment
	kind        TokenKind
	id          uint64
	token       string
}

// DeviceByID names a device by its id.
func DeviceByID(id uint64) DeviceReference { return DeviceReference{form: deviceByID, id: id} }

// DeviceByToken names a device by its token, which is not hexadecimal; see ParseToken.
func DeviceByToken(environment Environment, kind TokenKind, token []byte) DeviceReference {
	return DeviceReference{form: deviceByToken, environment: environment, kind: kind, token: string(token)}
}

// String describes the device, with the beginning of its token (CONTRACT.md, TLS-4).
func (d DeviceReference) String() string {
	switch d.form {
	case deviceByID:
		return fmt.Sprintf("device %d", d.id)
	case deviceByToken:
		return fmt.Sprintf("%s %s token %s", d.environment, d.kind, shortToken(d.token))
	default:
		return "no device"
	}
}

// Format prints the device without its whole token, whatever the verb.
func (d DeviceReference) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(d.String())) }

// shortToken returns the printed form of a token: its first four bytes, and never more than half of them.
func shortToken(token string) string {
	shown := len(token) / 2
	if shown > 4 {
		shown = 4
	}
	return hex.EncodeToString([]byte(token[:shown])) + "…"
}

// ParseToken reads a token from hexadecimal digits, as Apple's examples print it.
func ParseToken(text string) ([]byte, error) {
	token, err := hex.DecodeString(text)
	if err != nil || len(token) < 1 || len(token) > maximumTokenBytes {
		return nil, invalid("token", "a token has 1 to 255 bytes, each of two hexadecimal digits")
	}
	return token, nil
}

// Ptr returns a pointer to a value, for fields that can be absent.
func Ptr[T any](value T) *T { return &value }

// timeOf returns the time of milliseconds since 1970, up to the largest number; 0 is the zero time.
func timeOf(milliseconds uint64) time.Time {
	if milliseconds == 0 {
		return time.Time{}
	}
	return time.Unix(int64(milliseconds/1000), int64(milliseconds%1000)*int64(time.Millisecond))
}

// millisecondsOf is the opposite of timeOf. A time before 1970 counts as the first millisecond, because 0 means now.
func millisecondsOf(at time.Time) uint64 {
	if at.IsZero() {
		return 0
	}
	if at.Unix() < 0 || at.Unix() == 0 && at.Nanosecond() < int(time.Millisecond) {
		return 1
	}
	return uint64(at.Unix())*1000 + uint64(at.Nanosecond()/int(time.Millisecond))
}
