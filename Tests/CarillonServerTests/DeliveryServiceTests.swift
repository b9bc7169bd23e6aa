import CarillonCore
import CarillonDelivery
import CarillonTLS
import CarillonTransport
import CoreMetrics
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import CarillonServer

private let app = AppID("com.example.game")!
private let pool = PoolKey(environment: .production, credential: "main")
private let routes = Routes([app: [.production: pool]])

/// A delivery service: the test is its registry, the clock of its pauses, and its connections.
private struct ServiceHarness {
    /// One thread, so that what is submitted later is read later. It lives as long as the process.
    private static let reader: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 1)
        threads.start()
        return threads
    }()

    let registry: FakeRegistry
    let log = RecordingLog()
    let service: DeliveryService
    private let loop = NIOAsyncTestingEventLoop()

    /// The pool of the routes.
    private let present: APNsPool

    /// A started service whose registry answers the first changes of a kind with errors, one each.
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

    /// A started service.
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
            registry: registry, routes: routes, reader: Self.reader, loop: loop, logger: log.logger,
            factory: NOOPMetricsHandler.instance)
        present = try Self.makePool(for: service)
        service.routesChanged(routes, pools: [present], restarted: [])
        service.start()
        try await settle()
    }

    /// The identity of the pool.
    var identity: ObjectIdentifier { present.identity }

    /// A pool that is closed already: it knows its key and its identity, and it never connects.
    static func makePool(for service: DeliveryService) throws -> APNsPool {
        let tls = try TLSContext.client(trust: .system)
        let upstream = Upstream(
            key: pool, host: "127.0.0.1", port: 1, tls: tls, authorization: .certificate, epoch: .zero)
        let made = APNsPool(
            upstream, group: MultiThreadedEventLoopGroup.singleton, source: service, metrics: nil,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        _ = made.close()
        return made
    }

    /// The answer of a registry in which all succeeds.
    static func success(_ change: Change) -> ChangeAnswer {
        switch change {
        case .record: .recorded(isFinished: false)
        case .finish: .finished(isFinished: true)
        case .release: .released([], next: nil)
        default: .noted
        }
    }

    /// Waits until everything is read that the service has asked for: a read can lead to another, but not often.
    func settle() async throws {
        for _ in 0..<10 { try await Self.reader.runIfActive {} }
    }

    /// Lets a second pass: refused work is submitted again, and scheduled messages are looked for.
    func tick() async throws {
        await loop.advanceTime(by: DeliveryService.tick)
        try await settle()
    }

    /// A message to devices 1 and 2, in one page.
    static func message(_ id: UInt64, isLive: Bool = true) -> (entry: OutboxEntry, page: RecipientPage) {
        let content = MessageContent(app: app, pushType: .alert, payload: Array("{}".utf8))
        let entry = OutboxEntry(
            id: MessageID(rawValue: id), content: content, acceptedAt: .zero, notAfter: nil, lane: .interactive,
            isLive: isLive)
        var page = RecipientPage.Builder(capacity: 2)
        for device in 1...2 as ClosedRange<UInt64> {
            page.append(
                RecipientPage.Recipient(
                    position: UInt16(device - 1), device: DeviceID(rawValue: device), environment: .production),
                token: [UInt8(device)])
        }
        return (entry, page.page(0, of: entry.id, isLast: true))
    }

    /// Accepts a message, as if it was just committed.
    func accept(_ id: UInt64) async throws {
        let (entry, page) = Self.message(id)
        registry.hold(entry, page)
        service.messageAccepted(entry)
        try await settle()
    }

    /// What a connection gets.
    func pull() -> [Delivery] {
        var deliveries: [Delivery] = []
        service.pull(for: pool, PullLimits(100), into: &deliveries)
        return deliveries
    }

    /// Accepts a message and delivers it.
    func deliver(_ id: UInt64) async throws {
        try await accept(id)
        let deliveries = pull()
        try #require(deliveries.count == 2)
        service.completed(deliveries.map { DeliveryResult($0.attempt, .delivered, status: 200) }, for: pool)
        try await settle()
    }

    /// The outcomes that the service has submitted.
    var outcomes: [Outcome] {
        registry.changes.flatMap { change in
            if case .record(let record, _) = change { record.entries.map(\.outcome) } else { [Outcome]() }
        }
    }

    /// The changes that the service has submitted, in words and in order.
    var changes: [String] { registry.changes.map(Self.summary) }

    /// The changes that end messages.
    var endings: [String] { changes.filter { $0.hasPrefix("record") || $0.hasPrefix("finish") } }

    private static func summary(_ change: Change) -> String {
        switch change {
        case .record(let record, _): "record \(record.entries.count) of \(record.message)"
        case .finish(let message, _): "finish \(message)"
        case .release: "release"
        case .note(let event): "event \(event.kind)"
        default: "\(change)"
        }
    }
}

/// What the shell of the delivery engine makes of the answers of the registry and of the reports of the pools.
@Suite(.timeLimit(.minutes(1))) struct DeliveryServiceTests {
    // MARK: Outcomes

    @Test func aMessageIsFinishedAfterItsOutcomesAreOnDisk() async throws {
        let harness = try await ServiceHarness()
        try await harness.deliver(1)
        #expect(harness.changes == ["record 2 of 1", "finish 1"])
    }

    @Test(arguments: [RegistryError.overloaded, .storageFull])
    func outcomesAreSubmittedAgainUntilThereIsRoomAndTheMessageWaitsForThem(_ refusal: RegistryError) async throws {
        let harness = try await ServiceHarness(refusing: "record", with: [refusal, refusal])
        try await harness.deliver(1)
        #expect(harness.changes == ["record 2 of 1"])
        #expect(harness.service.load.unrecorded == 2)
        try await harness.tick()
        #expect(harness.endings == ["record 2 of 1", "record 2 of 1"])
        try await harness.tick()
        #expect(harness.endings == ["record 2 of 1", "record 2 of 1", "record 2 of 1", "finish 1"])
        #expect(harness.service.load.unrecorded == 0)
    }

    /// Only its own message: the others go on.
    @Test func outcomesThatCannotBeWrittenLeaveTheirMessageUnfinished() async throws {
        let harness = try await ServiceHarness(refusing: "record", with: [.corrupted("a row")])
        try await harness.deliver(1)
        try await harness.tick()
        #expect(harness.endings == ["record 2 of 1"])
        #expect(harness.service.load.unrecorded == 0)
        #expect(harness.log.lines == ["critical: outcomes cannot be written"])
        try await harness.deliver(2)
        #expect(harness.changes.suffix(2) == ["record 2 of 2", "finish 2"])
    }

    @Test func aMessageThatCannotBeFinishedForNowIsFinishedLater() async throws {
        let harness = try await ServiceHarness(answer: { change throws(RegistryError) in
            if case .finish = change { throw .overloaded }
            return ServiceHarness.success(change)
        })
        try await harness.deliver(1)
        try await harness.tick()
        #expect(harness.endings == ["record 2 of 1", "finish 1", "finish 1"])
    }

    @Test func outcomesAreCountedWhenTheyAreOnDiskAndNotBefore() async throws {
        let harness = try await ServiceHarness(refusing: "record", with: [.overloaded])
        try await harness.deliver(1)
        #expect(harness.service.outcomeTotals[.delivered, default: 0] == 0)
        try await harness.tick()
        #expect(harness.service.outcomeTotals[.delivered] == 2)
    }

    // MARK: Reads

    @Test func aPageThatCannotBeReadForNowIsReadAgainLater() async throws {
        let harness = try await ServiceHarness(prepare: { $0.failPages(.overloaded) })
        try await harness.accept(1)
        #expect(harness.pull().isEmpty)
        try await harness.tick()
        #expect(harness.pull().count == 2)
        #expect(harness.log.lines == [])
    }

    @Test func aPageThatCannotBeReadLeavesItsMessageUnfinishedAndTheOthersGoOn() async throws {
        let harness = try await ServiceHarness(prepare: { $0.failPages(.corrupted("a page")) })
        try await harness.accept(1)
        #expect(harness.log.lines == ["critical: recipients cannot be read"])
        try await harness.deliver(2)
        #expect(harness.changes == ["record 2 of 2", "finish 2"])
    }

    @Test func aMessageThatCannotBeReadIsLoggedOnceAndTheOthersAreSent() async throws {
        let (entry, page) = ServiceHarness.message(1)
        let harness = try await ServiceHarness(prepare: { registry in
            registry.hold(entry, page)
            registry.hold(UnreadableMessage(id: MessageID(rawValue: 9), reason: "a row"))
        })
        #expect(harness.pull().count == 2)
        // The outbox is read again from its beginning.
        for isReachable in [false, true] {
            harness.service.reachabilityChanged(of: pool, isReachable: isReachable, reportedBy: harness.identity)
            try await harness.settle()
        }
        #expect(harness.log.lines == ["critical: a message cannot be read and is not sent"])
    }

    // MARK: Scheduled messages

    @Test func whatWasDueWhileTheServerWasDownIsReleasedAtTheStartAndThenNothing() async throws {
        let (entry, page) = ServiceHarness.message(1)
        let harness = try await ServiceHarness(answer: { change throws(RegistryError) in
            if case .release = change { return .released([entry], next: nil) }
            return ServiceHarness.success(change)
        })
        harness.registry.hold(entry, page)
        #expect(harness.changes == [])
        try await harness.tick()
        #expect(harness.changes == ["release"])
        #expect(harness.pull().count == 2)
        try await harness.tick()
        #expect(harness.changes == ["release"], "none waits")
    }

    @Test func aReleaseThatIsRefusedIsTriedAgain() async throws {
        let harness = try await ServiceHarness(refusing: "release", with: [.overloaded])
        try await harness.tick()
        try await harness.tick()
        try await harness.tick()
        #expect(harness.changes == ["release", "release"])
        #expect(harness.log.lines == ["warning: scheduled messages cannot be released yet"])
    }

    @Test func aMessageThatIsScheduledForLaterIsNotLookedForBefore() async throws {
        let harness = try await ServiceHarness()
        try await harness.tick()
        harness.service.scheduled(at: Timestamp(milliseconds: .max))
        try await harness.tick()
        #expect(harness.changes == ["release"])
        harness.service.scheduled(at: Timestamp(milliseconds: 1))
        try await harness.tick()
        #expect(harness.changes == ["release", "release"])
    }

    // MARK: Pools

    @Test func aPoolWhoseCredentialIsRefusedTwiceGetsNothingUntilAnotherReplacesIt() async throws {
        let harness = try await ServiceHarness()
        try await harness.accept(1)
        // After the first refusal one push at a time is tried; the second refusal stops that too.
        for _ in 1...2 {
            harness.service.credentialRefused(of: pool, reason: "BadCertificate", reportedBy: harness.identity)
        }
        try await harness.settle()
        #expect(harness.pull().isEmpty)
        #expect(harness.changes == ["event credential-refused"])

        let next = try ServiceHarness.makePool(for: harness.service)
        harness.service.routesChanged(routes, pools: [next], restarted: [pool])
        try await harness.settle()
        #expect(harness.pull().count == 2)
    }

    @Test func aPoolThatWasReplacedCannotStopTheNewOne() async throws {
        let harness = try await ServiceHarness()
        let old = harness.identity
        let next = try ServiceHarness.makePool(for: harness.service)
        harness.service.routesChanged(routes, pools: [next], restarted: [pool])
        harness.service.credentialRefused(of: pool, reason: "BadCertificate", reportedBy: old)
        harness.service.reachabilityChanged(of: pool, isReachable: false, reportedBy: old)
        try await harness.accept(1)
        #expect(harness.pull().count == 2)
        #expect(harness.changes == [])
    }

    @Test func aMessageOfAnAppThatWasRemovedEndsWithoutCredential() async throws {
        let harness = try await ServiceHarness()
        try await harness.accept(1)
        harness.service.routesChanged(Routes([:]), pools: [], restarted: [])
        try await harness.settle()
        #expect(harness.pull().isEmpty)
        #expect(harness.outcomes == [.noCredential, .noCredential])
    }

    @Test func aStoppedServiceHandsOutNothingAndTakesBackWhatIsInFlight() async throws {
        let harness = try await ServiceHarness()
        try await harness.accept(1)
        let deliveries = harness.pull()
        try await harness.accept(2)
        harness.service.stop()
        #expect(harness.pull().isEmpty)
        harness.service.completed(deliveries.map { DeliveryResult($0.attempt, .delivered, status: 200) }, for: pool)
        try await harness.settle()
        #expect(harness.outcomes == [.delivered, .delivered])
    }
}
