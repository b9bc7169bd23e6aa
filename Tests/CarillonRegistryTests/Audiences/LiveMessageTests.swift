import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Dispatch
import Synchronization
import Testing

/// Messages whose audience is taken page by page while they are sent.
struct LiveMessageTests {
    private let scratch = RegistryDirectory()
    private let first = MessageID(rawValue: 1)

    /// Registers devices with the ids `from ..< to`, in submissions of 1,000.
    private func register(_ ids: Range<Int>, in registry: LMDBRegistry, topics: [String] = []) throws {
        for start in stride(from: ids.lowerBound, to: ids.upperBound, by: 1_000) {
            _ = try registry.apply(
                (start..<min(start + 1_000, ids.upperBound)).map { number in
                    let token = DeviceToken([UInt8(number >> 16), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF), 9])!
                    let address = DeviceAddress(environment: .production, kind: .device, token: token)
                    let topics = topics.map { TopicName($0)! }
                    return .register(Registration(app: game, address: address, topics: topics), now: timestamp(1_000))
                })
        }
    }

    private func accept(_ message: Message, in registry: LMDBRegistry) throws -> Acceptance? {
        guard case .accepted(let acceptance, _) = try registry.apply(.accept(message, now: timestamp(1_000))) else {
            return nil
        }
        return acceptance
    }

    /// Returns the devices of all pages of outcomes.
    private func devicesWithOutcomes(_ registry: LMDBRegistry) throws -> [UInt64] {
        var (seen, cursor): ([UInt64], UInt64) = ([], 0)
        repeat {
            let page = try #require(try registry.outcomes(of: first, app: game, cursor: cursor, limit: 4_000))
            seen += page.recipients.compactMap(\.device?.rawValue)
            cursor = page.next
        } while cursor != 0
        return seen
    }

    /// Gives every recipient of a page an outcome: its ending, or `delivered`.
    private func end(_ page: RecipientPage, in registry: LMDBRegistry, upTo count: Int = .max) throws -> ChangeAnswer {
        let entries = page.recipients.prefix(count).map {
            OutcomeRecord.RecipientEnd(position: $0.position, outcome: $0.ending ?? .delivered)
        }
        let record = OutcomeRecord(
            message: page.message, page: page.number, entries: entries, addressed: page.addressed, floor: page.number)
        return try registry.apply(.recordOutcomes(record, now: timestamp(2_000)))
    }

    @Test func aMessageToAllGoesPageByPageAndFinishesWhenTheEngineSaysSo() throws {
        let registry = try scratch.open()
        try register(1..<9_001, in: registry)
        let total = try accept(.sample(toAll: .all), in: registry)?.total
        #expect(total == 9_000)
        #expect(try registry.unfinished().first?.isLive == true)
        var pages: [String] = []
        var page: UInt32 = 0
        while let read = try registry.nextPage(of: first, from: page) {
            let total = try registry.status(of: first, app: game)?.total
            let answer = try end(read, in: registry)
            pages.append("\(read.recipients.count) of \(total ?? 0), is last: \(read.isLast)")
            #expect(answer == .recorded(isFinished: false))
            page = read.number + 1
        }
        let floor = try registry.unfinished().first?.floor
        let expected = ["4095 of 9000, is last: false", "4096 of 9000, is last: false", "809 of 9000, is last: true"]
        #expect(pages == expected)
        #expect(floor == 2)
        // The second end changes nothing.
        let ends = try ([3_000, 4_000] as [UInt64]).map { try registry.apply(.finish(first, now: timestamp($0))) }
        #expect(ends == [.finished(isFinished: true), .finished(isFinished: true)])
        let status = try registry.status(of: first, app: game)
        #expect(status?.state == .finished)
        #expect(status?.finishedAt == timestamp(3_000))
        #expect(status?.outcomes == [.delivered: 9_000])
        #expect(try (registry.unfinished().count, registry.nextPage(of: first, from: 0)?.number) == (0, nil))
        #expect(try devicesWithOutcomes(registry) == Array(1...9_000))
        #expect(try registry.verify() == [])
    }

    /// Conditions of about 4,096 bytes, on both sides of the limit, and a short and a long one.
    @Test(arguments: [1, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 200])
    func aStatusHasTheTextOfTheCondition(terms: Int) throws {
        let registry = try scratch.open()
        try register(1..<3, in: registry, topics: ["100" + String(repeating: "t", count: 34)])
        let text = (0..<terms).map { "'\(String($0 + 100))\(String(repeating: "t", count: 34))' in topics" }
            .joined(separator: " || ")
        let condition = try Condition(text)
        _ = try accept(.sample(toAll: .condition(condition)), in: registry)
        let status = try #require(try registry.status(of: first, app: game))
        #expect(status.audience == condition.description(atMost: MessageStatus.audienceBytes))
        #expect((status.audience != nil) == (condition.description.utf8.count <= MessageStatus.audienceBytes))
    }

    @Test func aStatusWritesATopicAndAllDevicesAsACondition() throws {
        let registry = try scratch.open()
        try register(1..<3, in: registry, topics: ["news"])
        for (number, audience) in [Audience.topic("news"), .all].enumerated() {
            _ = try accept(.sample(toAll: audience), in: registry)
            let id = MessageID(rawValue: UInt64(number) + 1)
            let status = try #require(try registry.status(of: id, app: game))
            #expect(status.audience != nil)
            #expect(status.audience == audience.condition?.description)
        }
    }

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

    /// A long search does not take the writer: it goes on in a snapshot.
    @Test(arguments: [5, 8_192]) func onlyALongSearchForAPageWaitsForACheckpoint(steps: Int) throws {
        let registry = try scratch.open {
            ($0.checkpoints.idleCommitMilliseconds, $0.checkpoints.delayMilliseconds) = (3_600_000, 3_600_000)
            $0.writerSearchSteps = steps
        }
        try register(1..<9_000, in: registry, topics: ["a", "b"])
        try register(9_000..<9_001, in: registry, topics: ["a"])
        // Three chunks, and only the last one has a device that is not in both topics.
        let condition = try Condition("'a' in topics && !('b' in topics)")
        let live = try #require(try accept(.sample(toAll: .condition(condition)), in: registry))
        let list = (1...9_000).map { DeviceReference.id(deviceID($0)) }
        let listed = try #require(try accept(.sample(to: list), in: registry))
        for _ in 0..<2 { _ = try end(try #require(try registry.nextPage(of: listed.id, from: 0)), in: registry) }
        for message in [live.id, listed.id] {
            _ = try registry.apply(.register(1))
            try #require(!registry.isSnapshotCurrent)
            let page = try #require(try submittedNextPage(message, in: registry))
            #expect(page.number == 2)
            #expect(page.recipients.last?.device == deviceID(9_000))
            #expect(registry.isSnapshotCurrent == (steps == 5))
            _ = try registry.apply(.register(1))
            #expect(try registry.nextPage(of: message, from: 0)?.recipients == page.recipients)
        }
    }

    @Test func aDeviceThatLeavesBetweenPagesOrRegistersLaterIsNotAddressed() throws {
        let registry = try scratch.open()
        try register(1..<4_101, in: registry, topics: ["a"])
        #expect(try accept(.sample(toAll: .topic("a")), in: registry)?.total == 4_100)
        let page = try #require(try registry.nextPage(of: first, from: 0))
        _ = try end(page, in: registry)
        _ = try registry.apply(.unsubscribe(["a"], devices: [.id(deviceID(4_100)), .id(deviceID(7))]))
        try register(5_000..<5_010, in: registry, topics: ["a"])
        let last = try #require(try registry.nextPage(of: first, from: 1))
        #expect(last.recipients.compactMap(\.device?.rawValue) == [4_096, 4_097, 4_098, 4_099])
        _ = try end(last, in: registry)
        #expect(try registry.nextPage(of: first, from: 2) == nil)
        #expect(try registry.apply(.finish(first, now: timestamp(3_000))) == .finished(isFinished: true))
        #expect(try registry.status(of: first, app: game)?.total == 4_099)
        #expect(try registry.verify() == [])
    }

    @Test func aPageIsFixedWithItsFirstOutcomeAndADeviceThatLeftEndsAsRemoved() throws {
        let other = try scratch.open()
        _ = try other.apply([
            .register(1, groups: ["g"]), .register(2, groups: ["g"]),
            .register(3, groups: ["g"]), .register(4, groups: ["g"]),
            .register(5),
        ])
        _ = try accept(.sample(toAll: .groups(["g"])), in: other)
        let page = try #require(try other.nextPage(of: first, from: 0))
        _ = try end(page, in: other, upTo: 1)
        _ = try other.apply([
            .leave("g", devices: [byToken(2)]), .unregister(3), .join("g", devices: [byToken(5)]), .mute("g"),
        ])
        other.close()

        let registry = try scratch.open()
        let again = try #require(try registry.nextPage(of: first, from: 0))
        let endings = (again.recipients.compactMap(\.device?.rawValue), again.recipients.map(\.ending))
        #expect(endings == ([2, 3, 4], [.left, .unregistered, .muted]))
        #expect(again.addressed == page.addressed)
        #expect(try registry.pendingRecipients(of: first, page: 0)?.recipients == again.recipients)
        let early = try registry.apply(.finish(first, now: timestamp(3_000)))
        _ = try end(again, in: registry)
        let late = try registry.apply(.finish(first, now: timestamp(3_000)))
        #expect([early, late] == [.finished(isFinished: false), .finished(isFinished: true)])
        let outcomes: [Outcome: UInt64] = [.delivered: 1, .left: 1, .unregistered: 1, .muted: 1]
        #expect(try registry.status(of: first, app: game)?.outcomes == outcomes)
        #expect(try registry.verify() == [])
    }

    @Test func anOutcomeMustBeOfAnAddressedRecipient() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1), .register(2)])
        _ = try accept(.sample(toAll: .all, excluding: byToken(2)), in: registry)
        func recordRecipients(_ offsets: [UInt16]?, position: UInt16, page: UInt32 = 0) throws -> ChangeAnswer {
            let record = OutcomeRecord(
                message: first,
                page: page,
                entries: [.init(position: position, outcome: .delivered)],
                addressed: offsets.flatMap { ChunkBits(ascending: $0) }.map { AddressedChunk($0) }
            )
            return try registry.apply(.recordOutcomes(record, now: timestamp(2_000)))
        }
        let refused = ChangeAnswer.refused(.notFound)
        let answers = try [
            recordRecipients(nil, position: 1), recordRecipients([], position: 1), recordRecipients([1], position: 2),
            recordRecipients([1, 2], position: 1),
            recordRecipients([1, 3], position: 1), recordRecipients([1], position: 1, page: 1),
        ]
        #expect(answers == Array(repeating: refused, count: 6))
        #expect(try recordRecipients([1], position: 1) == .recorded(isFinished: false))
        #expect(try registry.apply(.finish(first, now: timestamp(3_000))) == .finished(isFinished: true))
        #expect(try recordRecipients([1], position: 1, page: 1) == refused)
        #expect(try registry.verify() == [])
    }

    @Test func anEmptyAudienceFinishesAtOnceAndADryRunStoresNothing() throws {
        let registry = try scratch.open()
        _ = try registry.apply([
            .register(1, topics: ["a"]), .register(2),
        ])
        var dry = Message.sample(
            toAll: .condition(try Condition("'a' in topics || kind == 'device'")), excluding: byToken(1))
        dry.isDryRun = true
        dry.idempotencyKey = UUIDBytes(high: 1, low: 1)
        let none = MessageID(rawValue: 0)
        #expect(try registry.dryRun(dry) == Acceptance(id: none, isDuplicate: false, total: 1, ended: 0))
        dry.audience = .devices([byToken(1), byToken(2), byToken(9)])
        #expect(try registry.dryRun(dry) == Acceptance(id: none, isDuplicate: false, total: 2, ended: 1))
        dry.content.app = AppID("com.example.other")!
        #expect(try registry.dryRun(dry).total == 2)
        #expect(try registry.outboxQueues() == [])
        let empty = Message.sample(toAll: .topic("a"), excluding: byToken(1))
        #expect(try accept(empty, in: registry) == Acceptance(id: first, isDuplicate: false, total: 0, ended: 0))
        #expect(try registry.status(of: first, app: game)?.state == .finished)
        #expect(try registry.verify() == [])
    }

    @Test func anAudienceSeesTheChangesBeforeItInItsSubmission() throws {
        let registry = try scratch.open()
        let both = try Condition("'a' in topics && 'b' in topics")
        let answers = try registry.apply([
            .register(1, topics: ["a", "b"]),
            .accept(.sample(toAll: .condition(both)), now: timestamp(1_000)),
            .unsubscribe(["b"], devices: [byToken(1)]),
            .accept(.sample(toAll: .condition(both)), now: timestamp(1_000)),
        ])
        let totals = answers.compactMap { if case .accepted(let acceptance, _) = $0 { acceptance.total } else { nil } }
        #expect(totals == [1, 0])
    }

    @Test func anAnnouncementIsForTheDevicesThatWereThereBefore() throws {
        let registry = try scratch.open()
        _ = try registry.apply((1...4).map { Change.register($0) })
        func announced(_ devices: [DeviceReference]) throws -> [UInt64]? {
            let change = Change.join("user/1", devices: devices, announcing: #"{"aps":{"alert":"new sign-in"}}"#)
            guard case .membership(let answer) = try registry.apply(change), let sent = answer.announcement else {
                return nil
            }
            #expect((sent.outbound == nil) == (try registry.status(of: sent.id, app: game)?.state == .finished))
            return try registry.nextPage(of: sent.id, from: 0)?.recipients.compactMap(\.device?.rawValue) ?? []
        }
        #expect(try announced([byToken(1)]) == [])
        #expect(try announced([byToken(1)]) == nil)
        #expect(try announced([byToken(2), byToken(3), byToken(1)]) == [1])
        #expect(try announced([byToken(9)]) == nil)
        #expect(try announced([byToken(4)]) == [1, 2, 3])
        #expect(try registry.verify() == [])
    }

    @Test func eachDeviceGetsTheBodyOfItsLanguage() throws {
        let registry = try scratch.open()
        let locales = ["zh-Hant-TW", "zh-Hans", "en-GB", "fr", nil]
        _ = try registry.apply(
            locales.enumerated().map { Change.register(UInt8($0.offset + 1), locale: $0.element) })
        let bodies = ["zh-hant", "en", "zh"].map { LanguageBody(language: $0, payload: Array("{}".utf8)) }
        var message = Message.sample(toAll: .all, bodies: bodies)
        _ = try accept(message, in: registry)
        let usual = try #require(try registry.nextPage(of: first, from: 0))
        #expect(usual.recipients.map(\.body) == [1, 3, 2, 0, 0])
        #expect(usual.recipients.map(\.ending) == [nil, nil, nil, nil, nil])
        message.content.payload = []
        _ = try accept(message, in: registry)
        let strict = try #require(try registry.nextPage(of: MessageID(rawValue: 2), from: 0))
        #expect(strict.recipients.map(\.ending) == [nil, nil, nil, .noLanguage, .noLanguage])
        #expect(try registry.unfinished().map(\.content.bodies) == [bodies, bodies])
    }

    @Test func delaysSurviveARestartAndEndWithTheOutcome() throws {
        let other = try scratch.open()
        _ = try other.apply([.register(1), .register(2)])
        _ = try accept(.sample(toAll: .all), in: other)
        let page = try #require(try other.nextPage(of: first, from: 0))
        let delays = [OutcomeRecord.Delay(position: 2, attempts: 3, dueAt: timestamp(9_000))]
        let record = OutcomeRecord(message: first, page: 0, entries: [], delays: delays, addressed: page.addressed)
        _ = try other.apply(.recordOutcomes(record, now: timestamp(2_000)))
        other.close()

        let registry = try scratch.open()
        let again = try #require(try registry.nextPage(of: first, from: 0))
        #expect(again.recipients.map(\.attempts) == [0, 3])
        #expect(again.recipients.map(\.dueAt) == [.zero, timestamp(9_000)])
        #expect(try registry.verify() == [])
        _ = try end(again, in: registry)
        #expect(try registry.verify() == [])
    }

    @Test func aTokenThatIsGoodElsewhereMovesTheDevice() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1), .register(2)])
        var elsewhere = address(2)
        elsewhere.environment = .sandbox
        _ = try registry.apply(.register(Registration(app: game, address: elsewhere), now: timestamp(1_000)))
        _ = try accept(.sample(to: [byToken(1), byToken(2)]), in: registry)
        let entries = (0...1).map {
            OutcomeRecord.RecipientEnd(
                position: UInt16($0), outcome: .delivered, movedTo: .sandbox, registeredAt: timestamp(1_000))
        }
        _ = try registry.apply(
            .recordOutcomes(OutcomeRecord(message: first, page: 0, entries: entries), now: timestamp(2_000)))
        #expect(try registry.device(.id(deviceID(1)), of: game)?.address.environment == .sandbox)
        #expect(try registry.device(byToken(1), of: game) == nil)
        // There is one already that has the token there.
        #expect(try registry.device(.id(deviceID(2)), of: game)?.state == .quarantined)
        #expect(try registry.explain(Condition("environment == 'sandbox'"), app: game).devices == 2)
        #expect(try registry.verify() == [])
    }

    @Test func aSweepOfManyPagesIsBounded() throws {
        let registry = try scratch.open {
            $0.settings?.retention.messageMilliseconds = 100
            $0.settings?.maximumSweptRows = 3
        }
        try register(1..<20_001, in: registry)
        _ = try accept(.sample(toAll: .all), in: registry)
        var page: UInt32 = 0
        while let read = try registry.nextPage(of: first, from: page) {
            _ = try end(read, in: registry)
            page = read.number + 1
        }
        #expect(try registry.apply(.finish(first, now: timestamp(3_000))) == .finished(isFinished: true))
        var calls = 0
        while try registry.sweep(now: timestamp(5_000)) {
            calls += 1
            #expect(try registry.verify() == [])
            #expect(try registry.status(of: first, app: game) == nil)
        }
        #expect(calls > 2)
        #expect(try registry.verify() == [])
    }
}
