/// The record of a set.
struct SetRecord: Hashable {
    var number: SetNumber
    /// The number of active devices in the set: the bits of its postings.
    var devices: UInt64 = 0
    /// The number of groups of a topic or of the muted; the number of topics of a group.
    var groupSubscriptions: UInt32 = 0
    /// The number of quarantined devices whose memberships name the set.
    var quarantinedMembers: UInt32 = 0

    /// True if no row needs the set any more.
    var isIdle: Bool { devices == 0 && groupSubscriptions == 0 && quarantinedMembers == 0 }
}
