import CarillonCore
import Testing

@testable import CarillonDelivery

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

    // MARK: Messages that wait for a time

    /// A line of eight messages at most; each goes to one device, and APNs wants to hear of it half a minute later.
    private func lineOfThrottledMessages(_ ids: ClosedRange<UInt64>, pace: UInt32? = nil) -> EngineDesk {
        var limits = DeliveryEngine.Limits()
        limits.messages = 16
        limits.messagesPerLine = 1
        var desk = EngineDesk(limits: limits)
        for id in ids {
            desk.send(EngineDesk.entry(id, pace: pace), to: id...id)
            desk.complete(desk.pull(9), .tryLater(.tokenThrottled, afterMilliseconds: 30_000))
            _ = desk.write()
        }
        return desk
    }

    @Test func messagesThatWaitForATimeKeepNobodyOut() throws {
        var desk = lineOfThrottledMessages(1...9)
        #expect(desk.engine.load.messages == 2)
        #expect(desk.engine.load.asleep == 2)
        desk.send(EngineDesk.entry(10), to: 10...10)
        #expect(desk.pull(9).words == ["10>10"])

        // Those in memory wake by themselves, the others are read again.
        desk.advance(30_001)
        var effects = desk.engine.takeEffects()
        #expect(effects.reads.map(\.message.rawValue) == [1, 2])
        let request = try #require(effects.messages.first)
        #expect(request.after == nil)
        desk.engine.messagesRead(
            (1...9).map { EngineDesk.entry($0) }, of: EngineDesk.queue, wasLast: true, at: desk.now)
        while !effects.reads.isEmpty {
            for read in effects.reads {
                let device = read.message.rawValue
                desk.engine.pageRead(EngineDesk.page(device...device, of: device, isLast: true), read, at: desk.now)
            }
            effects = desk.engine.takeEffects()
        }
        #expect(Set(desk.pull(99).words) == Set((1...9).map { "\($0)>\($0)" }))
    }

    @Test func theLineIsNotReadAgainAllTheTime() {
        var desk = lineOfThrottledMessages(1...4)
        desk.advance(30_001)
        #expect(desk.engine.takeEffects().messages.count == 1)
        desk.engine.messagesRead([EngineDesk.entry(3)], of: EngineDesk.queue, wasLast: true, at: desk.now)
        let due = desk.now.wall.advanced(byMilliseconds: 1_000)
        desk.hand([.init(device: 3, attempts: 1, dueAt: due)], of: 3)
        #expect(desk.engine.load.messages == 2, "not due yet: it has left again")
        desk.advance(29_999)
        #expect(desk.engine.takeEffects().messages.isEmpty)
        desk.advance(1)
        #expect(desk.engine.takeEffects().messages.count == 1)
    }

    @Test(arguments: [0, 20_000, 40_000, .max - EngineDesk().now.wall.milliseconds] as [UInt64])
    func whoseTimeEndsBeforeIsReadAgainThen(_ left: UInt64) {
        var desk = lineOfThrottledMessages(1...2)
        let due = desk.now.wall.advanced(byMilliseconds: 30_000)
        desk.send(
            EngineDesk.entry(3, notAfter: desk.now.wall.milliseconds + left), to: [.init(device: 3, dueAt: due)])
        let at = desk.now.uptimeMilliseconds + min(30_000, left) + 1
        #expect(desk.engine.backlogs[EngineDesk.queue]?.returnAt == at)
    }

    @Test func aMessageWithAPaceStays() {
        #expect(lineOfThrottledMessages(1...3, pace: 100).engine.load.messages == 3)
    }

    @Test func timesOfThoseThatHaveLeftDoNotGather() {
        var desk = lineOfThrottledMessages(1...5_000)
        #expect(desk.engine.load.messages == 2)
        #expect(desk.engine.load.wakes <= DeliveryEngine.leastWakes)
        desk.advance(60_000)
        #expect(desk.engine.takeEffects().reads.map(\.message.rawValue) == [1, 2])
    }

    @Test(arguments: [(.tokenThrottled, 100), (.serverBusy, 25)] as [(Verdict.TryLater, Int)])
    func tokensThatAreThrottledDoNotSlowDownTheirPool(_ why: Verdict.TryLater, _ count: Int) {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...200)
        desk.complete(desk.pull(100), .tryLater(why, afterMilliseconds: 30_000))
        desk.advance(1_000)
        #expect(desk.pull(100).count == count)
    }

    // MARK: Pools that cannot be reached

    @Test func aFewDevicesInASandboxThatCannotBeReachedDoNotStopAFanOut() {
        var desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1, lane: .bulk), at: desk.now)
        func send() -> [String] {
            var sent: [String] = []
            while case let reads = desk.write().reads, !reads.isEmpty {
                for read in reads {
                    let device = UInt64(read.page) + 1
                    let rows = [EngineDesk.Row(device: device), .init(device: device + 100, environment: .sandbox)]
                    desk.engine.pageRead(
                        EngineDesk.page(rows, of: 1, read.page, isLast: device == 50), read, at: desk.now)
                }
                let deliveries = desk.pull(99)
                sent += deliveries.words
                desk.complete(deliveries, .delivered)
            }
            return sent
        }
        func wait(_ seconds: Int) {
            for _ in 0..<seconds {
                desk.advance(1_000)
                desk.engine.expirePassed(at: desk.now)
            }
        }
        #expect(send() == ["1>1", "1>2"], "two pages at a time")
        wait(4)
        #expect(send().isEmpty, "the sandbox may yet ask")
        wait(2)
        #expect(send() == (3...50).map { "1>\($0)" })
        #expect(desk.pull(99, for: EngineDesk.sandbox).words == (101...150).map { "1>\($0)" })
        #expect(desk.engine.absent.isEmpty)
    }

    @Test func aPoolThatCannotBeReachedKeepsNoPlaceOfTheOther() {
        var desk = EngineDesk()
        func read() {
            while case let reads = desk.write().reads, !reads.isEmpty {
                for read in reads {
                    let environment: Environment = read.message.rawValue <= 2_000 ? .sandbox : .production
                    desk.engine.pageRead(
                        EngineDesk.page(
                            [.init(device: read.message.rawValue, environment: environment)], of: read.message.rawValue,
                            isLast: true),
                        read, at: desk.now)
                }
            }
        }
        for id: UInt64 in 1...1_024 {
            desk.engine.messageAccepted(
                EngineDesk.entry(id, notAfter: desk.now.wall.milliseconds + 60_000), at: desk.now)
        }
        read()
        #expect(desk.engine.load.messages == 1_024)
        desk.engine.poolUnreachable(EngineDesk.sandbox, at: desk.now)
        #expect(desk.engine.load.messages == 0)
        desk.engine.messageAccepted(EngineDesk.entry(2_001), at: desk.now)
        read()
        #expect(desk.pull(9).words == ["2001>2001"])

        // At the end of their time they come back and end.
        desk.advance(60_001)
        #expect(desk.engine.takeEffects().messages.map(\.after) == [nil])
        desk.engine.messagesRead(
            [EngineDesk.entry(1, notAfter: desk.now.wall.milliseconds - 1)], of: EngineDesk.queue, wasLast: true,
            at: desk.now)
        desk.hand([.init(device: 1, environment: .sandbox)], of: 1)
        #expect(desk.records() == ["1.0: 0 expired"])
    }

    @Test func whatWasLetGoOfIsSentWhenThePoolIsReached() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: [.init(device: 1, environment: .sandbox)])
        desk.engine.poolUnreachable(EngineDesk.sandbox, at: desk.now)
        #expect(desk.pull(9, for: EngineDesk.sandbox).isEmpty)
        #expect(desk.engine.load.messages == 0)
        desk.engine.poolReachable(EngineDesk.sandbox, at: desk.now)
        #expect(desk.engine.takeEffects().readsQueues)
        desk.engine.queuesRead([EngineDesk.queue])
        for read in desk.engine.takeEffects().messages {
            desk.engine.messagesRead([EngineDesk.entry(1)], of: read.queue, wasLast: true, at: desk.now)
        }
        desk.hand([.init(device: 1, environment: .sandbox)], of: 1)
        #expect(desk.pull(9, for: EngineDesk.sandbox).words == ["1>1"])
    }

    @Test func nobodyIsQuarantinedBecauseTheOtherEnvironmentCannotBeAsked() {
        var desk = EngineDesk()
        desk.engine.poolUnreachable(EngineDesk.sandbox, at: desk.now)
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), .refused(.badToken, deadSince: nil))
        let entries = desk.write().records.flatMap(\.entries)
        #expect(entries == [.init(position: 0, outcome: .badToken)])
    }

    @Test func aPoolWithoutWorkIsNotAbsent() {
        var desk = EngineDesk()
        for _ in 0..<20 {
            desk.advance(1_000)
            desk.engine.expirePassed(at: desk.now)
        }
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.engine.expirePassed(at: desk.now)
        #expect(desk.engine.absent.isEmpty)
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
