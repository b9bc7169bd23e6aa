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

    private var acknowledgements = AcknowledgementTracker()
    private let results = Results()

    private func acknowledge(upTo sequence: UInt64) -> Bool { acknowledgements.acknowledge(upTo: sequence) }

    @Test func `an acknowledgement is unsent until it is durable`() {
        #expect(acknowledgements.unsent == 0)
        #expect(acknowledge(upTo: 5))
        #expect(acknowledgements.unsent == 5)
        acknowledgements.becameDurable(5)
        #expect(acknowledgements.unsent == 0)
    }

    @Test func `an acknowledgement of an older event changes nothing`() {
        #expect(acknowledge(upTo: 5))
        #expect(!acknowledge(upTo: 5))
        #expect(!acknowledge(upTo: 4))
        #expect(acknowledgements.acknowledged == 5)
    }

    @Test func `a flush waits for what was acknowledged before it`() {
        _ = acknowledgements.acknowledge(upTo: 5)
        acknowledgements.flush(1, results.completion(1))
        _ = acknowledgements.acknowledge(upTo: 9)
        acknowledgements.flush(2, results.completion(2))
        acknowledgements.becameDurable(4)
        #expect(results.lines == [])
        acknowledgements.becameDurable(5)
        #expect(results.lines == ["1 durable"])
        acknowledgements.becameDurable(9)
        #expect(results.lines == ["1 durable", "2 durable"])
    }

    @Test func `an abandoned flush ends once`() {
        _ = acknowledgements.acknowledge(upTo: 5)
        acknowledgements.flush(1, results.completion(1))
        acknowledgements.abandonFlush(1, with: CarillonError(.noAnswer, message: "no answer in time"))
        acknowledgements.abandonFlush(1, with: CarillonError(.noAnswer, message: "no answer in time"))
        acknowledgements.becameDurable(5)
        #expect(results.lines == ["1 \(CarillonError.Code.noAnswer.name)"])
    }

    @Test func `another history resets the acknowledgement and ends the flushes`() {
        _ = acknowledgements.acknowledge(upTo: 5)
        acknowledgements.flush(1, results.completion(1))
        acknowledgements.reset(CarillonError(.closed, message: "another history"))
        #expect(results.lines == ["1 \(CarillonError.Code.closed.name)"])
        #expect(acknowledgements.acknowledged == 0)
        #expect(acknowledge(upTo: 1))
        #expect(acknowledgements.unsent == 1)
    }
}
