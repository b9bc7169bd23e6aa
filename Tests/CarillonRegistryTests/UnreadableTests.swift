import CarillonCore
import CarillonLMDB
import Synchronization
import Testing

@testable import CarillonRegistry

/// One record that cannot be read stops what needs it, and nothing else.
struct UnreadableTests {
    private let scratch = Scratch()
    private let queue = OutboxQueue(lane: .interactive, app: game)

    /// A closed registry with a device and messages of the numbers 1 to `count`.
    private func messages(_ count: Int, sendAt: UInt64? = nil) throws {
        let registry = try scratch.open()
        _ = try registry.apply(register(1))
        for _ in 0..<count {
            var message = message(toAll: .all)
            message.sendAt = sendAt.map { time($0) }
            _ = try registry.apply(.accept(message, now: time(1_000)))
        }
        registry.close()
    }

    /// Opens the registry; `told` gets what it tells to be unreadable.
    private func open(_ told: Told) throws -> LMDBRegistry {
        try scratch.open { $0.onUnreadable = { what in told.texts.withLock { $0.append(what) } } }
    }

    private final class Told: Sendable {
        let texts = Mutex<[String]>([])

        func take() -> [String] {
            texts.withLock { texts in
                defer { texts = [] }
                return texts
            }
        }
    }

    private func ids(_ numbers: UInt64...) -> [MessageID] { numbers.map { MessageID(rawValue: $0) } }

    @Test func anUnreadableMessageDoesNotStopItsLine() throws {
        try messages(4)
        try scratch.spoilMessage(2)
        try scratch.spoilMessage(4)
        let registry = try scratch.open()
        let first = try registry.unfinishedMessages(in: queue, after: nil, limit: 2)
        #expect(first.entries.map(\.id) == ids(1))
        #expect(first.unreadable == [UnreadableMessage(id: ids(2)[0], reason: "messages: an unknown version")])
        #expect(first.last == ids(2)[0])
        #expect(!first.isEnd)
        let second = try registry.unfinishedMessages(in: queue, after: first.last, limit: 3)
        #expect(second.entries.map(\.id) == ids(3))
        #expect(second.unreadable.map(\.id) == ids(4))
        #expect(second.last == ids(4)[0])
        #expect(second.isEnd)
    }

    @Test func anUnreadableMessageDoesNotStopTheSchedule() throws {
        try messages(3, sendAt: 5_000)
        try scratch.spoilMessage(1)
        let told = Told()
        let registry = try open(told)
        guard case .released(let entries, nil) = try registry.apply(.release(now: time(5_000))) else {
            return #expect(Bool(false), "not released")
        }
        #expect(entries.map(\.id) == ids(2, 3))
        #expect(told.take() == ["scheduled message 1: messages: an unknown version"])
        #expect(try registry.apply(.release(now: time(6_000))) == .released([], next: nil))
        #expect(told.take() == [])
        registry.close()
        // It waits for whoever repairs it.
        let again = try open(told)
        #expect(try again.nextScheduled() == time(5_000))
        #expect(try again.apply(.release(now: time(7_000))) == .released([], next: nil))
        #expect(told.take().count == 1)
    }

    @Test func aMessageWhoseAudienceIsUnreadableDoesNotStopTheSchedule() throws {
        let first = try scratch.open()
        _ = try first.apply([register(1, topics: ["en", "zh"])])
        for condition in ["'en' in topics && 'zh' in topics", "all"] {
            var message = message(toAll: .condition(try CarillonRegistryTests.condition(condition)))
            message.sendAt = time(5_000)
            _ = try first.apply(.accept(message, now: time(1_000)))
        }
        first.close()
        try scratch.edit { environment, layout in
            try environment.write { transaction in
                let label = ByteWriter.bytes(capacity: 16) { writer in
                    writer.append(AppNumber(1))
                    SetLabel.topic(topic("en")).append(to: &writer)
                }
                try transaction.put(layout.sets.database, label.span, ([9] as [UInt8]).span)
            }
        }
        let told = Told()
        let registry = try open(told)
        #expect(throws: RegistryError.self) { try registry.apply(.release(now: time(5_000))) }
        #expect(told.take().count == 1)
        guard case .released(let entries, nil) = try registry.apply(.release(now: time(5_000))) else {
            return #expect(Bool(false), "not released")
        }
        #expect(entries.map(\.id) == ids(2))
        #expect(told.take() == [])
    }
}

extension Scratch {
    /// Makes the record of a message unreadable.
    func spoilMessage(_ id: UInt8) throws {
        try edit { environment, layout in
            try environment.write { transaction in
                let key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, id]
                try transaction.put(layout.messages.database, key.span, ([99] as [UInt8]).span)
            }
        }
    }
}
