import CarillonClock
import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonTransport

/// The deliveries that wait for one push service: which is pulled next, and which are given back. `7 timeout`: the
/// delivery to device 7 was given back for this reason.
struct PushServiceQueueTests {
    private static let pool = PoolKey(destination: .web, credential: "browsers")

    @Test func `the interactive lane is pulled first`() throws {
        let harness = QueueHarness()
        for device in 1...3 as ClosedRange<UInt64> { #expect(try harness.append(device) == nil) }
        #expect(try harness.append(4, .interactive) == nil)
        #expect(try harness.pull(2).map(\.device.rawValue) == [4, 1])
        #expect(try harness.pull(9, bulk: 1).map(\.device.rawValue) == [2])
        #expect(try harness.queue.hasWork(for: Self.pool))
        #expect(try harness.queue.count == 4)
    }

    @Test func `pushes that wait for a delayed service are given back`() throws {
        let harness = QueueHarness()
        for device in 1...3 as ClosedRange<UInt64> { #expect(try harness.append(device) == nil) }
        try harness.complete(try harness.pull(1), .tryLater(.serverBusy, afterMilliseconds: 60_000), status: 429)
        #expect(harness.take() == ["1 429", "2 service-delayed", "3 service-delayed"])
        #expect(try harness.append(4) == "service-delayed")
        #expect(try harness.queue.count == 0)
    }

    @Test func `only a slow service has a share`() throws {
        let harness = QueueHarness()
        for device in 1...4 as ClosedRange<UInt64> { #expect(try harness.append(device, limit: 2) == nil) }
        let slow = QueueHarness()
        for device in 1...2 as ClosedRange<UInt64> { #expect(try slow.append(device, age: 6_000, limit: 2) == nil) }
        #expect(try slow.append(3, limit: 2) == "service-slow")
        try slow.queue.giveBackIfSlow(limit: 2, at: Clock.uptime())
        #expect(slow.take() == ["1 service-slow", "2 service-slow"])
    }

    @Test func `the engine is told of a key that no service accepts`() throws {
        let harness = QueueHarness()
        for device in 1...2 as ClosedRange<UInt64> { #expect(try harness.append(device) == nil) }
        try harness.complete(try harness.pull(1), .credentialRefused, status: 403)
        #expect(harness.take() == ["1 403", "2 credential-refused"])
        #expect(try harness.append(3) == nil)
    }

    @Test func `a service is delayed if it refuses a key that others accept`() throws {
        let harness = QueueHarness(isKeyProvenElsewhere: true)
        for device in 1...2 as ClosedRange<UInt64> { #expect(try harness.append(device) == nil) }
        try harness.complete(try harness.pull(1), .credentialRefused, status: 403)
        #expect(harness.take() == ["1 403", "2 service-delayed"])
        #expect(try harness.append(3) == "service-delayed")
    }

    @Test func `an unreachable service keeps no pushes`() throws {
        let harness = QueueHarness()
        #expect(try harness.append(1) == nil)
        let identity = ObjectIdentifier(harness)
        try harness.queue.reachabilityChanged(of: Self.pool, isReachable: false, reportedBy: identity)
        #expect(harness.take() == ["1 service-unreachable"])
        #expect(try harness.append(2) == "service-delayed")
        try harness.queue.reachabilityChanged(of: Self.pool, isReachable: true, reportedBy: identity)
        #expect(try harness.append(2) == nil)
    }
}
