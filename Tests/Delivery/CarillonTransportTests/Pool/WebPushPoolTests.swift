import CarillonCore
import CarillonProvider
import CarillonTLS
import CarillonTestKit
import CarillonWebPush
import CoreMetrics
import NIOCore
import NIOPosix
import Testing

@testable import CarillonTransport

/// The bounds of a pool whose push services do not answer, and its refusals. No service is reached:
/// the way leads through a proxy that says nothing, or through a port on which nothing listens.
@Suite(.cleansUp) struct WebPushPoolTests {
    private static let key = PoolKey(destination: .web, credential: "browsers")

    /// One thread: what the pool does in one step is over before the next begins.
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let source = RecordingSource(retries: { _ in false })
    private let tokens: VAPIDTokenSource
    private let counters = RecordingCounters()

    init() throws {
        let group = group
        // Why try?: a test has no use for the error.
        CleanUp.add { try? await group.shutdownGracefully() }
        let pem = try TestAuthority().ellipticKey("vapid.key")
        let contact = try #require(VAPIDContact("mailto:push@example.com"))
        tokens = try VAPIDTokenSource(key: SigningKey(pem: pem), contact: contact)
    }

    /// A pool whose connections go through the proxy on that port.
    private func makePool(proxy port: Int, _ change: (inout WebPushPool.Limits) -> Void) throws -> WebPushPool {
        var limits = WebPushPool.Limits()
        change(&limits)
        let rules = EndpointRules(additional: ["*.push.example"].compactMap { EndpointRules.Host($0) })
        let pool = WebPushPool(
            WebPushPool.Options(
                key: Self.key, tokens: tokens, rules: rules,
                networkPath: NetworkPath(proxy: Proxy(host: "127.0.0.1", port: port)),
                tls: try TLSContext.client(trust: .system)),
            loops: PushPool.Loops(bulk: group), source: source, limits: limits,
            metrics: PoolMetrics(Self.key, factory: counters), logger: RecordingLog().logger)
        source.whenWorkComes { [weak pool] in pool?.wake() }
        // Why try?: a test has no use for the error.
        CleanUp.add { [accepted] in try? await Self.close(pool, accepted) }
        return pool
    }

    /// The connections of the proxy: without an end, a pool that closes would wait for their timeout.
    private let accepted = Watched<[any Channel]>([])

    /// The port of a proxy that accepts connections and says nothing.
    private func silentProxy() async throws -> Int {
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { [accepted] channel in
                accepted.change { $0.append(channel) }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return try #require(channel.localAddress?.port)
    }

    /// Closes a pool, and what it is connected to.
    private static func close(_ pool: WebPushPool, _ accepted: Watched<[any Channel]>) async throws {
        let closed = pool.close()
        for channel in accepted.now { channel.close(promise: nil) }
        try await closed.get()
    }

    /// Waits until the pool has done what it can do now.
    private func runPoolWork() async throws { for _ in 1...3 { try await group.next().submit {}.get() } }

    private static func subscription(_ endpoint: String) throws -> [UInt8] {
        try WebPushSubscription(
            endpoint: endpoint, publicKey: [4] + Array(repeating: 1, count: 64), secret: Array(repeating: 2, count: 16)
        ).bytes
    }

    /// Adds a delivery to each device, in order: the browser of device 1 has the first endpoint.
    private func add(_ endpoints: [String], from first: UInt64 = 1, lane: Lane = .bulk) throws {
        let deliveries = try endpoints.enumerated().map { index, endpoint in
            Delivery.sample(
                device: first + UInt64(index), kind: .web, subscription: try Self.subscription(endpoint), lane: lane)
        }
        source.watched.change { $0.ready += deliveries }
    }

    /// The deliveries that were given back: `device: status reason`.
    private func results(of devices: ClosedRange<UInt64>) -> [String] {
        let traces = source.watched.now.traces
        return devices.flatMap { device in (traces[device] ?? []).map { "\(device):\($0.trimmingPrefix("0"))" } }
    }

    // MARK: What is refused at once

    @Test func `a push that can reach no browser is refused and opens no connection`() async throws {
        let pool = try makePool(proxy: 1) { _ in }
        let subscriptions = try [
            [], [9, 9, 9], Self.subscription("https://internal.example/x"),
            Self.subscription("https://a.push.example:8443/x"),
        ]
        source.watched.change { state in
            state.ready = subscriptions.enumerated().map {
                Delivery.sample(device: UInt64($0) + 1, kind: .web, subscription: $1)
            }
        }
        pool.wake()
        try await source.allReturned(deliveries: 4)
        #expect(
            results(of: 1...4) == [
                "1: no-subscription", "2: bad-subscription", "3: host-not-allowed", "4: host-not-allowed",
            ])
        #expect(source.watched.now.all.allSatisfy { $0 == .refused(.badRequest, deadSince: nil) })
        #expect(try await pool.statistics().get().byLabel.isEmpty)
    }

    // MARK: Bounds

    /// The endpoints come from clients: each could name another host.
    @Test func `further push services wait while all have work`() async throws {
        let pool = try makePool(proxy: try await silentProxy()) { $0.services = 2 }
        try add(["a", "b", "c", "a", "d"].map { "https://\($0).push.example/x" })
        pool.wake()
        try await runPoolWork()
        #expect(results(of: 1...5) == ["3: too-many-services", "5: too-many-services"])
        let later = Verdict.tryLater(.heldBack, afterMilliseconds: 60_000)
        #expect(source.watched.now.verdicts == [3: [later], 5: [later]])
        #expect(counters.values["carillon_web_undecided_attempts_total held-back"] == 2)
    }

    @Test func `a service without work gives way to another`() async throws {
        // Nothing listens on port 1: what waits is given back.
        let pool = try makePool(proxy: 1) { $0.services = 2 }
        try add(["a", "b"].map { "https://\($0).push.example/x" })
        pool.wake()
        try await source.allReturned(deliveries: 2)
        try add(["c", "d"].map { "https://\($0).push.example/x" }, from: 3)
        pool.wake()
        try await runPoolWork()
        #expect(source.watched.now.pullCounts.count == 4)
        #expect(!results(of: 3...4).contains { $0.contains("too-many-services") })
    }

    @Test func `a pool whose services do not answer takes no more than its limit`() async throws {
        let pool = try makePool(proxy: try await silentProxy()) { $0.deliveries = 16 }
        try add(Array(repeating: "https://a.push.example/x", count: 100))
        pool.wake()
        try await runPoolWork()
        #expect(source.watched.now.pullCounts.count == 14, "an eighth is kept for the interactive lane")
        try add(Array(repeating: "https://b.push.example/x", count: 100), from: 101, lane: .interactive)
        pool.wake()
        try await runPoolWork()
        #expect(source.watched.now.pullCounts.count == 16)
        #expect(source.watched.now.pullCounts.keys.count { $0 > 100 } == 2)
    }

    @Test func `a closed pool gives back all waiting pushes`() async throws {
        let pool = try makePool(proxy: try await silentProxy()) { _ in }
        try add(["a", "b", "a", "c"].map { "https://\($0).push.example/x" })
        pool.wake()
        try await runPoolWork()
        #expect(source.watched.now.pullCounts.count == 4)
        try await Self.close(pool, accepted)
        try await source.allReturned(deliveries: 4)
        #expect(source.watched.now.returnCounts == [1: 1, 2: 1, 3: 1, 4: 1])
    }
}
