package import CarillonCore

/// What a node has when it has joined.
package struct JoinedNode: Hashable, Sendable {
    /// The node with its new incarnation.
    package var member: Member
    /// The position of the entry that says so.
    package var position: LogPosition
    /// Names the log for as long as it exists: 16 random bytes.
    package var log: UUIDBytes

    package init(member: Member, position: LogPosition, log: UUIDBytes) {
        (self.member, self.position, self.log) = (member, position, log)
    }
}
