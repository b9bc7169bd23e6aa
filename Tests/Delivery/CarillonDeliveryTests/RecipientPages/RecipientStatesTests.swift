import CarillonCore
import Testing

@testable import CarillonDelivery

/// Each tracked recipient has a state, by its position in the page, and the counts are those of the states.
struct RecipientStatesTests {
    private func recipients(_ positions: [UInt16]) -> [RecipientPage.Recipient] {
        positions.map {
            RecipientPage.Recipient(
                position: $0, device: DeviceID(rawValue: 1), environment: .production, attempts: UInt8($0 % 7))
        }
    }

    private func makeStates(_ positions: UInt16...) -> RecipientStates { RecipientStates(recipients(positions)) }

    private static let all: [RecipientStates.State] = [
        .untracked, .ready, .inFlight, .delayed, .deviceChanged, .ended,
    ]

    /// Every state after every other one.
    @Test func `the counts are those of the states`() {
        var states = makeStates(0, 1, 2)
        states.move(1, to: .inFlight)
        for old in Self.all {
            for new in Self.all {
                states.move(2, to: old)
                states.move(2, to: new)
                let counts = [states.unfinishedCount, states.inFlightCount, states.changedCount, states.delayedCount]
                let expected = [
                    new == .untracked || new == .ended ? 1 : 2, new == .inFlight ? 2 : 1, new == .deviceChanged ? 1 : 0,
                    new == .delayed ? 1 : 0,
                ]
                #expect(counts == expected, "\(old) \(new)")
                #expect(states[1] == .inFlight)
                #expect(states[2] == new)
            }
        }
    }

    @Test func `recipients are found by their positions`() {
        var states = makeStates(1, 2, 7, 40_000)
        #expect([0, 1, 2, 3, 7, 40_000, .max].map { states.recipientIndex(of: $0) } == [nil, 0, 1, nil, 2, 3, nil])
        #expect([0, 1, 2, 7].map { states.attempts(at: $0) } == [nil, 1, 2, 0])
        states.move(3, to: .ready)
        #expect((states[3], states.unfinishedCount, states.count) == (.untracked, 0, 4), "it is not among them")
        states.move(7, to: .ready)
        states.move(40_000, to: .delayed)
        #expect(states.positions(in: .ready, .delayed) == [7, 40_000])
    }

    @Test func `the attempts of a recipient stop at 255`() {
        var states = makeStates(9)
        let counted = [9, 8].map { states.countAttempt(at: $0) }
        #expect(counted == [3, 255], "the second is not tracked")
        for _ in 0..<300 { _ = states.countAttempt(at: 9) }
        #expect(states.attempts(at: 9) == 255)
    }

    @Test func `an ended recipient is removed and the others are found`() {
        var states = makeStates(0, 1, 2, 3)
        states.move(1, to: .ready)
        states.move(2, to: .ended)
        states.move(3, to: .inFlight)
        states.removeUntrackedAndEnded()
        #expect(states.count == 2)
        #expect(states.unfinishedCount == 2)
        #expect(states.inFlightCount == 1)
        #expect([0, 1, 2, 3].map { states[$0] } == [.untracked, .ready, .untracked, .inFlight])
    }

    /// The page was read again: some recipients are gone, and the others have other indices.
    @Test func `the indices belong to the page that was read last`() {
        var states = makeStates(2, 4, 6, 8)
        states.findIndices(in: recipients([1, 4, 5, 8, 9]))
        #expect([2, 4, 6, 8].map { states.recipientIndex(of: $0) } == [nil, 1, nil, 3])
        #expect(states.recipientIndices == [1, 3])
        states.findIndices(in: [])
        #expect(states.recipientIndices == [])
        #expect(states.count == 4)
    }
}
