import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Dispatch
import Synchronization
import Testing

@testable import CarillonRegistry

/// The outbox: its queues, and the pages of recipients that the engine reads (Protocol 10.4). The pages of a live
/// audience are taken one by one while the message is sent.
struct LMDBRegistryOutboxTests {
    private let scratch = RegistryDirectory()
    private let first = messageID(1)
    private static let queue = OutboxQueue(lane: .interactive, app: game)

    private func accepted(_ number: UInt64, total: UInt32, ended: UInt32) -> SendResult {
        SendResult(id: messageID(number), isDuplicate: false, total: total, ended: ended)
    }

    @Test func `the stored entry is the accepted one`() throws {
        let registry = try scratch.open()
        let sent = Message(
            idempotencyKey: UUIDBytes(high: 1, low: 2),
            content: MessageContent(
                app: game,
                pushType: .alert,
                priority: .powerAware,
                expiration: .at(seconds: 77),
                collapseID: "score",
                payload: Array("{}".utf8)
            ),
            audience: .devices([byToken(1)]),
            notAfter: timestamp(5_000),
            lane: .bulk
        )
        let answers = try registry.apply([.register(1), .accept(sent, now: timestamp(1_000))])
        let entry = OutboundMessage(
            id: messageID(1),
            content: sent.content,
            sendableSince: timestamp(1_000),
            notAfter: timestamp(5_000),
            lane: .bulk
        )
        #expect(answers[1] == .accepted(accepted(1, total: 1, ended: 0), outbound: entry))
        #expect(try registry.outboxQueues() == [entry.queue])
        #expect(try registry.unfinishedMessages(in: entry.queue, after: nil, limit: 10).messages == [entry])
    }

    @Test func `a page of the outbox says whether more messages follow`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        let queue = try #require(try registry.outboxQueues().first)
        let entry = try #require(try registry.unfinishedMessages(in: queue, after: nil, limit: 10).messages.first)
        #expect(try registry.unfinishedMessages(in: queue, after: entry.id, limit: 10) == OutboxPage(isEnd: true))
        #expect(try registry.unfinishedMessages(in: queue, after: nil, limit: 0) == OutboxPage(isEnd: false))
        let other = OutboxQueue(lane: queue.lane == .bulk ? .interactive : .bulk, app: game)
        #expect(try registry.unfinishedMessages(in: other, after: nil, limit: 10) == OutboxPage(isEnd: true))
    }

    @Test func `an unreadable message does not stop its queue`() throws {
        try scratch.acceptMessages(4)
        try scratch.corruptMessage(2)
        try scratch.corruptMessage(4)
        let registry = try scratch.open()
        let first = try registry.unfinishedMessages(in: Self.queue, after: nil, limit: 2)
        #expect(first.messages.map(\.id) == [messageID(1)])
        #expect(first.unreadable == [UnreadableMessage(id: messageID(2), reason: "messages: an unknown version")])
        #expect(first.last == messageID(2))
        #expect(!first.isEnd)
        let second = try registry.unfinishedMessages(in: Self.queue, after: first.last, limit: 3)
        #expect(second.messages.map(\.id) == [messageID(3)])
        #expect(second.unreadable.map(\.id) == [messageID(4)])
        #expect(second.last == messageID(4))
        #expect(second.isEnd)
    }

    @Test func `an unreadable app does not stop the others`() throws {
        try scratch.acceptMessages(1)
        let other = AppID("com.example.other")!
        let first = try scratch.open()
        var message = Message.sample(to: .all)
        message.content.app = other
        try first.apply([
            .register(Registration(app: other, address: address(1)), now: timestamp(1_000)),
            .accept(message, now: timestamp(1_000)),
        ])
        first.close()
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                try transaction.put(([99] as [UInt8]).span, for: Array(game.name.utf8).span, in: tables.apps.database)
            }
        }
        let reported = UnreadableReports()
        #expect(
            try scratch.open { $0.onUnreadable = reported.record }.outboxQueues() == [
                OutboxQueue(lane: .interactive, app: other)
            ])
        #expect(
            reported.take() == [
                "a row of apps: apps: an unknown version", "outbox: messages of app number 1, which is unknown",
            ])
    }

    // MARK: Pages of recipients

    @Test func `pending recipients have the tokens of the moment`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .register(2), .register(3)])
        try registry.apply(
            .accept(.sample(to: [byToken(1), byToken(2), byToken(3), byToken(9)]), now: timestamp(1_000)))
        try registry.apply([.register(4, replaces: 1), .unregister(2), .recordOutcomes(of: 1, [(3, .delivered)])])
        let page = try #require(try registry.pendingRecipients(of: messageID(1), page: 0))
        #expect(page.recipients.map(\.position) == [1, 2])
        #expect(page.recipients.map(\.device) == [deviceID(1), deviceID(2)])
        #expect(page.recipients.map(\.finalOutcome) == [nil, .unregistered])
        #expect(page.withToken(at: 0) { Array($0) } == address(4).token.bytes)
        #expect(page.withToken(at: 1) { Array($0) } == [])
        #expect(try registry.pendingRecipients(of: messageID(1), page: 1) == nil)
        #expect(try registry.pendingRecipients(of: messageID(2), page: 0) == nil)
    }

    /// Devices 1 to 5 are registered: all other recipients have their outcome at once.
    @Test func `a long list is several pages`() throws {
        let registry = try scratch.open()
        try registry.apply((0..<5).map { Change.register($0) })
        let devices = (1...10_000).map { DeviceReference.id(deviceID($0)) }
        #expect(try registry.accept(.sample(to: devices)) == accepted(1, total: 10_000, ended: 9_995))
        let pages = try (0...3).map { try registry.pendingRecipients(of: first, page: $0)?.recipients.count }
        #expect(pages == [5, 0, 0, nil])
        #expect(try registry.verify() == [])
    }

    private func devicesWithOutcomes(_ registry: LMDBRegistry) throws -> [UInt64] {
        var (seen, cursor): ([UInt64], UInt64) = ([], 0)
        repeat {
            let page = try #require(try registry.outcomes(of: first, app: game, cursor: cursor, limit: 4_000))
            seen += page.recipients.compactMap(\.device?.rawValue)
            cursor = page.next
        } while cursor != 0
        return seen
    }

    @Test func `a message to all is read page by page`() throws {
        let registry = try scratch.open()
        try registry.registerDevices(1..<9_001)
        #expect(try registry.accept(.sample(to: .all))?.total == 9_000)
        #expect(try registry.unfinished().first?.isLive == true)
        var pages: [String] = []
        var page: UInt32 = 0
        while let read = try registry.nextPage(of: first, from: page) {
            pages.append("page \(read.number): \(read.recipients.count), is last: \(read.isLast)")
            #expect(try registry.end(read) == .outcomesRecorded(isFinished: false))
            #expect(try registry.status(of: first, app: game)?.total == 9_000)
            page = read.number + 1
        }
        let expected = [
            "page 0: 4095, is last: false", "page 1: 4096, is last: false", "page 2: 809, is last: true",
        ]
        #expect(pages == expected)
        #expect(try registry.unfinished().first?.firstPendingPage == 2)
        #expect(try devicesWithOutcomes(registry) == Array(1...9_000))
        #expect(try registry.verify() == [])
    }

    @Test func `a live message is finished when the engine says so`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .register(2)])
        try registry.accept(.sample(to: .all))
        try registry.endAllPages(of: first)
        #expect(try registry.unfinished().map(\.id) == [first])
        #expect(try registry.apply(.finish(first, now: timestamp(3_000))) == .messageChecked(isFinished: true))
        #expect(try registry.apply(.finish(first, now: timestamp(4_000))) == .messageChecked(isFinished: true))
        let status = try registry.status(of: first, app: game)
        #expect(status?.state == .finished)
        #expect(status?.finishedAt == timestamp(3_000), "the second end changes nothing")
        #expect(status?.outcomes == [.delivered: 2])
        #expect(try registry.unfinished() == [])
        #expect(try registry.nextPage(of: first, from: 0) == nil)
        #expect(try registry.verify() == [])
    }

    @Test func `a device that leaves between pages or registers later is not addressed`() throws {
        let registry = try scratch.open()
        try registry.registerDevices(1..<4_101, topics: ["a"])
        #expect(try registry.accept(.sample(to: .topic("a")))?.total == 4_100)
        let page = try #require(try registry.nextPage(of: first, from: 0))
        try registry.end(page)
        try registry.apply(.unsubscribe(["a"], devices: [.id(deviceID(4_100)), .id(deviceID(7))]))
        try registry.registerDevices(5_000..<5_010, topics: ["a"])
        let last = try #require(try registry.nextPage(of: first, from: 1))
        #expect(last.recipients.compactMap(\.device?.rawValue) == [4_096, 4_097, 4_098, 4_099])
        try registry.end(last)
        #expect(try registry.nextPage(of: first, from: 2) == nil)
        #expect(try registry.apply(.finish(first, now: timestamp(3_000))) == .messageChecked(isFinished: true))
        #expect(try registry.status(of: first, app: game)?.total == 4_099)
        #expect(try registry.verify() == [])
    }

    @Test func `a device that leaves a fixed page ends as removed`() throws {
        let other = try scratch.open()
        try other.apply([
            .register(1, groups: ["g"]), .register(2, groups: ["g"]),
            .register(3, groups: ["g"]), .register(4, groups: ["g"]),
            .register(5),
        ])
        try other.accept(.sample(to: .groups(["g"])))
        let page = try #require(try other.nextPage(of: first, from: 0))
        try other.end(page, upTo: 1)
        try other.apply([
            .leave("g", devices: [byToken(2)]), .unregister(3), .join("g", devices: [byToken(5)]), .mute("g"),
        ])
        other.close()

        let registry = try scratch.open()
        let again = try #require(try registry.nextPage(of: first, from: 0))
        #expect(again.recipients.map(\.device) == [deviceID(2), deviceID(3), deviceID(4)])
        #expect(again.recipients.map(\.finalOutcome) == [.left, .unregistered, .muted])
        #expect(again.addressed == page.addressed)
        #expect(try registry.pendingRecipients(of: first, page: 0)?.recipients == again.recipients)
        let early = try registry.apply(.finish(first, now: timestamp(3_000)))
        try registry.end(again)
        let late = try registry.apply(.finish(first, now: timestamp(3_000)))
        #expect([early, late] == [.messageChecked(isFinished: false), .messageChecked(isFinished: true)])
        let outcomes: [Outcome: UInt64] = [.delivered: 1, .left: 1, .unregistered: 1, .muted: 1]
        #expect(try registry.status(of: first, app: game)?.outcomes == outcomes)
        #expect(try registry.verify() == [])
    }

    @Test func `each device gets the body of its language`() throws {
        let registry = try scratch.open()
        let locales = ["zh-Hant-TW", "zh-Hans", "en-GB", "fr", nil]
        try registry.apply(
            locales.enumerated().map { Change.register(UInt8($0.offset + 1), locale: $0.element) })
        let bodies = ["zh-hant", "en", "zh"].map { LanguageBody(language: $0, payload: Array("{}".utf8)) }
        var message = Message.sample(to: .all, bodies: bodies)
        try registry.accept(message)
        let usual = try #require(try registry.nextPage(of: first, from: 0))
        #expect(usual.recipients.map(\.payloadIndex) == [1, 3, 2, 0, 0])
        #expect(usual.recipients.map(\.finalOutcome) == [nil, nil, nil, nil, nil])
        message.content.payload = []
        try registry.accept(message)
        let strict = try #require(try registry.nextPage(of: messageID(2), from: 0))
        #expect(strict.recipients.map(\.finalOutcome) == [nil, nil, nil, .noLanguage, .noLanguage])
        #expect(try registry.unfinished().map(\.content.bodies) == [bodies, bodies])
    }

    // MARK: Long searches

    /// Returns the next page, read by the writer while no snapshot is current.
    private func submittedNextPage(_ message: MessageID, in registry: LMDBRegistry) throws -> RecipientPage? {
        let read = Mutex<OutboxReads.PageRead?>(nil)
        let isRead = DispatchSemaphore(value: 0)
        registry.submitPageRead(of: message, page: 0, isNext: true) { page in
            read.withLock { $0 = page }
            isRead.signal()
        }
        isRead.wait()
        let page = try #require(read.withLock { $0 })
        return try page()
    }

    /// A search beyond the steps of the writer goes on in a snapshot.
    @Test(arguments: [(5, true), (8_192, false)])
    func `only a long search for a page waits for a checkpoint`(steps: Int, endsInASnapshot: Bool) throws {
        let registry = try scratch.open {
            ($0.checkpoints.idleCommitMilliseconds, $0.checkpoints.delayMilliseconds) = (3_600_000, 3_600_000)
            $0.maximumWriterSearchSteps = steps
        }
        try registry.registerDevices(1..<9_000, topics: ["a", "b"])
        try registry.registerDevices(9_000..<9_001, topics: ["a"])
        // Three chunks, and only the last one has a device that is not in both topics.
        let condition = try Condition("'a' in topics && !('b' in topics)")
        let live = try #require(try registry.accept(.sample(to: .condition(condition))))
        let list = (1...9_000).map { DeviceReference.id(deviceID($0)) }
        let listed = try #require(try registry.accept(.sample(to: list)))
        for _ in 0..<2 { try registry.end(try #require(try registry.nextPage(of: listed.id, from: 0))) }
        for message in [live.id, listed.id] {
            try registry.apply(.register(1))
            try #require(!registry.isSnapshotCurrent)
            let page = try #require(try submittedNextPage(message, in: registry))
            #expect(page.number == 2)
            #expect(page.recipients.last?.device == deviceID(9_000))
            #expect(registry.isSnapshotCurrent == endsInASnapshot)
            try registry.apply(.register(1))
            #expect(try registry.nextPage(of: message, from: 0)?.recipients == page.recipients)
        }
    }
}
