package carillon

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
)

const (
	opcodePosition = 0x0005
	positionSize   = 8
)

// position is a position in the log of a cluster (CONTRACT.md, POS); number 0 = none was seen.
type position struct {
	cluster Key
	number  uint64
}

// text returns the position as programs pass it on: the cluster, a colon and the number.
func (p position) text() string {
	digits := hex.EncodeToString(p.cluster[:])
	return strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-") + ":" +
		strconv.FormatUint(p.number, 10)
}

func positionOf(text string) (position, *Error) {
	var found position
	cluster, number, hasNumber := strings.Cut(text, ":")
	digits, err := hex.DecodeString(strings.ReplaceAll(cluster, "-", ""))
	value, numberError := strconv.ParseUint(number, 10, 64)
	if !hasNumber || err != nil || numberError != nil || len(digits) != len(found.cluster) {
		return found, invalid("position", "it is not a text that a client has given as its position")
	}
	copy(found.cluster[:], digits)
	found.number = value
	return found, nil
}

// keepIfNewer keeps a position that is greater, or of another cluster; true if it has kept it (CONTRACT.md, POS-2).
func (p *position) keepIfNewer(found position) bool {
	if p.cluster == found.cluster && p.number >= found.number {
		return false
	}
	*p = found
	return true
}

// isNode is true if the server is a node of a cluster; no other takes a POSITION (POS-1).
func (s *session) isNode() bool { return s.phase == phaseOpen && s.server.Node != "" }

// writePosition lets the requests that follow see what this client has seen at another node (POS-3).
func (s *session) writePosition(number uint64) {
	s.control = appendHeader(s.control, header{length: positionSize, kind: kindControl, opcode: opcodePosition})
	s.control = binary.BigEndian.AppendUint64(s.control, number)
}

// positionReported is called for a POSITION (sessionOwner).
func (conn *connection) positionReported(number uint64) {
	c := conn.client
	if c.position.keepIfNewer(position{conn.session.server.Cluster, number}) && c.current != nil && c.current != conn {
		c.sendPosition(c.current)
	}
}

// sendPosition tells a node of the cluster what this client has seen.
func (c *Client) sendPosition(conn *connection) {
	if c.position.number > 0 && conn.session.isNode() && conn.session.server.Cluster == c.position.cluster {
		conn.session.writePosition(c.position.number)
		conn.wakeWriter()
	}
}

// Position returns the greatest position in the log of the cluster that this client has seen, as text; "" if its
// servers belong to no cluster. It is at or after the entry of every change whose call has returned. Another client
// reads what this one has written after ReadAfter with this text.
func (c *Client) Position() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.position.number == 0 {
		return ""
	}
	return c.position.text()
}

// ReadAfter lets the calls that follow see what another client has seen: its Position. A node that has not applied the
// log up to there waits for that, for up to a second, and then answers ErrBehind. A position of another cluster has no
// effect while this client is connected.
func (c *Client) ReadAfter(text string) error {
	found, err := positionOf(text)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	isConnected := c.current != nil && c.current.session.phase == phaseOpen
	if isConnected && (!c.current.session.isNode() || c.current.session.server.Cluster != found.cluster) {
		return nil
	}
	if c.position.keepIfNewer(found) && isConnected {
		c.sendPosition(c.current)
	}
	return nil
}
