import CarillonCore
import Testing

@testable import CarillonDelivery

/// No message waits because of another app's or another pool's fault.
///
/// `1>7`: message 1 is on its way to device 7. `1.0: 3 delivered`: the recipient at position 3 of page 0 of message 1
/// has this outcome.
struct EngineFairnessTests {
    private static let chat = PoolKey(destination: .apnsProduction, credential: "chat")
    private static let routes = Routes([
        EngineHarness.app: [.apnsProduction: EngineHarness.production, .apnsSandbox: EngineHarness.sandbox],
        EngineHarness.otherApp: [.apnsProduction: chat],
    ])

    /// Reads whatever the engine asks for; each message has one page of a single device.
    private func readAll(_ harness: inout EngineHarness) {
        while true {
            let reads = harness.takeActions().reads
            if reads.isEmpty { return }
            for read in reads {
                harness.engine.pageRead(
                    EngineHarness.page(1...1, of: read.message.rawValue, read.page, isLast: true), read, at: harness.now
                )
            }
        }
    }

    @Test(arguments: Lane.allCases) func aPoolThatCannotBeReachedKeepsNoOtherAppWaiting(_ lane: Lane) {
        var limits = DeliveryEngine.EngineLimits()
        limits.messages = 200
        var harness = EngineHarness(routes: Self.routes, limits: limits)
        for id: UInt64 in 1...5_000 {
            harness.engine.messageAccepted(EngineHarness.entry(id, lane: lane), at: harness.now)
            readAll(&harness)
        }
        #expect(harness.engine.load.messages == 100)
        harness.engine.messageAccepted(
            EngineHarness.entry(5_001, app: EngineHarness.otherApp, lane: lane), at: harness.now)
        readAll(&harness)
        #expect(harness.pull(9, for: Self.chat).transcript == ["5001>1"])
    }

    @Test func anInteractiveMessageDoesNotWaitForTheOutcomesOfAFanOut() {
        var limits = DeliveryEngine.EngineLimits()
        limits.unrecorded = 16
        var harness = EngineHarness(limits: limits)
        harness.send(EngineHarness.entry(1, lane: .bulk), to: 1...100)
        #expect(harness.pull(9, bulkLimit: 4).count == 4)
        #expect(harness.pull(99).count == 10, "an eighth of the outcomes is kept")
        #expect(harness.pull(99).isEmpty)
        harness.send(EngineHarness.entry(2), to: 1...1)
        #expect(harness.pull(9, bulkLimit: 0).transcript == ["2>1"])
    }

    @Test func aPullOfBothLanesLeavesAnEighthOfTheOutcomesToTheInteractiveOne() {
        var limits = DeliveryEngine.EngineLimits()
        limits.unrecorded = 16
        var harness = EngineHarness(limits: limits)
        harness.send(EngineHarness.entry(1, lane: .bulk), to: 1...100)
        harness.send(EngineHarness.entry(2), to: 1...4)
        #expect(harness.pull(99).count == 14)
    }

    @Test func anInteractiveMessageDoesNotWaitForTheOutcomesOfACancelledFanOut() {
        var limits = DeliveryEngine.EngineLimits()
        limits.unrecorded = 16
        var harness = EngineHarness(limits: limits)
        harness.send(EngineHarness.entry(1, lane: .bulk), to: 1...100)
        harness.engine.cancel(MessageID(rawValue: 1), at: harness.now)
        #expect(harness.records().count == 100)
        harness.send(EngineHarness.entry(2), to: 1...1)
        #expect(harness.pull(9).transcript == ["2>1"])
    }

    /// Has at most `limit` pages read, and returns the ids of their messages; every message has three.
    private func readPages(_ limit: Int, of harness: inout EngineHarness) -> [UInt64] {
        var messages: [UInt64] = []
        while messages.count < limit, case let reads = harness.takeActions().reads, !reads.isEmpty {
            for read in reads {
                messages.append(read.message.rawValue)
                let page = EngineHarness.page(1...1, of: read.message.rawValue, read.page, isLast: read.page == 2)
                harness.engine.pageRead(page, read, at: harness.now)
            }
            harness.complete(harness.pull(99), .delivered)
            harness.advance(100)
        }
        return messages
    }

    @Test(arguments: [false, true]) func aNewMessageIsReadBeforeAllOthersHaveHadATurn(_ areCancelled: Bool) {
        var harness = EngineHarness()
        for id: UInt64 in 1...100 {
            harness.engine.messageAccepted(EngineHarness.entry(id, lane: .bulk), at: harness.now)
        }
        if areCancelled {
            for id: UInt64 in 1...100 { harness.engine.cancel(MessageID(rawValue: id), at: harness.now) }
        } else {
            #expect(Set(readPages(200, of: &harness)).count == 100, "each has begun")
        }
        harness.engine.messageAccepted(EngineHarness.entry(101, lane: .bulk), at: harness.now)
        #expect(readPages(20, of: &harness).contains(101))
    }

    @Test func aFanOutGetsEverySecondReadWhileNewMessagesArrive() {
        var limits = DeliveryEngine.EngineLimits()
        limits.concurrentReads = 1
        var harness = EngineHarness(limits: limits)
        harness.engine.messageAccepted(EngineHarness.entry(1), at: harness.now)
        var order: [UInt64] = []
        for id: UInt64 in 2...9 {
            harness.engine.messageAccepted(EngineHarness.entry(id), at: harness.now)
            for read in harness.takeActions().reads {
                order.append(read.message.rawValue)
                let page = EngineHarness.page(
                    1...1, of: read.message.rawValue, read.page, isLast: read.message.rawValue != 1)
                harness.engine.pageRead(page, read, at: harness.now)
            }
            harness.complete(harness.pull(9), .delivered)
        }
        #expect(order == [1, 1, 2, 1, 3, 1, 4, 1])
    }

    @Test func aFanOutWhosePagesAreReadAgainLeavesAReadToAnInteractiveMessage() {
        var limits = DeliveryEngine.EngineLimits()
        limits.concurrentReads = 4
        limits.pagesPerMessage = 8
        var harness = EngineHarness(limits: limits)
        harness.engine.messageAccepted(EngineHarness.entry(1, lane: .bulk), at: harness.now)
        for _ in 1...6 { harness.pageRead([.init(device: 1)], of: 1, isLast: false) }
        harness.engine.allDevicesChanged()
        #expect(harness.pull(99).isEmpty)
        harness.engine.messageAccepted(EngineHarness.entry(2), at: harness.now)
        #expect(harness.engine.takeActions().reads.count { $0.message.rawValue == 2 } == 1)
    }

    // MARK: Messages that wait for a time

    /// Makes a queue of eight messages at most; each goes to one device, and the provider asks to retry half a minute
    /// later.
    private func queueOfThrottledMessages(_ ids: ClosedRange<UInt64>, pace: UInt32? = nil) -> EngineHarness {
        var limits = DeliveryEngine.EngineLimits()
        limits.messages = 16
        limits.messagesPerQueue = 1
        var harness = EngineHarness(limits: limits)
        for id in ids {
            harness.send(EngineHarness.entry(id, pace: pace), to: id...id)
            harness.complete(harness.pull(9), .tryLater(.tokenThrottled, afterMilliseconds: 30_000))
            _ = harness.takeActions()
        }
        return harness
    }

    @Test func messagesWhoseRetryIsDueLaterLeaveTheirRoomToOthers() throws {
        var harness = queueOfThrottledMessages(1...9)
        #expect(harness.engine.load.messages == 2)
        #expect(harness.engine.load.suspended == 2)
        harness.send(EngineHarness.entry(10), to: 10...10)
        #expect(harness.pull(9).transcript == ["10>10"])

        // Those in memory wake by themselves, the others are read again.
        harness.advance(30_001)
        var actions = harness.engine.takeActions()
        #expect(actions.reads.map(\.message.rawValue) == [1, 2])
        let request = try #require(actions.messages.first)
        #expect(request.after == nil)
        harness.engine.messagesRead(
            (1...9).map { EngineHarness.entry($0) }, of: EngineHarness.queue, isEnd: true, at: harness.now)
        while !actions.reads.isEmpty {
            for read in actions.reads {
                let device = read.message.rawValue
                harness.engine.pageRead(
                    EngineHarness.page(device...device, of: device, isLast: true), read, at: harness.now)
            }
            actions = harness.engine.takeActions()
        }
        #expect(Set(harness.pull(99).transcript) == Set((1...9).map { "\($0)>\($0)" }))
    }

    @Test func aQueueIsReadAgainWhenAMessageOfItIsDueAndNotBefore() {
        var harness = queueOfThrottledMessages(1...4)
        harness.advance(30_001)
        #expect(harness.engine.takeActions().messages.count == 1)
        harness.engine.messagesRead([EngineHarness.entry(3)], of: EngineHarness.queue, isEnd: true, at: harness.now)
        let due = harness.now.wall.advanced(byMilliseconds: 1_000)
        harness.pageRead([.init(device: 3, attempts: 1, dueAt: due)], of: 3)
        #expect(harness.engine.load.messages == 2, "not due yet: it has left again")
        harness.advance(29_999)
        #expect(harness.engine.takeActions().messages.isEmpty)
        harness.advance(1)
        #expect(harness.engine.takeActions().messages.count == 1)
    }

    @Test(arguments: [0, 20_000, 40_000, .max - EngineHarness().now.wall.milliseconds] as [UInt64])
    func aMessageIsReadAgainAtItsRetryOrItsExpiryWhicheverComesFirst(_ left: UInt64) {
        var harness = queueOfThrottledMessages(1...2)
        let due = harness.now.wall.advanced(byMilliseconds: 30_000)
        harness.send(
            EngineHarness.entry(3, notAfter: harness.now.wall.milliseconds + left), to: [.init(device: 3, dueAt: due)])
        let at = harness.now.uptime + min(30_000, left) + 1
        #expect(harness.engine.messages.rereadAt == at)
    }

    @Test func aMessageWithAPaceStaysInMemoryWhileItsRecipientsWait() {
        #expect(queueOfThrottledMessages(1...3, pace: 100).engine.load.messages == 3)
    }

    @Test func timersOfRemovedMessagesDoNotAccumulate() {
        var harness = queueOfThrottledMessages(1...5_000)
        #expect(harness.engine.load.messages == 2)
        #expect(harness.engine.load.timers <= PageCache.minimumTimersBeforeRemoval)
        harness.advance(60_000)
        #expect(harness.engine.takeActions().reads.map(\.message.rawValue) == [1, 2])
    }

    @Test(
        arguments: [
            (reason: .tokenThrottled, deliveries: 100), (reason: .serverBusy, deliveries: 25),
        ] as [(reason: Verdict.TryLater, deliveries: Int)])
    func aBusyServerSlowsItsPoolDownAndAThrottledTokenDoesNot(reason: Verdict.TryLater, deliveries: Int) {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1), to: 1...200)
        harness.complete(harness.pull(100), .tryLater(reason, afterMilliseconds: 30_000))
        harness.advance(1_000)
        #expect(harness.pull(100).count == deliveries)
    }

    // MARK: Pools that cannot be reached

    @Test func aFewDevicesInASandboxThatCannotBeReachedDoNotStopAFanOut() {
        var harness = EngineHarness()
        harness.engine.messageAccepted(EngineHarness.entry(1, lane: .bulk), at: harness.now)
        func send() -> [String] {
            var sent: [String] = []
            while case let reads = harness.takeActions().reads, !reads.isEmpty {
                for read in reads {
                    let device = UInt64(read.page) + 1
                    let recipients = [
                        EngineHarness.Recipient(device: device), .init(device: device + 100, environment: .sandbox),
                    ]
                    harness.engine.pageRead(
                        EngineHarness.page(recipients, of: 1, read.page, isLast: device == 50), read, at: harness.now)
                }
                let deliveries = harness.pull(99)
                sent += deliveries.transcript
                harness.complete(deliveries, .delivered)
            }
            return sent
        }
        func wait(_ seconds: Int) {
            for _ in 0..<seconds {
                harness.advance(1_000)
                harness.engine.expirePassed(at: harness.now)
            }
        }
        #expect(send() == ["1>1", "1>2"], "two pages at a time")
        wait(4)
        #expect(send().isEmpty, "the sandbox may yet ask")
        wait(2)
        #expect(send() == (3...50).map { "1>\($0)" })
        #expect(harness.pull(99, for: EngineHarness.sandbox).transcript == (101...150).map { "1>\($0)" })
        #expect(harness.engine.pools.gates.absent.isEmpty)
    }

    @Test func messagesOfAnUnreachablePoolLeaveTheMemoryToTheOtherPool() {
        var harness = EngineHarness()
        func read() {
            while case let reads = harness.takeActions().reads, !reads.isEmpty {
                for read in reads {
                    let environment: APNsEnvironment = read.message.rawValue <= 2_000 ? .sandbox : .production
                    harness.engine.pageRead(
                        EngineHarness.page(
                            [.init(device: read.message.rawValue, environment: environment)], of: read.message.rawValue,
                            isLast: true),
                        read, at: harness.now)
                }
            }
        }
        for id: UInt64 in 1...1_024 {
            harness.engine.messageAccepted(
                EngineHarness.entry(id, notAfter: harness.now.wall.milliseconds + 60_000), at: harness.now)
        }
        read()
        #expect(harness.engine.load.messages == 1_024)
        harness.engine.poolUnreachable(EngineHarness.sandbox, at: harness.now)
        #expect(harness.engine.load.messages == 0)
        harness.engine.messageAccepted(EngineHarness.entry(2_001), at: harness.now)
        read()
        #expect(harness.pull(9).transcript == ["2001>2001"])

        // At the end of their time they come back and end.
        harness.advance(60_001)
        #expect(harness.engine.takeActions().messages.map(\.after) == [nil])
        harness.engine.messagesRead(
            [EngineHarness.entry(1, notAfter: harness.now.wall.milliseconds - 1)], of: EngineHarness.queue,
            isEnd: true,
            at: harness.now)
        harness.pageRead([.init(device: 1, environment: .sandbox)], of: 1)
        #expect(harness.records() == ["1.0: 0 expired"])
    }

    @Test func recipientsLeftOnDiskAreSentToWhenTheirPoolIsReachable() {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1), to: [.init(device: 1, environment: .sandbox)])
        harness.engine.poolUnreachable(EngineHarness.sandbox, at: harness.now)
        #expect(harness.pull(9, for: EngineHarness.sandbox).isEmpty)
        #expect(harness.engine.load.messages == 0)
        harness.engine.poolReachable(EngineHarness.sandbox, at: harness.now)
        #expect(harness.engine.takeActions().readsQueues)
        harness.engine.queuesRead([EngineHarness.queue])
        for read in harness.engine.takeActions().messages {
            harness.engine.messagesRead([EngineHarness.entry(1)], of: read.queue, isEnd: true, at: harness.now)
        }
        harness.pageRead([.init(device: 1, environment: .sandbox)], of: 1)
        #expect(harness.pull(9, for: EngineHarness.sandbox).transcript == ["1>1"])
    }

    @Test func aBadTokenIsNotCalledDeadWhileTheOtherEnvironmentIsUnreachable() {
        var harness = EngineHarness()
        harness.engine.poolUnreachable(EngineHarness.sandbox, at: harness.now)
        harness.send(EngineHarness.entry(1), to: 1...1)
        harness.complete(harness.pull(1), .refused(.badToken, deadSince: nil))
        let entries = harness.takeActions().records.flatMap(\.entries)
        #expect(entries == [.init(position: 0, outcome: .badToken)])
    }

    @Test func aPoolThatHadNoWorkDoesNotCountAsAbsent() {
        var harness = EngineHarness()
        for _ in 0..<20 {
            harness.advance(1_000)
            harness.engine.expirePassed(at: harness.now)
        }
        harness.send(EngineHarness.entry(1), to: 1...1)
        harness.engine.expirePassed(at: harness.now)
        #expect(harness.engine.pools.gates.absent.isEmpty)
    }

    // MARK: Credentials

    @Test func aRestartedPoolSendsEverythingThatWasLeftPending() {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        harness.send(EngineHarness.entry(2), to: 1...1)
        let deliveries = harness.pull(1)
        harness.refuseCredential()
        harness.complete(deliveries, .credentialRefused)
        #expect(harness.pull(9).isEmpty)
        _ = harness.takeActions()
        #expect(harness.engine.load.messages == 1, "one waits for the other pool")

        harness.engine.poolRestarted(EngineHarness.production, at: harness.now)
        let actions = harness.engine.takeActions()
        #expect(actions.readsQueues)
        #expect(actions.messages.map(\.after) == [nil])
        let entries = [EngineHarness.entry(1), EngineHarness.entry(2)]
        harness.engine.messagesRead(entries, of: EngineHarness.queue, isEnd: true, at: harness.now)
        for read in actions.reads + harness.engine.takeActions().reads {
            let recipients =
                [EngineHarness.Recipient(device: 1)]
                + (read.message.rawValue == 1 ? [.init(device: 2, environment: .sandbox)] : [])
            harness.engine.pageRead(
                EngineHarness.page(recipients, of: read.message.rawValue, isLast: true), read, at: harness.now)
        }
        #expect(harness.pull(9).transcript == ["1>1", "2>1"])
        #expect(harness.pull(9, for: EngineHarness.sandbox).transcript == ["1>2"])
    }

    @Test func pendingRecipientsAreReadAgainWhenAnotherCredentialServesTheApp() {
        var harness = EngineHarness()
        let renewed = PoolKey(destination: .apnsProduction, credential: "renewed")
        harness.refuseCredential()
        harness.send(EngineHarness.entry(1), to: 1...1)
        #expect(harness.engine.load.messages == 0)
        harness.engine.routesChanged(Routes([EngineHarness.app: [.apnsProduction: renewed]]), at: harness.now)
        #expect(harness.engine.takeActions().readsQueues)
        harness.engine.queuesRead([EngineHarness.queue])
        for read in harness.engine.takeActions().messages {
            harness.engine.messagesRead([EngineHarness.entry(1)], of: read.queue, isEnd: true, at: harness.now)
        }
        harness.pageRead([.init(device: 1)], of: 1)
        #expect(harness.pull(9, for: renewed).transcript == ["1>1"])
    }
}
