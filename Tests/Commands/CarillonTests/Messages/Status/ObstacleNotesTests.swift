import CarillonCore
import Testing

@testable import carillon

/// The obstacles that a waiting message reports.
struct ObstacleNotesTests {
    private let expired = DeliveryObstacle(
        kind: .unreachable, credential: "main", environment: .production, since: Timestamp(milliseconds: 1_000),
        nextAttemptAt: Timestamp(milliseconds: 9_000), cause: .certificateExpired, reason: "it has expired")

    @Test func `an obstacle is reported once`() {
        var notes = ObstacleNotes()
        let now = Timestamp(milliseconds: 3_000)
        #expect(notes.lines(for: [], at: now).isEmpty)
        #expect(notes.lines(for: [expired], at: now).map { $0.prefix(34) } == ["the message waits: main production"])
        var later = expired
        later.nextAttemptAt = Timestamp(milliseconds: 20_000)
        #expect(notes.lines(for: [later], at: now).isEmpty)
        later.cause = .dns
        #expect(notes.lines(for: [expired, later], at: now).count == 1)
    }
}
