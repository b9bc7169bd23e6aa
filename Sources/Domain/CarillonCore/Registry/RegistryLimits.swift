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

    /// Returns the limit of one page of a listing: `limit`, taken as 1 to 4,096.
    package static func pageLimit(_ limit: Int) -> Int { min(max(1, limit), recipientsPerPage) }
}
