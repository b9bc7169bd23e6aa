import CarillonCore

/// The number of topics that devices get with their groups by one request, which may be a batch. A request has a limit
/// of them, because each is a write.
struct GainedTopics {
    private var count = 0

    mutating func add(_ topics: Int) { count += topics }

    func hasRoom(for topics: Int) -> Bool { count + topics <= MembershipLimits.topicChanges }
}
