import Testing

@testable import CarillonClient

/// The acknowledged events, the durable ones among them, and the flushes that wait.
final class AcknowledgementTrackerTests {
    /// The results of flushes in their order: the id, and whether it succeeded.
    private final class Results {
        var lines: [String] = []
        func completion(_ id: UInt64) -> AcknowledgementTracker.Completion {
            { [self] result in
                switch result {
                case .success: lines.append("\(id) durable")
                case .failure(let error): lines.append("\(id) \(error.code.name)")
                }
            }
        }
    }

    private var tracker = AcknowledgementTracker()
    private let results = Results()

    private func acknowledge(upTo sequence: UInt64) -> Bool { tracker.acknowledge(upTo: sequence) }

    @Test func `an acknowledgement is unsent until it is durable`() {
        #expect(tracker.unsent == 0)
        #expect(acknowledge(upTo: 5))
        #expect(tracker.unsent == 5)
        tracker.becameDurable(5)
        #expect(tracker.unsent == 0)
    }

    @Test func `an acknowledgement of an older event changes nothing`() {
        #expect(acknowledge(upTo: 5))
        #expect(!acknowledge(upTo: 5))
        #expect(!acknowledge(upTo: 4))
        #expect(tracker.acknowledged == 5)
    }

    @Test func `a flush waits for what was acknowledged before it`() {
        _ = tracker.acknowledge(upTo: 5)
        tracker.flush(1, results.completion(1))
        _ = tracker.acknowledge(upTo: 9)
        tracker.flush(2, results.completion(2))
        tracker.becameDurable(4)
        #expect(results.lines == [])
        tracker.becameDurable(5)
        #expect(results.lines == ["1 durable"])
        tracker.becameDurable(9)
        #expect(results.lines == ["1 durable", "2 durable"])
    }

    @Test func `an abandoned flush ends once`() {
        _ = tracker.acknowledge(upTo: 5)
        tracker.flush(1, results.completion(1))
        tracker.abandonFlush(1, with: CarillonError(.noAnswer, message: "no answer in time"))
        tracker.abandonFlush(1, with: CarillonError(.noAnswer, message: "no answer in time"))
        tracker.becameDurable(5)
        #expect(results.lines == ["1 \(CarillonError.Code.noAnswer.name)"])
    }

    @Test func `another history resets the acknowledgement and ends the flushes`() {
        _ = tracker.acknowledge(upTo: 5)
        tracker.flush(1, results.completion(1))
        tracker.reset(CarillonError(.closed, message: "another history"))
        #expect(results.lines == ["1 \(CarillonError.Code.closed.name)"])
        #expect(tracker.acknowledged == 0)
        #expect(acknowledge(upTo: 1))
        #expect(tracker.unsent == 1)
    }
}
