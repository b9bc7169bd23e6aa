/// An entry of the shared log, which one node appends at once: a batch of changes, or a change of the nodes themselves.
package struct LogEntry: Hashable, Sendable {
    /// The identity of an entry, also before it has a position.
    package struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The member that appends the entry.
        package let member: Member
        /// The member's own number of the entry, 1 or more. Numbers of one member increase; some may be skipped.
        package let sequence: UInt64

        package init(member: Member, sequence: UInt64) {
            self.member = member
            self.sequence = sequence
        }

        /// The identity as `name/incarnation#sequence`.
        package var description: String { "\(member)#\(sequence)" }
    }

    package enum Content: Hashable, Sendable {
        /// The entry has changes of the registry, in the form that the entry's format says. This module does not look
        /// into them.
        case changes([UInt8])
        /// The member begins. Earlier incarnations of its node are over at this position.
        case joined
        /// The member of another node is over at this position: it was silent for too long, or an operator removed it.
        case expired(Member)
        /// The member itself is over at this position: it has stopped.
        case left
        /// The state of the log before its first change. Only the first such entry in the log counts.
        case initialState(InitialState)
    }

    /// The most bytes of all changes of an entry: 8 MiB. Log databases that speak PostgreSQL's protocol refuse messages
    /// beyond 16 MiB (CockroachDB), and an entry is in memory several times on its way.
    package static let maximumChangeBytes = 8 << 20
    /// The most bytes of an encoded entry.
    package static let maximumBytes = maximumChangeBytes + 256

    package let id: ID
    /// The format of the changes. A node that does not know it stops before it applies the entry.
    package let format: UInt16
    package let content: Content

    /// Makes an entry; nil if the changes are more than ``maximumChangeBytes``.
    package init?(id: ID, format: UInt16, content: Content) {
        if case .changes(let bytes) = content, bytes.count > Self.maximumChangeBytes { return nil }
        self.id = id
        self.format = format
        self.content = content
    }

    /// Returns the same entry under another number of its member.
    package func numbered(_ sequence: UInt64) -> LogEntry {
        LogEntry(unchecked: ID(member: id.member, sequence: sequence), format: format, content: content)
    }

    private init(unchecked id: ID, format: UInt16, content: Content) {
        self.id = id
        self.format = format
        self.content = content
    }
}
