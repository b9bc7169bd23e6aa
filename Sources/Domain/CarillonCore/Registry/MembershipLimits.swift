/// The most groups and topics of a device, topics of a group, and topics in one change. The limit of attributes is in
/// `Attributes`.
package enum MembershipLimits {
    package static let groupsPerDevice = 1_000
    /// The most topics of a device itself; and the most topics of a group.
    package static let topicsPerSubscriber = 2_000
    /// The most topic changes of one change, so that nothing waits long behind it. A topic that devices get or lose
    /// counts once for each device. A topic that a group gets or loses counts once for each 4,096 device ids among
    /// which the group has devices. A change that would do more, for seconds, is refused. The registrations of a batch
    /// count together.
    package static let topicChanges = 100_000
}
