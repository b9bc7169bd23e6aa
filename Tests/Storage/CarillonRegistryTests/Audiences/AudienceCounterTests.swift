import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Messages whose audience takes too long to count on the writer's thread: they are accepted first, and counted in a
/// snapshot.
struct AudienceCounterTests {
    private let scratch = RegistryDirectory()
    private let first = messageID(1)

    /// Opens a registry that counts nothing but plain sets on the writer's thread, with five devices in the topic `a`,
    /// of which two are in `b`.
    private func open() throws -> LMDBRegistry {
        let registry = try scratch.open { $0.maximumCountingSteps = 1 }
        try registry.apply((1...5).map { Change.register($0, topics: $0 > 3 ? ["a", "b"] : ["a"]) })
        return registry
    }

    /// Makes a message to three devices that takes long to count.
    private func long(key: UInt64 = 0) throws -> Message {
        var long = Message.sample(to: .condition(try Condition("'a' in topics && !('b' in topics)")))
        long.idempotencyKey = UUIDBytes(high: 0, low: key).nonzero
        return long
    }

    @discardableResult
    private func accept(_ message: Message, in registry: LMDBRegistry) throws -> SendResult {
        let answer = try registry.apply(.accept(message, now: timestamp(1_000)))
        guard case .accepted(let acceptance, _) = answer else { throw RegistryError.corrupted("\(answer)") }
        return acceptance
    }

    @Test func `the message is sent and counted after it was accepted`() throws {
        let registry = try open()
        let acceptance = try accept(long(), in: registry)
        #expect(!acceptance.isCounted)
        #expect(acceptance.total == 0)
        #expect(try registry.unfinished().map(\.id) == [first])
        #expect(try registry.status(of: first, app: game)?.state == .waiting)
        #expect(try registry.audienceCount(of: first) == 3)
        #expect(try registry.apply(.setAudienceCount(first, devices: 3)) == .audienceCounted(devices: 3))
        #expect(try registry.status(of: first, app: game)?.total == 3)
        #expect(try registry.audienceCount(of: first) == nil)
        // A second count comes too late.
        #expect(try registry.apply(.setAudienceCount(first, devices: 9)) == .audienceCounted(devices: 3))
        #expect(try registry.verify() == [])
    }

    @Test func `a plain set is counted at once`() throws {
        let registry = try open()
        let acceptance = try accept(.sample(to: .topic("a")), in: registry)
        #expect(acceptance.isCounted)
        #expect(acceptance.total == 5)
        #expect(try registry.audienceCount(of: first) == nil)
    }

    @Test func `a repeated message has the count once it is known`() throws {
        let registry = try open()
        #expect(try !accept(long(key: 7), in: registry).isDuplicate)
        let early = try accept(long(key: 7), in: registry)
        #expect(early.isDuplicate)
        #expect(!early.isCounted)
        try registry.apply(.setAudienceCount(first, devices: 3))
        let late = try accept(long(key: 7), in: registry)
        #expect(late.isDuplicate)
        #expect(late.isCounted)
        #expect(late.total == 3)
    }

    @Test func `the count of a finished message is that of its recipients`() throws {
        let registry = try open()
        try accept(long(key: 7), in: registry)
        let page = try #require(try registry.nextPage(of: first, from: 0))
        let ended = page.recipients.map { OutcomeRecord.EndedRecipient(position: $0.position, outcome: .delivered) }
        let record = OutcomeRecord(
            message: first, page: page.number, endedRecipients: ended, addressed: page.addressed,
            firstPendingPage: page.number)
        try registry.apply(.recordOutcomes(record, now: timestamp(2_000)))
        #expect(try registry.apply(.finish(first, now: timestamp(2_000))) == .messageChecked(isFinished: true))
        #expect(try registry.audienceCount(of: first) == nil)
        #expect(try registry.apply(.setAudienceCount(first, devices: 99)) == .audienceCounted(devices: 3))
        #expect(try registry.status(of: first, app: game)?.total == 3)
        #expect(try accept(long(key: 7), in: registry).total == 3)
    }

    @Test func `a message for no device finishes when its pages are read`() throws {
        let registry = try open()
        let none = Message.sample(to: .condition(try Condition("'a' in topics && 'z' in topics")))
        // Nothing is read of a set that does not exist.
        #expect(try accept(none, in: registry).total == 0)
        let other = Message.sample(to: .condition(try Condition("'b' in topics && !('a' in topics)")))
        #expect(try !accept(other, in: registry).isCounted)
        let second = messageID(2)
        #expect(try registry.audienceCount(of: second) == 0)
        #expect(try registry.apply(.setAudienceCount(second, devices: 0)) == .audienceCounted(devices: 0))
        #expect(try registry.nextPage(of: second, from: 0) == nil)
        #expect(try registry.apply(.finish(second, now: timestamp(2_000))) == .messageChecked(isFinished: true))
    }

    @Test func `a scheduled message keeps the count of its acceptance`() throws {
        let registry = try open()
        var message = try long()
        message.sendAt = timestamp(5_000)
        #expect(try !accept(message, in: registry).isCounted)
        try registry.apply(.setAudienceCount(first, devices: 3))
        try registry.apply(.releaseScheduled(now: timestamp(5_000)))
        #expect(try registry.status(of: first, app: game)?.total == 3)
        #expect(try registry.unfinished().map(\.id) == [first])
    }

    @Test func `the count of an unknown message is refused`() throws {
        let registry = try open()
        #expect(try registry.audienceCount(of: first) == nil)
        #expect(try registry.apply(.setAudienceCount(first, devices: 1)) == .refused(.notFound))
    }

    // MARK: EXPLAIN

    @Test func `EXPLAIN counts each term`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1, topics: ["a"]), .register(2, topics: ["a", "b"]), .register(3)])
        let explanation = try registry.explain(Condition(#""a" in topics&&!('b' in topics)"#), app: game)
        let terms: [Explanation.Term] = [
            .init(set: "'a' in topics", devices: 2), .init(set: "'b' in topics", devices: 1),
        ]
        #expect(
            explanation == Explanation(condition: "'a' in topics && !'b' in topics", devices: 1, terms: terms))
        #expect(try registry.explain(.all, app: AppID("com.example.other")!).devices == 0)
    }
}
