package carillon

import (
	"context"
	"time"
)

// RequestCount counts answered requests of one opcode and error code; Code is 0 for those without an error.
type RequestCount struct {
	Opcode uint16
	Code   uint16
	Count  uint64
	Time   time.Duration `wire:"micros"`
}

// LaneLoad is what is in memory of a lane.
type LaneLoad struct {
	Lane     Lane
	Messages uint32
	// Waiting recipients wait for a connection, Delayed ones for their next attempt; InFlight ones have no answer yet.
	Waiting  uint32
	Delayed  uint32
	InFlight uint32
}

// SendingMessage is a message in memory.
type SendingMessage struct {
	MessageID  uint64
	App        string
	Lane       Lane
	AcceptedAt time.Time
	Total      uint64
	Ended      uint64
	InFlight   uint32
	// Rate is how many devices ended in the last second, about.
	Rate uint32
}

// Pool are the connections of a credential to its provider, for APNs in one environment.
type Pool struct {
	Credential  string
	Environment Environment
	// Parked: the provider refuses the credential altogether.
	Parked   bool
	Opening  uint32
	Open     uint32
	Draining uint32
	InFlight uint32
	Streams  uint32
	// Throttle is how many deliveries a second there are at most; 0 = no bound.
	Throttle uint32
	Attempts uint64
}

// AnswerCount counts answers of a provider to a pool, an index of Pools: those of one status and reason. Status 0
// counts all those that have no row of their own.
type AnswerCount struct {
	Pool   uint32
	Status uint16
	Reason string
	Count  uint64
}

// AppCount is what an app has.
type AppCount struct {
	App         string
	Devices     uint64
	Quarantined uint64
	Groups      uint64
	Topics      uint64
}

// ProviderCounts are the active devices of an app by the provider that delivers to them.
type ProviderCounts struct {
	APNs uint64 `wire:"apns"`
	FCM  uint64 `wire:"fcm"`
	Web  uint64
}

// PoolFailure counts attempts of a pool to connect that failed.
type PoolFailure struct {
	Pool        uint32
	Unreachable bool
	Count       uint64
	LastAt      time.Time
	// Reason is for engineers; programs must not parse it.
	Reason string
}

// ClusterNode is a node of a cluster, in its last incarnation.
type ClusterNode struct {
	Node        string
	Incarnation uint64
	// Over is true if the incarnation is over.
	Over bool
	// Position is how far its replica was, Hash that of its state then.
	Position uint64
	Hash     Key
	// Silent is the time since its last sign of life, Lease what is left of its lease.
	Silent  time.Duration `wire:"silent_ms"`
	Lease   time.Duration `wire:"lease_ms"`
	Format  uint16
	Version string
	Address string
}

// NodeClaims is what a node of a cluster has claimed: messages of which it sends the whole or a part; blocks of pages,
// and pages in them, of messages that several nodes send.
type NodeClaims struct {
	Messages uint32
	Blocks   uint32
	Pages    uint64
}

// PoolOutage is a pool without a working connection, because attempts to connect fail.
type PoolOutage struct {
	Pool    uint32
	BeganAt time.Time
	// NextAttemptAt is the zero time while an attempt is being made.
	NextAttemptAt time.Time
	// Cause is a word such as certificate-expired, section 13.1.
	Cause string
}

// Statistics is the state of the server. Section 13.1 says what the fields count.
type Statistics struct {
	At        time.Time
	StartedAt time.Time
	Software  string
	Clients   uint32
	// HalfOpen is how many of Clients have not authenticated yet.
	HalfOpen      uint32
	Requests      []RequestCount
	QueuedChanges uint32
	Batches       uint64
	Changes       uint64
	BatchTime     time.Duration   `wire:"batch_micros"`
	LatestBatches []time.Duration `wire:"latest_batches,micros"`
	Lanes         []LaneLoad
	Unrecorded    uint32
	Sending       []SendingMessage
	Outcomes      []OutcomeCount
	Pools         []Pool
	Answers       []AnswerCount
	// The database; nil if it cannot be read.
	DatabaseBytes    *uint64
	FreeBytes        *uint64
	MapBytes         *uint64
	LimitBytes       *uint64
	Readers          *uint32
	ReaderAgeCommits *uint64
	Kept             *uint64
	Unfinished       *uint64
	Scheduled        *uint64
	// CountedAt is when the apps were counted; the zero time if they cannot be.
	CountedAt time.Time
	Apps      []AppCount
	Failures  []PoolFailure
	Outages   []PoolOutage
	// Nodes are those of the cluster; none without a cluster. The other numbers are those of its log then.
	Nodes            []ClusterNode
	LogPosition      *uint64
	LogEntries       *uint64
	SnapshotPosition *uint64
	// Claims are those of Nodes, in their order; none if the server does not say.
	Claims []NodeClaims
	// DevicesByProvider are those of Apps, in their order; none if the server does not say.
	DevicesByProvider []ProviderCounts
}

// Statistics returns the state of the server, with up to limit rows of each list; 0 = 1,000. It needs the role observe
// or admin for every app. Section 13.1.
func (c *Client) Statistics(ctx context.Context, limit uint32, options ...CallOption) (*Statistics, error) {
	return call[Statistics](ctx, c, (&statisticsRequest{Limit: PageRequest{Limit: limit}.limit()}).prepare(), options)
}

type removeNodeAnswer struct {
	Incarnation uint64
}

// RemoveNode ends the incarnation of a node of the cluster at once, and returns its number. A node that lives joins
// again by itself. The client never repeats the request after a lost answer. Section 13.3.
func (c *Client) RemoveNode(ctx context.Context, node string, options ...CallOption) (uint64, error) {
	removed, err := call[removeNodeAnswer](ctx, c, (&removeNodeRequest{Node: node}).prepare(), options)
	if err != nil {
		return 0, err
	}
	return removed.Incarnation, nil
}

type forgetAnswer struct {
	Result ForgetResult
}

// ForgetSubscriber removes the name of a subscription with what it has acknowledged. Section 11.5.
func (c *Client) ForgetSubscriber(ctx context.Context, name string, options ...CallOption) (ForgetResult, error) {
	found, err := call[forgetAnswer](ctx, c, (&forgetSubscriberRequest{Name: name}).prepare(), options)
	if err != nil {
		return 0, err
	}
	return found.Result, nil
}

// ServedOpcode is a request that a server serves, and in which layouts.
type ServedOpcode struct {
	Opcode  uint16
	Lowest  uint8
	Highest uint8
}

// Grant is what a principal may do with an app; "*" is every app.
type Grant struct {
	App   string
	Roles Roles
}

// ServerInfo is what a server has said of itself in HELLO, and of the client in AUTH.
type ServerInfo struct {
	Software string
	// Epoch names the history of the server: with another one, numbers and ids of before mean nothing.
	Epoch             Key
	Clock             time.Time
	FrameLimit        uint32
	InFlightLimit     uint32
	BatchLimit        uint32
	Keepalive         time.Duration `wire:"keepalive_ms"`
	PingInterval      time.Duration `wire:"ping_interval_ms"`
	IdempotencyWindow time.Duration `wire:"idempotency_window_s"`
	// Authenticated is true if a client certificate named the principal. Then Principal and Grants are empty.
	Authenticated bool
	Opcodes       []ServedOpcode
	// Node is the name of the node of a cluster that the server is, empty if it belongs to none. Cluster names the
	// cluster.
	Node      string
	Cluster   Key
	Address   string  `wire:"-"`
	Principal string  `wire:"-"`
	Grants    []Grant `wire:"-"`
}

type authAnswer struct {
	Principal string
	Grants    []Grant
}
