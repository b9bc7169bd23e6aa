import CarillonAPNs
import CarillonCore
import CarillonDelivery
import CarillonTLS
import CarillonTestKit
import CarillonTransport
import CoreMetrics
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import CarillonServer

/// A delivery service with the parts around it, which a test plays: the registry, the event loop of the timers, and a
/// pool.
struct ServiceHarness {
    static let app = TestApps.game
    static let pool = PoolKey(destination: .apnsProduction, credential: "main")
    static let routes = Routes([app: [.apnsProduction: pool]])

    /// The thread of the service's reads: one, so that what is submitted later is read later. It lives as long as the
    /// process.
    private static let reader: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 1)
        threads.start()
        return threads
    }()

    let registry: FakeRegistry
    let log = RecordingLog()
    let service: DeliveryService
    private let loop = NIOAsyncTestingEventLoop()

    /// The pool of `routes`, which never connects.
    private let closedPool: PushPool

    /// Starts a service whose registry answers the first changes of a kind with errors, one each.
    ///
    /// - Parameter kind: the first word of such a change in `changes`.
    init(refusing kind: String, with errors: [RegistryError]) async throws {
        let left = Mutex(errors)
        try await self.init(answer: { change throws(RegistryError) in
            if Self.summary(change).hasPrefix(kind),
                let error = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() })
            {
                throw error
            }
            return Self.success(change)
        })
    }

    /// Starts a service.
    ///
    /// - Parameters:
    ///   - prepare: is called before the start.
    ///   - answer: the answer to a change; the default is that of a registry in which all succeeds.
    init(
        prepare: (FakeRegistry) -> Void = { _ in },
        answer: @escaping @Sendable (Change) throws(RegistryError) -> ChangeAnswer = { success($0) }
    ) async throws {
        registry = FakeRegistry(answer: answer)
        prepare(registry)
        service = DeliveryService(
            registry: registry, routes: Self.routes,
            on: DeliveryService.Dependencies(
                readThreads: Self.reader, loop: loop, logger: log.logger, factory: NOOPMetricsHandler.instance))
        closedPool = try Self.makePool(for: service)
        service.routesChanged(Self.routes, pools: [closedPool], restarted: [])
        service.start()
        try await finishReads()
    }

    var identity: ObjectIdentifier { closedPool.identity }

    /// Makes a pool that is closed already: it knows its key and its identity, and it never connects.
    static func makePool(for service: DeliveryService) throws -> PushPool {
        let tls = try TLSContext.client(trust: .system)
        let target = PoolTarget(
            key: Self.pool, server: PoolTarget.Server(host: "127.0.0.1", port: 1), tls: tls,
            authorization: .certificate, adapter: APNsAdapter(epoch: .zero))
        let made = PushPool(
            target, loops: PushPool.Loops(bulk: MultiThreadedEventLoopGroup.singleton), source: service,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        _ = made.close()
        return made
    }

    /// Returns the answer of a registry in which all succeeds.
    static func success(_ change: Change) -> ChangeAnswer {
        switch change {
        case .recordOutcomes: .outcomesRecorded(isFinished: false)
        case .finish: .messageChecked(isFinished: true)
        case .releaseScheduled: .released([], next: nil)
        default: .applied
        }
    }

    /// Waits until everything is read that the service has asked for: one read can cause another, but not often.
    func finishReads() async throws {
        for _ in 0..<10 { try await Self.reader.runIfActive {} }
    }

    /// Lets a second pass: refused work is submitted again, and scheduled messages are looked for.
    func tick() async throws {
        await loop.advanceTime(by: DeliveryService.tick)
        try await finishReads()
    }

    /// Makes a message to devices 1 and 2, in one page.
    static func message(_ id: UInt64, isLive: Bool = true) -> (outbound: OutboundMessage, page: RecipientPage) {
        let content = MessageContent(app: app, pushType: .alert, payload: Array("{}".utf8))
        let outbound = OutboundMessage(
            id: MessageID(rawValue: id), content: content, sendableSince: .zero, notAfter: nil, lane: .interactive,
            isLive: isLive)
        var page = RecipientPage.Builder(capacity: 2)
        for device in 1...2 as ClosedRange<UInt64> {
            page.append(
                RecipientPage.Recipient(
                    position: UInt16(device - 1), device: DeviceID(rawValue: device), environment: .production),
                token: [UInt8(device)])
        }
        return (outbound, page.page(0, of: outbound.id, isLast: true))
    }

    /// Accepts a message, as if it was just committed.
    func accept(_ id: UInt64) async throws {
        let (outbound, page) = Self.message(id)
        registry.hold(outbound, page)
        service.messageStored(outbound)
        try await finishReads()
    }

    /// Pulls deliveries as a connection does.
    func pull() -> [Delivery] {
        var deliveries: [Delivery] = []
        service.pull(for: Self.pool, PullLimits(100), into: &deliveries)
        return deliveries
    }

    /// Accepts a message and delivers it.
    func deliver(_ id: UInt64) async throws {
        try await accept(id)
        let deliveries = pull()
        try #require(deliveries.count == 2)
        service.attemptsEnded(
            deliveries.map { AttemptResult($0.attempt, verdict: .delivered, status: 200) }, for: Self.pool)
        try await finishReads()
    }

    /// The outcomes that the service has submitted.
    var outcomes: [Outcome] {
        registry.changes.flatMap { change in
            if case .recordOutcomes(let record, _) = change {
                record.endedRecipients.map(\.outcome)
            } else {
                [Outcome]()
            }
        }
    }

    /// The changes that the service has submitted, in words and in order.
    var changes: [String] { registry.changes.map(Self.summary) }

    /// The changes that were submitted together, in words and in order.
    var submissions: [[String]] { registry.submissions.map { $0.map(Self.summary) } }

    /// The changes that end messages.
    var endings: [String] { changes.filter { $0.hasPrefix("record") || $0.hasPrefix("finish") } }

    private static func summary(_ change: Change) -> String {
        switch change {
        case .recordOutcomes(let record, _): "record \(record.endedRecipients.count) of \(record.message)"
        case .finish(let message, _): "finish \(message)"
        case .releaseScheduled: "release"
        case .appendEvent(let event): "event \(event.kind)"
        default: "\(change)"
        }
    }
}
