import CarillonClock
import CarillonCore
import CarillonTestKit
import Synchronization
import Testing

@testable import CarillonTransport

/// A queue, and the results that its pool has been given back.
final class QueueHarness: Sendable {
    private static let pool = PoolKey(destination: .web, credential: "browsers")

    private let returned = Mutex<[AttemptResult]>([])
    private let queueBox = Mutex<PushServiceQueue?>(nil)
    private let now = Clock.uptime()

    init(isKeyProvenElsewhere: Bool = false) {
        let owner = PushServiceQueue.Owner(
            attemptsEnded: { [weak self] results in self?.returned.withLock { $0 += results } },
            isKeyProvenElsewhere: { isKeyProvenElsewhere }, connectionChanged: { _ in }, refusesKey: { _ in })
        queueBox.withLock { $0 = PushServiceQueue(owner, at: now) }
    }

    var queue: PushServiceQueue {
        get throws { try #require(queueBox.withLock { $0 }) }
    }

    /// Removes and returns the results since the last call: the device of each, and its reason, or its verdict if it
    /// has no reason.
    func take() -> [String] {
        returned.withLock { results in
            defer { results = [] }
            return results.map { "\($0.attempt.device) \($0.reason ?? "\($0.verdict)")" }
        }
    }

    /// Adds a delivery that was handed out `age` milliseconds ago; returns the reason why it is given back, or nil.
    func append(_ device: UInt64, _ lane: Lane = .bulk, age: UInt64 = 0, limit: Int = 10) throws -> String? {
        let handedOutAt = now.earlier(byMilliseconds: age)
        let delivery = Delivery.sample(device: device, kind: .web, lane: lane, handedOutAt: handedOutAt)
        return try queue.append(delivery, limit: limit, at: now)?.reason
    }

    func pull(_ count: Int, bulk: Int? = nil) throws -> [Attempt] {
        var deliveries: [Delivery] = []
        try queue.pull(for: Self.pool, PullLimits(count, bulk: bulk), into: &deliveries)
        return deliveries.map(\.attempt)
    }

    func complete(_ attempts: [Attempt], _ verdict: Verdict, status: UInt16) throws {
        try queue.attemptsEnded(
            attempts.map { AttemptResult($0, verdict: verdict, status: status, reason: "\(status)") },
            for: Self.pool)
    }
}
