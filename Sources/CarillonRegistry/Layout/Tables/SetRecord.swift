/// The record of a set.
struct SetRecord: Hashable {
    var number: SetNumber
    /// Active devices in it: the bits of its postings.
    var devices: UInt64 = 0
    /// For a topic, or the muted: the number of its groups. For a group: the number of its topics.
    var groupSubscriptions: UInt32 = 0
    /// The number of quarantined devices whose memberships name the set.
    var quarantinedMembers: UInt32 = 0

    /// True if no row needs the set any more.
    var isIdle: Bool { devices == 0 && groupSubscriptions == 0 && quarantinedMembers == 0 }
}
