import CarillonCore
import CarillonDelivery
import Testing

/// Live audiences, read page by page, and pages that leave the memory until one of their recipients is due.
///
/// `1>7` is message 1 on its way to device 7; `page 1.0` is the first page of message 1.
struct DeliveryEngineAudienceTests {
    private static func addressed(_ offsets: UInt16...) -> AddressedChunk {
        AddressedChunk(ChunkBits(ascending: offsets) ?? ChunkBits())
    }

    // MARK: Live

    @Test func `a message to a live audience finishes when all outcomes are on disk`() {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1, isLive: true), at: harness.now)
        let read = harness.engine.takeActions().pageReads[0]
        let page = EngineHarness.page([.init(device: 4)], of: 1, 3, addressed: Self.addressed(0))
        harness.engine.pageRead(page, for: read, at: harness.now)
        let next = harness.engine.takeActions().pageReads
        #expect(next.map(\.page) == [4])
        harness.engine.pageRead(nil, for: next[0], at: harness.now)
        harness.complete(harness.pull(1), .delivered)
        let actions = harness.engine.takeActions()
        #expect(actions.records.map(\.addressed) == [Self.addressed(0)])
        #expect(actions.records.map(\.firstPendingPage) == [3])
        #expect(actions.finishedMessages.isEmpty)
        harness.engine.recordWritten(actions.records[0], at: harness.now)
        #expect(harness.engine.takeActions().finishedMessages == [MessageID(rawValue: 1)])
    }

    @Test func `a message to an empty live audience finishes at once`() {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1, isLive: true, firstPendingPage: 7), at: harness.now)
        #expect(harness.engine.takeActions().pageReads.map(\.page) == [7])
        harness = EngineHarness()
        harness.engine.messageAccepted(.message(1, isLive: true), at: harness.now)
        harness.pageRead(nil, of: 1)
        #expect(harness.engine.takeActions().finishedMessages == [MessageID(rawValue: 1)])
    }

    @Test func `the floor rises with the pages that have ended`() {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1), at: harness.now)
        harness.pageRead([.init(device: 1)], of: 1, isLast: false)
        harness.pageRead([.init(device: 2)], of: 1, isLast: false)
        let deliveries = harness.pull(2)
        harness.complete([deliveries[1]], .delivered)
        let actions = harness.takeActions()
        #expect(actions.records.map(\.firstPendingPage) == [0])
        harness.engine.pageRead(
            EngineHarness.page(3...3, of: 1, 2, isLast: true), for: actions.pageReads[0], at: harness.now)
        harness.complete([deliveries[0]], .delivered)
        #expect(harness.takeActions().records.map(\.firstPendingPage) == [0])
        harness.complete(harness.pull(1), .delivered)
        #expect(harness.takeActions().records.map(\.firstPendingPage) == [2])
    }

    @Test func `the floor stays at a page with a recipient kept on disk`() {
        var harness = EngineHarness()
        harness.refuseCredential(of: .sandbox)
        harness.engine.messageAccepted(.message(1, isLive: true), at: harness.now)
        harness.pageRead([.init(device: 1, environment: .sandbox)], of: 1, isLast: false)
        harness.pageRead([.init(device: 2)], of: 1)
        harness.complete(harness.pull(1), .delivered)
        let actions = harness.takeActions()
        #expect(actions.records.map(\.firstPendingPage) == [0])
        #expect(harness.engine.takeActions().finishedMessages.isEmpty)
        #expect(harness.engine.load.messages == 0)
    }

    @Test func `a page addresses the devices of its first read`() {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1, isLive: true), at: harness.now)
        let read = harness.engine.takeActions().pageReads[0]
        let recipients = [EngineHarness.Recipient(device: 1), .init(device: 2), .init(device: 3)]
        harness.engine.pageRead(
            EngineHarness.page(recipients, of: 1, addressed: Self.addressed(0, 1, 2), isLast: true), for: read,
            at: harness.now)
        let deliveries = harness.pull(1)
        // Nothing is on disk yet, so the second read returns the devices that are in the audience by then.
        harness.engine.deviceChanged(DeviceID(rawValue: 2), of: EngineHarness.app)
        #expect(harness.pull(1).transcript == ["1>3"])
        let again = harness.engine.takeActions().pageReads[0]
        harness.engine.pageRead(
            EngineHarness.page([recipients[2]], of: 1, from: 2, addressed: Self.addressed(2)), for: again,
            at: harness.now)
        harness.complete(deliveries, .notProcessed)
        let records = harness.engine.takeActions().records
        #expect(records.transcript.sorted() == ["page 1.0, recipient 0: left", "page 1.0, recipient 1: left"])
        #expect(records.allSatisfy { $0.addressed == Self.addressed(0, 1, 2) })
    }

    // MARK: Suspended

    @Test func `a page whose recipients all wait is read again when one is due`() throws {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        harness.complete(harness.pull(1), .unknown)
        harness.complete(harness.pull(1), .tryLater(.throttled, afterMilliseconds: nil))
        #expect(harness.engine.load.recipients == 2)
        let delays = harness.takeActions().records.flatMap(\.delays)
        #expect(delays.map(\.attempts) == [1, 1])
        #expect(harness.engine.load.recipients == 0)
        #expect(harness.engine.load.suspended == 1)

        let due = try #require(harness.engine.deadline)
        harness.advance(due - harness.now.uptime)
        #expect(harness.now.wall == delays[0].dueAt)
        let recipients = delays.enumerated().map { index, delay in
            EngineHarness.Recipient(device: UInt64(index) + 1, attempts: delay.attempts, dueAt: delay.dueAt)
        }
        harness.pageRead(recipients, of: 1)
        #expect(harness.pull(9).transcript == ["1>1"])
    }

    @Test func `after a restart attempts and due times are kept`() {
        var backoffs = ProviderBackoffs()
        backoffs.busy.maximumAttempts = 3
        backoffs.throttled.maximumAttempts = 3
        var policy = RetryPolicy(providers: [.apns: backoffs])
        policy.unknown.maximumAttempts = 3
        var harness = EngineHarness(policy: policy)
        let due = harness.now.wall.later(byMilliseconds: 5_000)
        harness.send(
            .message(1), to: [.init(device: 1, attempts: 2), .init(device: 2, attempts: 1, dueAt: due)])
        let first = harness.pull(9)
        #expect(first.transcript == ["1>1"])
        harness.complete(first, .unknown)
        #expect(harness.takeActions().records.transcript == ["page 1.0, recipient 0: gave-up"])
        harness.advance(4_999)
        #expect(harness.engine.takeActions().pageReads.isEmpty)
        harness.advance(1)
        harness.pageRead([.init(device: 2, attempts: 1, dueAt: due)], of: 1)
        #expect(harness.pull(9).transcript == ["1>2"])
    }

    @Test func `a delay ends although the wall clock was set back`() {
        var harness = EngineHarness()
        let tenDays = harness.now.wall.later(byMilliseconds: 10 * 24 * 3_600_000)
        harness.send(.message(1), to: [.init(device: 1, attempts: 1, dueAt: tenDays)])
        #expect(harness.pull(9).transcript == ["1>1"])
    }

    @Test func `beyond the bound of suspended pages only due ones are read`() {
        var limits = DeliveryEngine.Limits()
        limits.suspendedPages = 1
        var harness = EngineHarness(limits: limits)
        harness.engine.messageAccepted(.message(1), at: harness.now)
        harness.pageRead([.init(device: 1)], of: 1, isLast: false)
        harness.engine.messageAccepted(.message(2), at: harness.now)
        harness.complete(harness.pull(1), .unknown)
        let actions = harness.takeActions()
        for read in actions.pageReads { harness.engine.pageRead(nil, for: read, at: harness.now) }
        #expect(harness.engine.load.suspended == 1)
        harness.engine.messageAccepted(.message(3), at: harness.now)
        #expect(harness.engine.takeActions().pageReads.isEmpty)
        // The recipient of message 1 is due: its page is read. No page is suspended any more, so message 3 follows.
        harness.advance(1_000)
        #expect(harness.engine.takeActions().pageReads.map(\.message.rawValue) == [1, 3])
    }
}
