import CarillonCore
import CarillonProvider
import Testing

/// The connections that take pushes of the interactive lane while a fan-out runs.
struct InteractiveLaneOwnershipTests {
    private struct Cycle {
        var answers: Int
        var unanswered: Int
        var canSubmit = true
        var at: Uptime
    }

    /// Runs cycles of a reserved connection. Returns true after each if another connection leaves the lane to it.
    private func owned(_ cycles: [Cycle]) -> [Bool] {
        let flag = InteractiveLaneOwnership.Flag()
        let other = InteractiveLaneOwnership(flag)
        var reserved = InteractiveLaneOwnership(flag)
        _ = reserved.setCarriesBulk(false)
        var owned: [Bool] = []
        for cycle in cycles {
            let wasOwned = other.isLeftToOwner
            let isReleased = reserved.cycleEnded(
                answers: cycle.answers, unanswered: cycle.unanswered, canSubmit: cycle.canSubmit, at: cycle.at)
            let isOwned = other.isLeftToOwner
            let hasLost = wasOwned && !isOwned
            #expect(isReleased == hasLost)
            owned.append(isOwned)
        }
        return owned
    }

    @Test func `a connection that keeps up owns the lane`() {
        let owned = owned([
            Cycle(answers: 0, unanswered: 0, at: 0), Cycle(answers: 0, unanswered: 1, at: 3_600_000),
            Cycle(answers: 1, unanswered: 127, at: 3_600_100), Cycle(answers: 90, unanswered: 127, at: 3_601_099),
        ])
        #expect(owned == [true, true, true, true])
    }

    @Test func `with too many unanswered pushes the others help`() {
        let owned = owned([
            Cycle(answers: 0, unanswered: 127, at: 0), Cycle(answers: 0, unanswered: 128, at: 1),
            Cycle(answers: 40, unanswered: 88, at: 2),
        ])
        #expect(owned == [true, false, true])
    }

    /// A connection whose peer is gone gets pushes for a second, not until a PING times out.
    @Test func `without answers the others help`() {
        let owned = owned([
            Cycle(answers: 5, unanswered: 0, at: 10_000), Cycle(answers: 5, unanswered: 1, at: 20_000),
            Cycle(answers: 5, unanswered: 2, at: 20_999), Cycle(answers: 5, unanswered: 3, at: 21_000),
            Cycle(answers: 6, unanswered: 2, at: 30_000),
        ])
        #expect(owned == [true, true, true, false, true])
    }

    @Test func `a connection that cannot submit does not own the lane`() {
        #expect(owned([Cycle(answers: 0, unanswered: 0, canSubmit: false, at: 0)]) == [false])
    }

    @Test func `time that goes back is no stall`() {
        let owned = owned([Cycle(answers: 0, unanswered: 1, at: 5_000), Cycle(answers: 0, unanswered: 1, at: 10)])
        #expect(owned == [true, true])
    }

    @Test func `a connection that carries bulk again releases the lane`() {
        let flag = InteractiveLaneOwnership.Flag()
        let other = InteractiveLaneOwnership(flag)
        var reserved = InteractiveLaneOwnership(flag)
        let changes = [
            reserved.setCarriesBulk(false), reserved.cycleEnded(answers: 0, unanswered: 0, canSubmit: true, at: 0),
            reserved.setCarriesBulk(true), reserved.setCarriesBulk(true),
        ]
        #expect(changes == [false, false, true, false])
        let isLeft = other.isLeftToOwner
        #expect(!isLeft)
    }

    @Test func `a retired connection releases the lane`() {
        let flag = InteractiveLaneOwnership.Flag()
        let other = InteractiveLaneOwnership(flag)
        var reserved = InteractiveLaneOwnership(flag)
        _ = reserved.setCarriesBulk(false)
        _ = reserved.cycleEnded(answers: 0, unanswered: 0, canSubmit: true, at: 0)
        let released = [other.release(), reserved.release(), reserved.release()]
        #expect(released == [false, true, false], "only the owner releases it, and once")
    }
}
