package import CarillonCore

/// A node that has joined: its member, position and log.
package struct JoinedNode: Hashable, Sendable {
    package var member: Member
    /// The position of the entry that says that the node has joined.
    package var position: LogPosition
    /// The name of the log for as long as the log exists: 16 random bytes.
    package var log: UUIDBytes

    package init(member: Member, position: LogPosition, log: UUIDBytes) {
        self.member = member
        self.position = position
        self.log = log
    }
}
