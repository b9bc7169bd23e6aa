/// The statistics of a cluster.
extension ServerStatistics {
    /// The cluster that a server belongs to, as its log database described it last.
    public struct Cluster: Hashable, Sendable {
        /// The position of the last entry of the log.
        public var position: UInt64
        /// The number of entries that the log keeps.
        public var entries: UInt64
        /// The position up to which the newest snapshot goes; nil if the log has no snapshot.
        public var snapshot: UInt64?
        /// The last incarnation of each node, ascending by name.
        public var nodes: [Node]

        /// Makes the statistics of a cluster; `nodes` must ascend by name.
        public init(position: UInt64, entries: UInt64, snapshot: UInt64?, nodes: [Node]) {
            self.position = position
            self.entries = entries
            self.snapshot = snapshot
            self.nodes = nodes
        }
    }

    /// A node of a cluster.
    public struct Node: Hashable, Sendable {
        /// The name, by which an administrator removes the node.
        public var name: String
        /// The number of the node's last incarnation.
        public var incarnation: UInt64
        /// False once the incarnation is over: the node has left, or was expired or removed.
        public var isLive: Bool
        /// The position of the last entry that its replica contained.
        public var position: UInt64
        /// The hash of its replica after that entry: equal on all nodes at equal positions.
        public var hash: UUIDBytes
        /// The time since the node's last sign of life, in milliseconds.
        public var silentMilliseconds: UInt32
        /// The time that is left of the node's lease, in milliseconds.
        public var leaseMilliseconds: UInt32
        /// The newest format of entries that the node knows.
        public var format: UInt16
        /// The version of the node's program.
        public var version: String
        /// The address at which clients reach the node; empty if the node does not say.
        public var address: String
        /// The claims of the node on the messages that are being sent; nil if the server does not say.
        public var claims: Claims?

        /// Makes a node that is live and has said nothing of itself.
        public init(name: String, incarnation: UInt64) {
            self.name = name
            self.incarnation = incarnation
            isLive = true
            position = 0
            hash = .zero
            silentMilliseconds = 0
            leaseMilliseconds = 0
            format = 1
            version = ""
            address = ""
        }
    }

    /// The claims of a node of a cluster: the messages and pages that it sends.
    public struct Claims: Hashable, Sendable {
        /// The number of messages that the node has claimed, whole or in part.
        public var messages: UInt32
        /// The number of claimed blocks of pages, of messages that several nodes send.
        public var blocks: UInt32
        /// The number of pages in these blocks.
        public var pages: UInt64

        /// Makes claims from their numbers; without arguments, the claims of a node that has claimed nothing.
        public init(messages: UInt32 = 0, blocks: UInt32 = 0, pages: UInt64 = 0) {
            self.messages = messages
            self.blocks = blocks
            self.pages = pages
        }
    }
}
