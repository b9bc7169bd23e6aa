/// Limits of the registry: of a submission, its pages and reads, and its subscribers.
package enum RegistryLimits {
    package static let changesPerSubmission = 1_000
    /// The most recipients of one page: the unit of fan-out, of progress and of outcome.
    package static let recipientsPerPage = 4_096
    /// The most events that one read examines, the ones that its filter leaves out included.
    package static let eventsPerRead = 10_000
    /// The most messages that one read of a listing examines, the ones that its filter leaves out included.
    package static let messagesPerRead = 4_096
    /// The most event subscribers whose positions are kept, of all principals.
    package static let eventSubscribers = 1_000
    /// The most event subscribers of one principal whose positions are kept.
    package static let eventSubscribersPerPrincipal = 100
}

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
