import CarillonCore

/// Counts the topics that devices get with their groups by one request, which may be a batch. The number is limited,
/// because each is a write.
struct GainedTopics {
    private var count = 0

    mutating func add(_ topics: Int) { count += topics }

    func hasRoom(for topics: Int) -> Bool { count + topics <= MembershipLimits.topicChanges }
}
