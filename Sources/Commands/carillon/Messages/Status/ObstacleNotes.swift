import CarillonCommandLine
import CarillonCore

/// The notes for a user who waits for a message about the reasons of the wait: one for each obstacle and cause, on
/// standard error.
struct ObstacleNotes {
    private var shown: Set<DeliveryObstacle> = []

    /// Prints the obstacles that were not printed yet.
    mutating func show(_ obstacles: [DeliveryObstacle], at now: Timestamp) {
        for line in lines(for: obstacles, at: now) { StandardError.warn(line) }
    }

    /// Returns the lines for the obstacles that were not shown yet.
    mutating func lines(for obstacles: [DeliveryObstacle], at now: Timestamp) -> [String] {
        obstacles.compactMap { obstacle in
            // The times change with each attempt, so they do not count: only another cause is news.
            var known = obstacle
            (known.since, known.nextAttemptAt) = (nil, nil)
            return shown.insert(known).inserted ? "the message waits: \(obstacle.line(at: now))" : nil
        }
    }
}
