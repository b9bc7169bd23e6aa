package carillon

import (
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	headerSize = 16
	// never is the retry_after_ms of an error whose request would fail again.
	never = math.MaxUint32
	// deadlineTag is the tag of deadline_ms, which all requests have in common.
	deadlineTag       = 2
	maximumTags       = 64
	maximumTokenBytes = 255
)

// The kinds of frames, section 3.
const (
	kindRequest = 1
	kindAnswer  = 2
	kindError   = 3
	kindEvent   = 4
	kindControl = 5
	flagACK     = 1
)

// request is a message of a client; messages_generated.go has the code of all.
type request interface {
	opcode() uint16
	// prepare makes a call of the request.
	prepare() *pendingCall
	// write appends the fixed part and the tags.
	write(w *writer)
}

// writer appends a request to a buffer. The first value that cannot be encoded is kept in failure.
type writer struct {
	data    []byte
	start   int
	failure *Error
	// tagsAt is where the count of the tagged section is; 0 before the section.
	tagsAt int
}

// header is the beginning of a frame.
type header struct {
	length      uint32
	kind, flags uint8
	opcode      uint16
	id          uint64
}

func readHeader(data []byte) header {
	return header{length: binary.BigEndian.Uint32(data), kind: data[4], flags: data[5],
		opcode: binary.BigEndian.Uint16(data[6:]), id: binary.BigEndian.Uint64(data[8:])}
}

func appendHeader(data []byte, h header) []byte {
	data = binary.BigEndian.AppendUint32(data, h.length)
	data = append(data, h.kind, h.flags)
	data = binary.BigEndian.AppendUint16(data, h.opcode)
	return binary.BigEndian.AppendUint64(data, h.id)
}

// newWriter begins a frame with id 0 behind data.
func newWriter(data []byte, opcode uint16) writer {
	return writer{start: len(data), data: appendHeader(data, header{kind: kindRequest, opcode: opcode})}
}

// newWriterWithDeadline begins a frame to which beginTags writes a deadline: it has the lowest tag, but follows the
// fixed part.
func newWriterWithDeadline(data []byte, opcode uint16) writer {
	w := newWriter(data, opcode)
	w.tagsAt = -1
	return w
}

// end ends the frame.
func (w *writer) end() {
	length := len(w.data) - w.start - headerSize
	if length > math.MaxUint32 {
		w.fail("", "the request is too long")
	}
	binary.BigEndian.PutUint32(w.data[w.start:], uint32(length))
}

// appendRequest appends a whole frame with id 0 and without a deadline.
func appendRequest(data []byte, message request) ([]byte, *Error) {
	w := newWriter(data, message.opcode())
	message.write(&w)
	w.end()
	return w.data, w.failure
}

func setDeadline(frame []byte, at int, left time.Duration) {
	milliseconds := (left + time.Millisecond - 1) / time.Millisecond
	if milliseconds < 1 {
		milliseconds = 1
	}
	if milliseconds > math.MaxUint32 {
		milliseconds = math.MaxUint32
	}
	binary.BigEndian.PutUint32(frame[at:], uint32(milliseconds))
}

func setID(frame []byte, id uint64) { binary.BigEndian.PutUint64(frame[8:], id) }

func (w *writer) fail(field, text string) {
	if w.failure == nil {
		w.failure = invalid(field, "%s: %s", field, text)
	}
}

func (w *writer) u8(value uint8)   { w.data = append(w.data, value) }
func (w *writer) u16(value uint16) { w.data = binary.BigEndian.AppendUint16(w.data, value) }
func (w *writer) u32(value uint32) { w.data = binary.BigEndian.AppendUint32(w.data, value) }
func (w *writer) u64(value uint64) { w.data = binary.BigEndian.AppendUint64(w.data, value) }
func (w *writer) uuid(value Key)   { w.data = append(w.data, value[:]...) }

func (w *writer) uvarint(value uint32) { w.data = binary.AppendUvarint(w.data, uint64(value)) }

func (w *writer) str(field, value string) {
	if len(value) > math.MaxUint16 {
		w.fail(field, "the text is too long")
		return
	}
	w.u16(uint16(len(value)))
	w.rawText(field, value)
}

// rawText appends the bytes of a text without its length.
func (w *writer) rawText(field, value string) {
	if !isText(value) {
		w.fail(field, "the text is not UTF-8, or contains U+0000")
	}
	w.data = append(w.data, value...)
}

func isText(value string) bool { return utf8.ValidString(value) && strings.IndexByte(value, 0) < 0 }

func (w *writer) bytes(field string, value []byte) {
	if len(value) > math.MaxUint32 {
		w.fail(field, "there are too many bytes")
		return
	}
	w.u32(uint32(len(value)))
	w.data = append(w.data, value...)
}

func (w *writer) token(field string, value []byte) {
	w.u8(uint8(len(value)))
	w.rawToken(field, value)
}

func (w *writer) rawToken(field string, value []byte) {
	if len(value) < 1 || len(value) > maximumTokenBytes {
		w.fail(field, "a token has 1 to 255 bytes")
	}
	w.data = append(w.data, value...)
}

func (w *writer) device(field string, device DeviceReference) {
	w.u8(device.form)
	switch device.form {
	case deviceByToken:
		w.u8(uint8(device.environment))
		w.u8(uint8(device.kind))
		w.u8(uint8(len(device.token)))
		if len(device.token) < 1 || len(device.token) > maximumTokenBytes {
			w.fail(field, "a token has 1 to 255 bytes")
		}
		w.data = append(w.data, device.token...)
	case deviceByID:
		w.u64(device.id)
	default:
		w.fail(field, "no device is named")
	}
}

// endFixed ends the fixed part. With a deadline the tagged section begins here.
func (w *writer) endFixed() {
	if w.tagsAt == -1 {
		w.tagsAt = len(w.data)
		w.data = append(w.data, 1, deadlineTag, 4, 0, 0, 0, 0)
	}
}

// tag begins a field of the tagged section and returns where its value begins. The value is not longer than 127 bytes,
// or endTag is called after it.
func (w *writer) tag(number uint32) int {
	if w.tagsAt <= 0 {
		w.tagsAt = len(w.data)
		w.data = append(w.data, 0)
	}
	w.data[w.tagsAt]++ // a request has fewer than 64 tags: one byte
	w.uvarint(number)
	w.data = append(w.data, 0)
	return len(w.data)
}

// endTag writes the size of a field that began at start.
func (w *writer) endTag(start int) {
	size := uint32(len(w.data) - start)
	if size < 128 {
		w.data[start-1] = byte(size)
		return
	}
	var encoded [5]byte
	count := binary.PutUvarint(encoded[:], uint64(size))
	w.data = append(w.data, encoded[:count-1]...)
	copy(w.data[start+count-1:], w.data[start:start+int(size)])
	copy(w.data[start-1:], encoded[:count])
}
