import CarillonCore
import Testing

@testable import CarillonDelivery

/// A pool that is slow, asks for no work or cannot be reached: its recipients wait, and hold up no others. They follow
/// the credential of their app to its pool.
///
/// `1>7` is message 1 on its way to device 7; `page 1.0` is the first page of message 1.
struct DeliveryEnginePoolsTests {
    @Test(
        arguments: [
            (reason: .throttled, deliveries: 100), (reason: .serverBusy, deliveries: 25),
        ] as [(reason: Verdict.TryLater, deliveries: Int)])
    func `a busy server slows its pool down and a throttled token does not`(reason: Verdict.TryLater, deliveries: Int) {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...200)
        harness.complete(harness.pull(100), .tryLater(reason, afterMilliseconds: 30_000))
        harness.advance(1_000)
        #expect(harness.pull(100).count == deliveries)
    }

    /// Sends what can be sent of message 1. Each of its 50 pages has a device in production and one in the sandbox.
    private static func sendPagesOfBothEnvironments(_ harness: inout EngineHarness) -> [String] {
        var sent: [String] = []
        while case let reads = harness.takeActions().pageReads, !reads.isEmpty {
            for read in reads {
                let device = UInt64(read.page) + 1
                let page = EngineHarness.page(
                    [.init(device: device), .init(device: device + 100, environment: .sandbox)], of: 1, read.page,
                    isLast: device == 50)
                harness.engine.pageRead(page, for: read, at: harness.now)
            }
            let deliveries = harness.pull(99)
            sent += deliveries.transcript
            harness.complete(deliveries, .delivered)
        }
        return sent
    }

    /// Lets seconds pass, of which the engine is told one by one.
    private static func wait(_ seconds: Int, _ harness: inout EngineHarness) {
        for _ in 0..<seconds {
            harness.advance(1_000)
            harness.engine.expirePassed(at: harness.now)
        }
    }

    @Test func `a few devices in a sandbox that cannot be reached do not stop a fan-out`() {
        var harness = EngineHarness()
        harness.accept(1...1, lane: .bulk)
        let atFirst = Self.sendPagesOfBothEnvironments(&harness)
        #expect(atFirst == ["1>1", "1>2"], "two pages at a time")
        Self.wait(4, &harness)
        let afterFourSeconds = Self.sendPagesOfBothEnvironments(&harness)
        #expect(afterFourSeconds.isEmpty, "the sandbox may yet ask")
        Self.wait(2, &harness)
        let afterSixSeconds = Self.sendPagesOfBothEnvironments(&harness)
        #expect(afterSixSeconds == (3...50).map { "1>\($0)" })
        #expect(harness.pull(99, for: .sandbox).transcript == (101...150).map { "1>\($0)" })
        #expect(harness.engine.pools.availability.stalled.isEmpty)
    }

    @Test func `messages of an unreachable pool leave the memory to the other pool`() {
        var harness = EngineHarness()
        /// Reads the one page of each message: the first 2,000 go to devices in the sandbox.
        func read() {
            harness.readPages { message, _ in
                let environment: APNsEnvironment = message <= 2_000 ? .sandbox : .production
                return EngineHarness.page([.init(device: message, environment: environment)], of: message, isLast: true)
            }
        }
        for id: UInt64 in 1...1_024 {
            harness.engine.messageAccepted(
                .message(id, notAfter: harness.now.wall.milliseconds + 60_000), at: harness.now)
        }
        read()
        #expect(harness.engine.load.messages == 1_024)
        harness.engine.poolBecameUnreachable(.sandbox, at: harness.now)
        #expect(harness.engine.load.messages == 0)
        harness.accept(2_001...2_001)
        read()
        #expect(harness.pull(9).transcript == ["2001>2001"])

        // At the end of their time the messages come back into memory, and their recipients end.
        harness.advance(60_001)
        #expect(harness.engine.takeActions().messageReads.map(\.after) == [nil])
        harness.engine.messagesRead(
            [.message(1, notAfter: harness.now.wall.milliseconds - 1)], of: EngineHarness.queue,
            isEnd: true, at: harness.now)
        harness.pageRead([.init(device: 1, environment: .sandbox)], of: 1)
        #expect(harness.records() == ["page 1.0, recipient 0: expired"])
    }

    @Test func `recipients left on disk are sent to when their pool is reachable`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: [.init(device: 1, environment: .sandbox)])
        harness.engine.poolBecameUnreachable(.sandbox, at: harness.now)
        #expect(harness.pull(9, for: .sandbox).isEmpty)
        #expect(harness.engine.load.messages == 0)
        harness.engine.poolBecameReachable(.sandbox, at: harness.now)
        #expect(harness.engine.takeActions().readsQueues)
        harness.rereadOutbox([.message(1)])
        harness.pageRead([.init(device: 1, environment: .sandbox)], of: 1)
        #expect(harness.pull(9, for: .sandbox).transcript == ["1>1"])
    }

    @Test func `a bad token is not dead while the other pool is unreachable`() {
        var harness = EngineHarness()
        harness.engine.poolBecameUnreachable(.sandbox, at: harness.now)
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), .refused(.badToken, deadSince: nil))
        let ended = harness.takeActions().records.flatMap(\.endedRecipients)
        #expect(ended == [.init(position: 0, outcome: .badToken)])
    }

    @Test func `a pool that had no work does not count as absent`() {
        var harness = EngineHarness()
        for _ in 0..<20 {
            harness.advance(1_000)
            harness.engine.expirePassed(at: harness.now)
        }
        harness.send(.message(1), to: 1...1)
        harness.engine.expirePassed(at: harness.now)
        #expect(harness.engine.pools.availability.stalled.isEmpty)
    }

    @Test func `ready recipients follow the credential`() {
        var harness = EngineHarness()
        let renewed = PoolKey(destination: .apnsProduction, credential: "renewed")
        harness.send(.message(1), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        harness.engine.routesChanged(Routes([EngineHarness.app: [.apnsProduction: renewed]]), at: harness.now)
        let actions = harness.engine.takeActions()
        #expect(actions.poolsToWake.contains(renewed))
        #expect(actions.records.transcript == ["page 1.0, recipient 1: no-credential"])
        #expect(harness.pull(9).isEmpty)
        #expect(harness.pull(9, for: renewed).transcript == ["1>1"])
    }

    @Test func `a recipient returned without a credential ends`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        let first = harness.pull(1)
        let second = harness.pull(1)
        harness.complete(second, .unknown)
        harness.engine.routesChanged(Routes([:]), at: harness.now)
        harness.complete(first, .notProcessed)
        #expect(
            harness.records() == [
                "page 1.0, recipient 0: no-credential", "page 1.0, recipient 1: waits after attempt 1",
            ])
        harness.advance(1_000)
        #expect(harness.records() == ["page 1.0, recipient 1: no-credential"])
    }
}
