import CarillonCore
import CarillonDelivery
import Testing

/// Nobody waits for somebody else's trouble.
@Suite struct EngineFairnessTests {
    private static let chat = PoolKey(environment: .production, credential: "chat")
    private static let routes = Routes([
        EngineDesk.app: [.production: EngineDesk.production, .sandbox: EngineDesk.sandbox],
        EngineDesk.otherApp: [.production: chat],
    ])

    /// Reads whatever the engine asks for; each message has one page of a single device.
    private func readAll(_ desk: inout EngineDesk) {
        while true {
            let reads = desk.write().reads
            if reads.isEmpty { return }
            for read in reads {
                desk.engine.pageRead(
                    EngineDesk.page(1...1, of: read.message.rawValue, read.page, isLast: true), read, at: desk.now)
            }
        }
    }

    @Test(arguments: Lane.allCases) func aPoolThatCannotBeReachedKeepsNoOtherAppWaiting(_ lane: Lane) {
        var limits = DeliveryEngine.Limits()
        limits.messages = 200
        var desk = EngineDesk(routes: Self.routes, limits: limits)
        for id: UInt64 in 1...5_000 {
            desk.engine.messageAccepted(EngineDesk.entry(id, lane: lane), at: desk.now)
            readAll(&desk)
        }
        #expect(desk.engine.load.messages == 100)
        desk.engine.messageAccepted(EngineDesk.entry(5_001, app: EngineDesk.otherApp, lane: lane), at: desk.now)
        readAll(&desk)
        #expect(desk.pull(9, for: Self.chat).words == ["5001>1"])
    }

    @Test func aPersonNeverWaitsForAFanOut() {
        var limits = DeliveryEngine.Limits()
        limits.unrecorded = 16
        var desk = EngineDesk(limits: limits)
        desk.send(EngineDesk.entry(1, lane: .bulk), to: 1...100)
        #expect(desk.pull(9, bulkLimit: 4).count == 4)
        #expect(desk.pull(99).count == 10, "an eighth of the outcomes is kept")
        #expect(desk.pull(99).isEmpty)
        desk.send(EngineDesk.entry(2), to: 1...1)
        #expect(desk.pull(9, bulkLimit: 0).words == ["2>1"])
    }

    @Test func whatThePersonTakesIsNotTakenFromTheReserveByTheFanOutInTheSamePull() {
        var limits = DeliveryEngine.Limits()
        limits.unrecorded = 16
        var desk = EngineDesk(limits: limits)
        desk.send(EngineDesk.entry(1, lane: .bulk), to: 1...100)
        desk.send(EngineDesk.entry(2), to: 1...4)
        #expect(desk.pull(99).count == 14)
    }

    @Test func aFanOutThatIsCancelledDoesNotHoldBackAPerson() {
        var limits = DeliveryEngine.Limits()
        limits.unrecorded = 16
        var desk = EngineDesk(limits: limits)
        desk.send(EngineDesk.entry(1, lane: .bulk), to: 1...100)
        desk.engine.cancel(MessageID(rawValue: 1), at: desk.now)
        #expect(desk.records().count == 100)
        desk.send(EngineDesk.entry(2), to: 1...1)
        #expect(desk.pull(9).words == ["2>1"])
    }

    /// Has so many pages read, if there are so many, and returns of which messages; every message has three.
    private func readPages(_ limit: Int, of desk: inout EngineDesk) -> [UInt64] {
        var messages: [UInt64] = []
        while messages.count < limit, case let reads = desk.write().reads, !reads.isEmpty {
            for read in reads {
                messages.append(read.message.rawValue)
                let page = EngineDesk.page(1...1, of: read.message.rawValue, read.page, isLast: read.page == 2)
                desk.engine.pageRead(page, read, at: desk.now)
            }
            desk.complete(desk.pull(99), .delivered)
            desk.advance(100)
        }
        return messages
    }

    @Test(arguments: [false, true]) func whoSendsToAFewDoesNotWaitForAPageOfEachOther(_ areCancelled: Bool) {
        var desk = EngineDesk()
        for id: UInt64 in 1...100 { desk.engine.messageAccepted(EngineDesk.entry(id, lane: .bulk), at: desk.now) }
        if areCancelled {
            for id: UInt64 in 1...100 { desk.engine.cancel(MessageID(rawValue: id), at: desk.now) }
        } else {
            #expect(Set(readPages(200, of: &desk)).count == 100, "each has begun")
        }
        desk.engine.messageAccepted(EngineDesk.entry(101, lane: .bulk), at: desk.now)
        #expect(readPages(20, of: &desk).contains(101))
    }

    @Test func fanOutsGoOnWhileOthersKeepComing() {
        var limits = DeliveryEngine.Limits()
        limits.reads = 1
        var desk = EngineDesk(limits: limits)
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        var order: [UInt64] = []
        for id: UInt64 in 2...9 {
            desk.engine.messageAccepted(EngineDesk.entry(id), at: desk.now)
            for read in desk.write().reads {
                order.append(read.message.rawValue)
                let page = EngineDesk.page(
                    1...1, of: read.message.rawValue, read.page, isLast: read.message.rawValue != 1)
                desk.engine.pageRead(page, read, at: desk.now)
            }
            desk.complete(desk.pull(9), .delivered)
        }
        #expect(order == [1, 1, 2, 1, 3, 1, 4, 1])
    }

    @Test func aFanOutThatIsReadAgainDoesNotTakeThePersonsReadings() {
        var limits = DeliveryEngine.Limits()
        limits.reads = 4
        limits.pagesPerMessage = 8
        var desk = EngineDesk(limits: limits)
        desk.engine.messageAccepted(EngineDesk.entry(1, lane: .bulk), at: desk.now)
        for _ in 1...6 { desk.hand([.init(device: 1)], of: 1, isLast: false) }
        desk.engine.everybodyChanged()
        #expect(desk.pull(99).isEmpty)
        desk.engine.messageAccepted(EngineDesk.entry(2), at: desk.now)
        #expect(desk.engine.takeEffects().reads.count { $0.message.rawValue == 2 } == 1)
    }

    // MARK: Credentials

    @Test func aRestartedPoolSendsEverythingThatWasLetGoOf() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        desk.send(EngineDesk.entry(2), to: 1...1)
        let deliveries = desk.pull(1)
        desk.engine.poolStopped(EngineDesk.production, at: desk.now)
        desk.complete(deliveries, .credentialRefused)
        #expect(desk.pull(9).isEmpty)
        #expect(desk.engine.load.messages == 1, "one waits for the other pool")

        desk.engine.poolRestarted(EngineDesk.production, at: desk.now)
        let effects = desk.engine.takeEffects()
        #expect(effects.readsQueues)
        #expect(effects.messages.map(\.after) == [nil])
        let entries = [EngineDesk.entry(1), EngineDesk.entry(2)]
        desk.engine.messagesRead(entries, of: EngineDesk.queue, wasLast: true, at: desk.now)
        for read in effects.reads + desk.engine.takeEffects().reads {
            let rows =
                [EngineDesk.Row(device: 1)]
                + (read.message.rawValue == 1 ? [.init(device: 2, environment: .sandbox)] : [])
            desk.engine.pageRead(EngineDesk.page(rows, of: read.message.rawValue, isLast: true), read, at: desk.now)
        }
        #expect(desk.pull(9).words == ["1>1", "2>1"])
        #expect(desk.pull(9, for: EngineDesk.sandbox).words == ["1>2"])
    }

    @Test func whoWasLetGoOfIsReadAgainWhenAnotherCredentialServesTheApp() {
        var desk = EngineDesk()
        let renewed = PoolKey(environment: .production, credential: "renewed")
        desk.engine.poolStopped(EngineDesk.production, at: desk.now)
        desk.send(EngineDesk.entry(1), to: 1...1)
        #expect(desk.engine.load.messages == 0)
        desk.engine.routesChanged(Routes([EngineDesk.app: [.production: renewed]]), at: desk.now)
        #expect(desk.engine.takeEffects().readsQueues)
        desk.engine.queuesRead([EngineDesk.queue])
        for read in desk.engine.takeEffects().messages {
            desk.engine.messagesRead([EngineDesk.entry(1)], of: read.queue, wasLast: true, at: desk.now)
        }
        desk.hand([.init(device: 1)], of: 1)
        #expect(desk.pull(9, for: renewed).words == ["1>1"])
    }
}
