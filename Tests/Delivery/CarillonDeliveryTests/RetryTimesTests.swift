import CarillonCore
import Testing

@testable import CarillonDelivery

/// The times of retries do not depend on steps of the wall clock, and are repeatable.
struct RetryTimesTests {
    private func moment(_ uptime: Uptime, wall: UInt64) -> Moment {
        Moment(wall: Timestamp(milliseconds: wall), uptime: uptime)
    }

    @Test func `a step of the wall clock moves no due time`() {
        var times = RetryTimes(policy: RetryPolicy(), seed: 1)
        let readings = [
            times.steadyTime(at: moment(1_000, wall: 50_000)), times.steadyTime(at: moment(1_500, wall: 9_000)),
            times.steadyTime(at: moment(2_000, wall: 999_000)),
        ]
        #expect(readings.map(\.milliseconds) == [50_000, 50_500, 51_000])
    }

    /// Returns the decisions after five attempts to send the same message.
    private func decisions(seed: UInt64) -> [RetryDecision] {
        let content = MessageContent(app: EngineHarness.app, pushType: .alert, payload: Array("{}".utf8))
        let outbound = OutboundMessage(
            id: MessageID(rawValue: 1), content: content, sendableSince: .zero, notAfter: nil, lane: .bulk)
        let properties = LoadedMessage.Properties(outbound, notAfter: nil, at: moment(0, wall: 0))
        var times = RetryTimes(policy: RetryPolicy(), seed: seed)
        return (1...5).map {
            times.decide(
                with: RetryPolicy().unknown, after: $0, of: properties, requestedMilliseconds: nil,
                at: moment(1, wall: 1))
        }
    }

    @Test func `the same seed gives the same decisions`() {
        #expect(decisions(seed: 7) == decisions(seed: 7))
        #expect(decisions(seed: 7) != decisions(seed: 8))
    }
}
