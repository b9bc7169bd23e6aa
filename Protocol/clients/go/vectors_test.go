package carillon

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// How many vectors there are. A vector that is not run, or a new one, changes a number.
const (
	validRequests    = 349
	validForServer   = 18
	validAnswers     = 259
	invalidVectors   = 1694
	malformedVectors = 711
	payloadVectors   = 95
)

type vector struct {
	Name         string `json:"name"`
	From         string `json:"from"`
	Hex          string `json:"hex"`
	Message      string `json:"message"`
	Fields       object `json:"fields"`
	Unknown      []any  `json:"unknown_tags"`
	Frame        object `json:"frame"`
	IsDecodeOnly bool   `json:"decode_only"`
}

func (v *vector) bytes(t *testing.T) []byte {
	data, err := hex.DecodeString(v.Hex)
	if err != nil || len(data) < headerSize {
		t.Fatalf("%s: no frame", v.Name)
	}
	return data
}

func TestValidVectors(t *testing.T) {
	layouts, _ := requestLayouts(t)
	requests, forServer, answers := 0, 0, 0
	eachFile(t, "valid", func(path string) {
		var vectors []vector
		readJSON(t, path, &vectors)
		for _, v := range vectors {
			t.Run(v.Name, func(t *testing.T) {
				switch {
				case v.From == "server":
					checkAnswer(t, &v)
					answers++
				case len(v.Unknown) > 0 || v.IsDecodeOnly:
					checkReadable(t, &v, layouts)
					forServer++
				default:
					checkRequest(t, &v, layouts)
					requests++
				}
			})
		}
	})
	if requests != validRequests || forServer != validForServer || answers != validAnswers {
		t.Errorf("%d requests, %d for servers only, %d answers were run", requests, forServer, answers)
	}
}

// checkRequest encodes a request to the bytes of the vector, and reads them back.
func checkRequest(t *testing.T, v *vector, layouts map[string]object) {
	data := v.bytes(t)
	if v.Message == "ping" {
		s := &session{}
		ping, _ := hex.DecodeString(v.Fields["data"].(string))
		s.writePing(ping, data[5])
		if !bytes.Equal(s.control, data) {
			t.Errorf("%x was written", s.control)
		}
		return
	}
	if v.Message == "position" {
		s := &session{}
		number, _ := numberOfJSON(v.Fields["position"])
		s.writePosition(number)
		if !bytes.Equal(s.control, data) {
			t.Errorf("%x was written", s.control)
		}
		return
	}
	message, err := requestOf(v.Message, v.Fields)
	if err != nil {
		t.Fatal(err)
	}
	left, hasDeadline := v.Fields["deadline_ms"]
	frame, failed := appendRequest(nil, message)
	if failed != nil {
		t.Fatal(failed)
	}
	if hasDeadline {
		p := message.prepare()
		number, _ := numberOfJSON(left)
		binary.BigEndian.PutUint32(p.frame[p.deadlineAt:], uint32(number))
		frame = p.frame
	}
	id, _ := numberOfJSON(v.Frame["id"])
	setID(frame, id)
	if !bytes.Equal(frame, data) {
		t.Errorf("written: %x\n expected: %x", frame, data)
	}
	checkReadable(t, v, layouts)
}

// checkReadable reads a request by layouts.json with the reader of this package.
func checkReadable(t *testing.T, v *vector, layouts map[string]object) {
	if v.Message == "ignored" || v.Message == "ping" || v.Message == "position" {
		return // only servers receive them
	}
	data := v.bytes(t)
	fields, isWhole := layoutFields(layouts[v.Message], data[headerSize:])
	if v.Message != "hello" && !isWhole || fmt.Sprint(fields) != fmt.Sprint(v.Fields) {
		t.Errorf("read %v, %v\n expected %v", isWhole, fields, v.Fields)
	}
}

// checkAnswer decodes a frame of a server to the fields of the vector.
func checkAnswer(t *testing.T, v *vector) {
	data := v.bytes(t)
	head := readHeader(data)
	s := &session{settings: &settings{maximumReceiveBytes: 1 << 24}}
	if what := s.headerFault(head); what != "" || int(head.length) != len(data)-headerSize {
		t.Fatalf("the header is refused: %s", what)
	}
	switch v.Message {
	case "position":
		owner := &recordingOwner{}
		s.owner, s.phase, s.server = owner, phaseOpen, ServerInfo{Node: "a"}
		if fault := s.readFrame(head, data[headerSize:]); fault != nil {
			t.Error(fault)
		}
		expect(t, "what was read", fmt.Sprint(owner.notes), fmt.Sprintf("[position %v]", v.Fields["position"]))
		return
	case "ignored":
		owner := &recordingOwner{}
		s.owner, s.phase = owner, phaseOpen
		if fault := s.readFrame(head, data[headerSize:]); fault != nil || len(owner.notes) > 0 {
			t.Errorf("not ignored: %v %v", fault, owner.notes)
		}
		return
	case "ping":
		if fmt.Sprintf("%x", data[headerSize:]) != v.Fields["data"] {
			t.Errorf("the PING is %x", data[headerSize:])
		}
		return
	}
	found, expected := newAnswers()[v.Message], newAnswers()[v.Message]
	if !decode(data[headerSize:], found) {
		t.Fatal("it cannot be read")
	}
	if err := fill(reflect.ValueOf(expected).Elem(), v.Fields); err != nil {
		t.Fatal(err)
	}
	if !equal(reflect.ValueOf(found).Elem(), reflect.ValueOf(expected).Elem()) {
		t.Errorf("read %+v\n expected %+v", found, expected)
	}
	for cut := range data[headerSize:] {
		decode(data[headerSize:headerSize+cut], newAnswers()[v.Message]) // must not panic
	}
}

// TestInvalidVectors reads the malformed requests by layouts.json: the reader refuses what a server refuses.
func TestInvalidVectors(t *testing.T) {
	layouts, names := requestLayouts(t)
	count, malformed := 0, 0
	eachFile(t, "invalid", func(path string) {
		var vectors []struct {
			Name   string `json:"name"`
			Phase  string `json:"phase"`
			Hex    string `json:"hex"`
			Expect any    `json:"expect"`
		}
		readJSON(t, path, &vectors)
		for _, v := range vectors {
			count++
			expect, _ := v.Expect.(object)
			data, err := hex.DecodeString(v.Hex)
			isPayload := expect["scope"] == "request" && (expect["code"] == "MALFORMED" || expect["code"] == "UNSUPPORTED_FIELD")
			if err != nil || !isPayload || v.Phase == "preface" {
				continue
			}
			malformed++
			head := readHeader(data)
			if _, isWhole := layoutFields(layouts[names[head.opcode]], data[headerSize:]); isWhole {
				t.Errorf("%s: it was read", v.Name)
			}
		}
	})
	if count != invalidVectors || malformed != malformedVectors {
		t.Errorf("%d vectors, %d of them malformed, were read", count, malformed)
	}
}

// recordingOwner notes what a session tells its owner.
type recordingOwner struct{ notes []string }

func (o *recordingOwner) opened() { o.notes = append(o.notes, "open") }
func (o *recordingOwner) exchangeEnded(ended *exchange, err *Error) {
	o.notes = append(o.notes, fmt.Sprintf("answer %d %v", ended.id, err == nil))
}
func (o *recordingOwner) eventReceived(id uint64, frame *eventFrame) bool {
	o.notes = append(o.notes, fmt.Sprintf("event %d of %d", frame.Sequence, id))
	return true
}
func (o *recordingOwner) goingAway(frame *goAwayFrame) {
	o.notes = append(o.notes, fmt.Sprintf("goaway %d", frame.LastID))
}
func (o *recordingOwner) positionReported(number uint64) {
	o.notes = append(o.notes, fmt.Sprintf("position %d", number))
}
func (o *recordingOwner) pongReceived() { o.notes = append(o.notes, "pong") }

// recordedSession is a session of the vectors: the frames of both sides in their order.
type recordedSession struct {
	Name  string
	Steps []struct{ From, Hex, Note string }
}

// sessionNotes is what the owner is told in each session of the vectors.
var sessionNotes = map[string][]string{
	"first push": {"open", "answer 3 true", "answer 4 true", "answer 5 true"},
	"events": {"open", "answer 3 true", "event 37 of 3", "event 41 of 3", "answer 4 true", "event 43 of 3",
		"answer 5 true"},
}

// TestSessions plays the sessions of the vectors; the server's bytes come in pieces of several sizes.
func TestSessions(t *testing.T) {
	count := 0
	eachFile(t, "sessions", func(path string) {
		var recorded recordedSession
		readJSON(t, path, &recorded)
		count++
		for _, size := range []int{1, 7, 1 << 20} {
			notes := recorded.play(t, size)
			if !reflect.DeepEqual(notes, sessionNotes[recorded.Name]) {
				t.Errorf("%s in pieces of %d: %v", recorded.Name, size, notes)
			}
		}
	})
	if count != len(sessionNotes) {
		t.Errorf("%d sessions were played", count)
	}
}

// play gives the server's bytes to a session in pieces of a size, and returns what its owner is told.
func (r *recordedSession) play(t *testing.T, size int) []string {
	owner := &recordingOwner{}
	settings := defaultSettings()
	s := newSession(&settings, []byte("a key"), owner, 0)
	var unread []byte
	for _, step := range r.Steps {
		data, _ := hex.DecodeString(step.Hex)
		if step.From == "client" {
			expectAnswer(s, data)
			continue
		}
		for len(data) > 0 {
			piece := size
			if piece > len(data) {
				piece = len(data)
			}
			unread = append(unread, data[:piece]...)
			data = data[piece:]
			used, fault := s.receive(unread, time.Second)
			if fault != nil {
				t.Fatalf("%s, %s: %v", r.Name, step.Note, fault.err)
			}
			unread = unread[used:]
		}
	}
	if len(unread) > 0 {
		t.Errorf("%s in pieces of %d: %d bytes are unread", r.Name, size, len(unread))
	}
	return owner.notes
}

// expectAnswer lets an open session expect the answer to a request of the vectors.
func expectAnswer(s *session, data []byte) {
	if len(data) <= prefaceSize || data[4] != kindRequest || s.phase != phaseOpen {
		return
	}
	head := readHeader(data)
	message := newRequests()[operationOf(head.opcode)]
	s.lastID = head.id - 1
	s.write(nil, &exchange{opcode: message.opcode(), answer: newAnswers()[operationOf(head.opcode)], call: &pendingCall{}},
		data, 0)
}

// TestEnumerations compares the names with layouts.json.
func TestEnumerations(t *testing.T) {
	var all struct{ Enumerations map[string]map[string]string }
	readJSON(t, "../../layouts.json", &all)
	names := map[string]func(uint64) string{
		"code":          func(n uint64) string { return string(CodeOf(uint16(n))) },
		"effect":        func(n uint64) string { return effectOf(uint8(n)).String() },
		"scope":         func(n uint64) string { return Scope(n).String() },
		"environment":   func(n uint64) string { return Environment(n).String() },
		"token_kind":    func(n uint64) string { return TokenKind(n).String() },
		"push_type":     func(n uint64) string { return PushType(n).String() },
		"lane":          func(n uint64) string { return Lane(n).String() },
		"over_budget":   func(n uint64) string { return OverBudget(n).String() },
		"registered":    func(n uint64) string { return RegisterResultKind(n).String() },
		"unregistered":  func(n uint64) string { return UnregisterResultKind(n).String() },
		"forgotten":     func(n uint64) string { return ForgetResult(n).String() },
		"device_state":  func(n uint64) string { return DeviceState(n).String() },
		"message_state": func(n uint64) string { return MessageState(n).String() },
		"addressing":    func(n uint64) string { return Addressing(n).String() },
		"source":        func(n uint64) string { return SourceKind(n).String() },
		"receipt":       func(n uint64) string { return ReceiptKind(n).String() },
		"outcome":       func(n uint64) string { return Outcome(n).String() },
		"event_kind":    func(n uint64) string { return EventKind(n).String() },
		"obstacle":      func(n uint64) string { return ObstacleKind(n).String() },
	}
	for kind, numbers := range all.Enumerations {
		for number, name := range numbers {
			value, _ := numberOfJSON(number)
			if of := names[kind]; of != nil && of(value) != name {
				t.Errorf("%s %s is %q, not %q", kind, number, of(value), name)
			}
		}
	}
	if found := Outcome(200).String(); found != "UNKNOWN_200" {
		t.Error(found)
	}
	if len(names) != 19 {
		t.Error(len(names))
	}
}

// TestGeneratedCode runs the generator: messages_generated.go must be what it writes.
func TestGeneratedCode(t *testing.T) {
	folder := t.TempDir()
	root := filepath.Join(folder, "Protocol", "clients", "go")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	copied := []string{"go.mod"}
	sources, _ := filepath.Glob("*.go")
	generator, _ := filepath.Glob("internal/generate/*.go")
	for _, each := range append(append(copied, sources...), generator...) {
		data, err := os.ReadFile(each)
		if err != nil {
			t.Fatal(err)
		}
		_ = os.MkdirAll(filepath.Join(root, filepath.Dir(each)), 0o755)
		if err := os.WriteFile(filepath.Join(root, each), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	layouts, _ := os.ReadFile("../../layouts.json")
	_ = os.WriteFile(filepath.Join(folder, "Protocol", "layouts.json"), layouts, 0o644)
	command := exec.Command("go", "run", "./internal/generate")
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	written, _ := os.ReadFile(filepath.Join(root, "messages_generated.go"))
	current, _ := os.ReadFile("messages_generated.go")
	if !bytes.Equal(written, current) {
		t.Error("messages_generated.go is old: run `go generate`")
	}
}
