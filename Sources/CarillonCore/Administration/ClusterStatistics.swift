/// The statistics of a cluster.
extension ServerStatistics {
    /// The cluster that a server belongs to, as the log database of its log has told the server last.
    public struct Cluster: Hashable, Sendable {
        /// The position of the last entry of the log.
        public var position: UInt64
        /// Entries that the log keeps.
        public var entries: UInt64
        /// The position up to which the newest snapshot goes; nil if there is none.
        public var snapshot: UInt64?
        /// The last incarnation of each node, ascending by name.
        public var nodes: [Node]

        /// The nodes must ascend by name.
        public init(position: UInt64, entries: UInt64, snapshot: UInt64?, nodes: [Node]) {
            (self.position, self.entries, self.snapshot, self.nodes) = (position, entries, snapshot, nodes)
        }
    }

    /// A node of a cluster.
    public struct Node: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// Which one of its incarnations.
        public var incarnation: UInt64
        /// True if the incarnation is over: the node has left, or was expired or removed.
        public var isOver: Bool
        /// The position of the last entry that its replica contained.
        public var position: UInt64
        /// The hash of its replica after that entry: equal on all nodes at equal positions.
        public var hash: UUIDBytes
        /// Milliseconds since its last sign of life.
        public var silentMilliseconds: UInt32
        /// Milliseconds that are left of its lease.
        public var leaseMilliseconds: UInt32
        /// The newest format of entries that it knows.
        public var format: UInt16
        /// The version of its program.
        public var version: String
        /// Where clients reach it; empty if it does not say.
        public var address: String
        /// What it has claimed of the messages that are being sent; nil if the server does not say.
        public var claims: Claims?

        /// Makes a node that is live and has said nothing of itself.
        public init(name: String, incarnation: UInt64) {
            (self.name, self.incarnation) = (name, incarnation)
            (isOver, position, hash, silentMilliseconds, leaseMilliseconds) = (false, 0, .zero, 0, 0)
            (format, version, address) = (1, "", "")
        }
    }

    /// What a node of a cluster has claimed: the messages and pages that it sends.
    public struct Claims: Hashable, Sendable {
        /// Messages of which it has claimed the whole or a part.
        public var messages: UInt32
        /// Blocks of pages of messages that several nodes send.
        public var blocks: UInt32
        /// The pages of these blocks.
        public var pages: UInt64

        /// Makes it from its parts; without arguments, a node that has claimed nothing.
        public init(messages: UInt32 = 0, blocks: UInt32 = 0, pages: UInt64 = 0) {
            (self.messages, self.blocks, self.pages) = (messages, blocks, pages)
        }
    }
}
