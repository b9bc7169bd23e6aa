package carillon

import (
	"context"
	"testing"
)

// TestPositions: what is kept of what servers and other clients say (POS of the contract).
func TestPositions(t *testing.T) {
	a, b := Key{1, 2, 3}, Key{9}
	var seen position
	for _, each := range []struct {
		found   position
		isNewer bool
	}{
		{position{a, 5}, true}, {position{a, 5}, false}, {position{a, 4}, false},
		{position{b, 1}, true}, {position{b, 7}, true},
	} {
		if seen.keepIfNewer(each.found) != each.isNewer {
			t.Errorf("%v is newer: %v", each.found, !each.isNewer)
		}
	}
	if text := (position{a, 41}).text(); text != "01020300-0000-0000-0000-000000000000:41" {
		t.Error(text)
	} else if found, err := positionOf(text); err != nil || found != (position{a, 41}) {
		t.Error(found, err)
	}
	const cluster = "01020300-0000-0000-0000-000000000000"
	for _, text := range []string{"", "7", "x:7", "01:7", cluster, cluster + ":-1"} {
		if _, err := positionOf(text); err == nil || err.Field != "position" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestPositionsOfSessions: a server without a cluster gets none, and what it sends is ignored.
func TestPositionsOfSessions(t *testing.T) {
	owner := &recordingOwner{}
	s := &session{owner: owner, phase: phaseOpen}
	head := header{length: positionSize, kind: kindControl, opcode: opcodePosition}
	if fault := s.controlFrame(head, make([]byte, positionSize)); fault != nil || len(owner.notes) > 0 || s.isNode() {
		t.Error(fault, owner.notes)
	}
	s.server.Node = "a"
	if fault := s.controlFrame(head, []byte{0, 0, 0, 0, 0, 0, 1, 2}); fault != nil || owner.notes[0] != "position 258" {
		t.Error(fault, owner.notes)
	}
	if fault := s.controlFrame(head, make([]byte, positionSize-1)); fault == nil {
		t.Error("a short POSITION was read")
	}
	client, err := New(WithAddresses("127.0.0.1:1", "127.0.0.1:2"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	k := &connection{client: client, session: s}
	if err := client.ReadAfter("00000000-0000-0000-0000-000000000000:7"); err != nil || client.Position() == "" {
		t.Error(err, client.Position())
	}
	s.control, s.phase = nil, phaseOpen
	client.sendPosition(k)
	if len(s.control) != headerSize+positionSize || s.control[len(s.control)-1] != 7 {
		t.Errorf("%x", s.control)
	}
}
