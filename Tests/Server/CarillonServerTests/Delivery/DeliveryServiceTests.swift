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

private let app = ServiceHarness.app
private let pool = ServiceHarness.pool
private let routes = ServiceHarness.routes

/// The shell of the delivery engine, as it reacts to the answers of the registry and to the reports of the pools.
@Suite(.timeLimit(.minutes(10))) struct DeliveryServiceTests {
    // MARK: Outcomes

    @Test func `a message is finished after its outcomes are on disk`() async throws {
        let harness = try await ServiceHarness()
        try await harness.deliver(1)
        #expect(harness.changes == ["record 2 of 1", "finish 1"])
    }

    /// The outcomes are one record of the log, which costs as much with one outcome.
    @Test func `outcomes of one moment are submitted together`() async throws {
        let harness = try await ServiceHarness()
        for message in 1...3 as ClosedRange<UInt64> { try await harness.accept(message) }
        harness.service.attemptsEnded(
            harness.pull().map { AttemptResult($0.attempt, verdict: .delivered, status: 200) }, for: pool)
        #expect(harness.submissions == [["record 2 of 1", "record 2 of 2", "record 2 of 3"]])
        #expect(harness.endings.suffix(3) == ["finish 1", "finish 2", "finish 3"])
        #expect(harness.service.load.unrecorded == 0)
    }

    @Test(arguments: [RegistryError.overloaded, .storageFull])
    func `refused outcomes are submitted again until there is room`(_ refusal: RegistryError) async throws {
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

    /// Only the message of the outcomes stays unfinished: the others go on.
    @Test func `outcomes that cannot be written leave their message unfinished`() async throws {
        let harness = try await ServiceHarness(refusing: "record", with: [.corrupted("a row")])
        try await harness.deliver(1)
        try await harness.tick()
        #expect(harness.endings == ["record 2 of 1"])
        #expect(harness.service.load.unrecorded == 0)
        #expect(harness.log.messages == ["critical: outcomes cannot be written"])
        try await harness.deliver(2)
        #expect(harness.changes.suffix(2) == ["record 2 of 2", "finish 2"])
    }

    @Test func `a message that cannot be finished for now is finished later`() async throws {
        let harness = try await ServiceHarness(answer: { change throws(RegistryError) in
            if case .finish = change { throw .overloaded }
            return ServiceHarness.success(change)
        })
        try await harness.deliver(1)
        try await harness.tick()
        #expect(harness.endings == ["record 2 of 1", "finish 1", "finish 1"])
    }

    @Test func `outcomes are counted when they are on disk and not before`() async throws {
        let harness = try await ServiceHarness(refusing: "record", with: [.overloaded])
        try await harness.deliver(1)
        #expect(harness.service.outcomeTotals[.delivered, default: 0] == 0)
        try await harness.tick()
        #expect(harness.service.outcomeTotals[.delivered] == 2)
    }

    // MARK: Reads

    @Test func `a page that cannot be read for now is read again later`() async throws {
        let harness = try await ServiceHarness(prepare: { $0.failPages(.overloaded) })
        try await harness.accept(1)
        #expect(harness.pull().isEmpty)
        try await harness.tick()
        #expect(harness.pull().count == 2)
        #expect(harness.log.messages == [])
    }

    @Test func `a page that cannot be read stops only its message`() async throws {
        let harness = try await ServiceHarness(prepare: { $0.failPages(.corrupted("a page")) })
        try await harness.accept(1)
        #expect(harness.log.messages == ["critical: recipients cannot be read"])
        try await harness.deliver(2)
        #expect(harness.changes == ["record 2 of 2", "finish 2"])
    }

    @Test func `a message that cannot be read is logged once and the others are sent`() async throws {
        let (entry, page) = ServiceHarness.message(1)
        let harness = try await ServiceHarness(prepare: { registry in
            registry.hold(entry, page)
            registry.hold(UnreadableMessage(id: MessageID(rawValue: 9), reason: "a row"))
        })
        #expect(harness.pull().count == 2)
        // The outbox is read again from its beginning.
        for isReachable in [false, true] {
            harness.service.reachabilityChanged(of: pool, isReachable: isReachable, reportedBy: harness.identity)
            try await harness.finishReads()
        }
        #expect(harness.log.messages == ["critical: a message cannot be read and is not sent"])
    }

    // MARK: Scheduled messages

    @Test func `messages due while the server was down are released once at the start`() async throws {
        let (entry, page) = ServiceHarness.message(1)
        let harness = try await ServiceHarness(answer: { change throws(RegistryError) in
            if case .releaseScheduled = change { return .released([entry], next: nil) }
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

    @Test func `a release that is refused is tried again`() async throws {
        let harness = try await ServiceHarness(refusing: "release", with: [.overloaded])
        try await harness.tick()
        try await harness.tick()
        try await harness.tick()
        #expect(harness.changes == ["release", "release"])
        #expect(harness.log.messages == ["warning: scheduled messages cannot be released yet"])
    }

    @Test func `a message that is scheduled for later is not looked for before`() async throws {
        let harness = try await ServiceHarness()
        try await harness.tick()
        harness.service.scheduledMessageStored(dueAt: Timestamp(milliseconds: .max))
        try await harness.tick()
        #expect(harness.changes == ["release"])
        harness.service.scheduledMessageStored(dueAt: Timestamp(milliseconds: 1))
        try await harness.tick()
        #expect(harness.changes == ["release", "release"])
    }

    // MARK: Pools

    @Test func `a pool with a refused credential waits for another`() async throws {
        let harness = try await ServiceHarness()
        try await harness.accept(1)
        // After the first refusal one push at a time is tried; the second refusal stops that too.
        for _ in 1...2 {
            harness.service.credentialRefused(of: pool, reason: "BadCertificate", reportedBy: harness.identity)
        }
        try await harness.finishReads()
        #expect(harness.pull().isEmpty)
        #expect(harness.changes == ["event credential-refused"])

        let next = try ServiceHarness.makePool(for: harness.service)
        harness.service.routesChanged(routes, pools: [next], restarted: [pool])
        try await harness.finishReads()
        #expect(harness.pull().count == 2)
    }

    @Test func `a pool that was replaced cannot stop the new one`() async throws {
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

    @Test func `a message of an app that was removed ends without credential`() async throws {
        let harness = try await ServiceHarness()
        try await harness.accept(1)
        harness.service.routesChanged(Routes([:]), pools: [], restarted: [])
        try await harness.finishReads()
        #expect(harness.pull().isEmpty)
        #expect(harness.outcomes == [.noCredential, .noCredential])
    }

    @Test func `a stopped service hands out nothing and takes back what is in flight`() async throws {
        let harness = try await ServiceHarness()
        try await harness.accept(1)
        let deliveries = harness.pull()
        try await harness.accept(2)
        harness.service.stop()
        #expect(harness.pull().isEmpty)
        harness.service.attemptsEnded(
            deliveries.map { AttemptResult($0.attempt, verdict: .delivered, status: 200) }, for: pool)
        try await harness.finishReads()
        #expect(harness.outcomes == [.delivered, .delivered])
    }
}
