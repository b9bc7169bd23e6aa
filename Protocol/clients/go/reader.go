package carillon

import (
	"encoding/binary"
	"math"
	"time"
)

// answer is a message of a server; messages_generated.go has the code of all.
type answer interface {
	// read reads the fixed part and the tags.
	read(r *reader)
}

// decode reads a payload; false if it is not as the protocol says.
func decode(payload []byte, into answer) bool {
	r := reader{data: payload}
	into.read(&r)
	return !r.isBad && len(r.data) == 0
}

// reader takes values from the beginning of a payload. After a fault isBad is true and all values are zero.
type reader struct {
	data  []byte
	isBad bool
	// last is the latest tag, left the number of tags that follow.
	last int64
	left uint32
}

func (r *reader) fail() {
	r.isBad, r.data, r.left = true, nil, 0
}

func (r *reader) take(count int) []byte {
	if count > len(r.data) {
		r.fail()
		return nil
	}
	taken := r.data[:count]
	r.data = r.data[count:]
	return taken
}

func (r *reader) u8() uint8 {
	if len(r.data) < 1 {
		r.fail()
		return 0
	}
	value := r.data[0]
	r.data = r.data[1:]
	return value
}

func (r *reader) u16() uint16 {
	if len(r.data) < 2 {
		r.fail()
		return 0
	}
	value := binary.BigEndian.Uint16(r.data)
	r.data = r.data[2:]
	return value
}

func (r *reader) u32() uint32 {
	if len(r.data) < 4 {
		r.fail()
		return 0
	}
	value := binary.BigEndian.Uint32(r.data)
	r.data = r.data[4:]
	return value
}

func (r *reader) u64() uint64 {
	if len(r.data) < 8 {
		r.fail()
		return 0
	}
	value := binary.BigEndian.Uint64(r.data)
	r.data = r.data[8:]
	return value
}

func (r *reader) uuid() (value Key) {
	copy(value[:], r.take(len(value)))
	return value
}

func (r *reader) flag() bool { return r.u8() != 0 }

// time reads a time; 0 is the zero time.
func (r *reader) time() time.Time { return timeOf(r.u64()) }

// durationOf returns a duration; one that is longer than 292 years is cut to that.
func durationOf(value uint64, unit time.Duration) time.Duration {
	if value > math.MaxInt64/uint64(unit) {
		return math.MaxInt64
	}
	return time.Duration(value) * unit
}

func (r *reader) str() string { return r.rawText(int(r.u16())) }

// rawText reads a text of count bytes, without its length.
func (r *reader) rawText(count int) string {
	value := string(r.take(count))
	if !isText(value) {
		r.fail()
		return ""
	}
	return value
}

func (r *reader) bytes() []byte { return r.copied(int(r.u32())) }

func (r *reader) copied(count int) []byte {
	taken := r.take(count)
	if r.isBad {
		return nil
	}
	return append(make([]byte, 0, count), taken...)
}

func (r *reader) token() []byte { return r.rawToken(int(r.u8())) }

func (r *reader) rawToken(count int) []byte {
	if count < 1 || count > maximumTokenBytes {
		r.fail()
		return nil
	}
	return r.copied(count)
}

// count reads the number of items of a list, each of which has size bytes at least.
func (r *reader) count(size int) int {
	count := uint64(r.u32())
	if count*uint64(size) > uint64(len(r.data)) {
		r.fail()
		return 0
	}
	return int(count)
}

func (r *reader) uvarint() uint32 {
	var value uint64
	for shift := 0; shift < 35; shift += 7 {
		next := r.u8()
		value |= uint64(next&0x7f) << shift
		if next < 0x80 {
			if next == 0 && shift > 0 || value > math.MaxUint32 {
				break
			}
			return uint32(value)
		}
	}
	r.fail()
	return 0
}

// beginTags ends the fixed part. Without a tagged section there are no tags.
func (r *reader) beginTags() {
	r.last, r.left = -1, 0
	if len(r.data) > 0 {
		r.left = r.uvarint()
		if r.left > maximumTags {
			r.fail()
		}
	}
}

// tag reads the next tag and a reader of its value; false after the last.
func (r *reader) tag() (uint32, reader, bool) {
	if r.left == 0 {
		return 0, reader{}, false
	}
	r.left--
	number := r.uvarint()
	value := r.take(int(r.uvarint()))
	if int64(number) <= r.last {
		r.fail()
	}
	r.last = int64(number)
	return number, reader{data: value}, !r.isBad
}

// endTag checks that a known tag filled its size exactly.
func (r *reader) endTag(value *reader) {
	if value.isBad || len(value.data) > 0 {
		r.fail()
	}
}
