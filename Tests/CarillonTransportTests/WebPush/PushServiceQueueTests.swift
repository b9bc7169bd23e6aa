import CarillonClock
import CarillonCore
import CarillonTestKit
import Synchronization
import Testing

@testable import CarillonTransport

/// The deliveries that wait for one push service: which is pulled next, and which are given back. `7 timeout`: the
/// delivery to device 7 was given back for this reason.
struct PushServiceQueueTests {
    private static let pool = PoolKey(destination: .web, credential: "browsers")

    /// A queue, and the results that its pool has been given back.
    private final class Harness: Sendable {
        private let returned = Mutex<[DeliveryResult]>([])
        private let queueBox = Mutex<PushServiceQueue?>(nil)
        private let now = Clock.uptime()

        init(isKeyProvenElsewhere: Bool = false) {
            let owner = PushServiceQueue.Owner(
                deliveriesCompleted: { [weak self] results in self?.returned.withLock { $0 += results } },
                isKeyProvenElsewhere: { isKeyProvenElsewhere }, connectionChanged: { _ in }, refusesKey: { _ in })
            queueBox.withLock { $0 = PushServiceQueue(owner, at: now) }
        }

        var queue: PushServiceQueue {
            get throws { try #require(queueBox.withLock { $0 }) }
        }

        /// Removes and returns the results since the last time: the device and the verdict of each.
        func take() -> [String] {
            returned.withLock { results in
                defer { results = [] }
                return results.map { "\($0.attempt.device) \($0.reason ?? "\($0.verdict)")" }
            }
        }

        /// Adds a delivery that was handed out `age` milliseconds ago; returns the reason why it is given back, or nil.
        func append(_ device: UInt64, _ lane: Lane = .bulk, age: UInt64 = 0, limit: Int = 10) throws -> String? {
            try queue.append(
                PushServiceQueueTests.delivery(device, lane, at: now.earlier(byMilliseconds: age)), limit: limit,
                at: now)?
                .reason
        }

        /// Pulls up to `count` deliveries and returns their attempts.
        func pull(_ count: Int, bulk: Int? = nil) throws -> [Attempt] {
            var deliveries: [Delivery] = []
            try queue.pull(for: PushServiceQueueTests.pool, PullLimits(count, bulk: bulk), into: &deliveries)
            return deliveries.map(\.attempt)
        }

        func complete(_ attempts: [Attempt], _ verdict: Verdict, status: UInt16) throws {
            try queue.deliveriesCompleted(
                attempts.map { DeliveryResult($0, verdict, status: status, reason: "\(status)") },
                for: PushServiceQueueTests.pool)
        }
    }

    private static func delivery(_ device: UInt64, _ lane: Lane, at time: Uptime) -> Delivery {
        let content = MessageContent(app: TestApps.game, pushType: .alert, payload: Array("{}".utf8))
        let outbound = OutboundMessage(
            id: MessageID(rawValue: device), content: content, sendableSince: .zero, notAfter: nil, lane: lane)
        var builder = RecipientPage.Builder()
        let id = DeviceID(rawValue: device)
        builder.append(
            RecipientPage.Recipient(position: 0, device: id, kind: .web, environment: .production),
            token: Array(repeating: 1, count: 32))
        return Delivery(
            message: OutboundMessage.Shared(outbound), page: builder.page(0, of: outbound.id), index: 0, device: id,
            handedOutAt: time)
    }

    @Test func theInteractiveLaneIsPulledFirst() throws {
        let harness = Harness()
        for device in 1...3 as ClosedRange<UInt64> { #expect(try harness.append(device) == nil) }
        #expect(try harness.append(4, .interactive) == nil)
        #expect(try harness.pull(2).map(\.device.rawValue) == [4, 1])
        #expect(try harness.pull(9, bulk: 1).map(\.device.rawValue) == [2])
        #expect(try harness.queue.hasWork(for: Self.pool))
        #expect(try harness.queue.count == 4)
    }

    @Test func pushesThatWaitForAPausedServiceAreGivenBack() throws {
        let harness = Harness()
        for device in 1...3 as ClosedRange<UInt64> { #expect(try harness.append(device) == nil) }
        try harness.complete(try harness.pull(1), .tryLater(.serverBusy, afterMilliseconds: 60_000), status: 429)
        #expect(harness.take() == ["1 429", "2 service-paused", "3 service-paused"])
        #expect(try harness.append(4) == "service-paused")
        #expect(try harness.queue.count == 0)
    }

    @Test func onlyASlowServiceHasAShare() throws {
        let harness = Harness()
        for device in 1...4 as ClosedRange<UInt64> { #expect(try harness.append(device, limit: 2) == nil) }
        let slow = Harness()
        for device in 1...2 as ClosedRange<UInt64> { #expect(try slow.append(device, age: 6_000, limit: 2) == nil) }
        #expect(try slow.append(3, limit: 2) == "service-slow")
        try slow.queue.giveBackIfSlow(limit: 2, at: Clock.uptime())
        #expect(slow.take() == ["1 service-slow", "2 service-slow"])
    }

    @Test func theEngineIsToldOfAKeyThatNoServiceAccepts() throws {
        let harness = Harness()
        for device in 1...2 as ClosedRange<UInt64> { #expect(try harness.append(device) == nil) }
        try harness.complete(try harness.pull(1), .credentialRefused, status: 403)
        #expect(harness.take() == ["1 403", "2 credential-refused"])
        #expect(try harness.append(3) == nil)
    }

    @Test func aServiceThatRefusesAKeyThatOthersAcceptIsPaused() throws {
        let harness = Harness(isKeyProvenElsewhere: true)
        for device in 1...2 as ClosedRange<UInt64> { #expect(try harness.append(device) == nil) }
        try harness.complete(try harness.pull(1), .credentialRefused, status: 403)
        #expect(harness.take() == ["1 403", "2 service-paused"])
        #expect(try harness.append(3) == "service-paused")
    }

    @Test func anUnreachableServiceKeepsNoPushes() throws {
        let harness = Harness()
        #expect(try harness.append(1) == nil)
        let identity = ObjectIdentifier(harness)
        try harness.queue.reachabilityChanged(of: Self.pool, isReachable: false, reportedBy: identity)
        #expect(harness.take() == ["1 service-unreachable"])
        #expect(try harness.append(2) == "service-paused")
        try harness.queue.reachabilityChanged(of: Self.pool, isReachable: true, reportedBy: identity)
        #expect(try harness.append(2) == nil)
    }
}
