import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// A row that cannot be read stops the read that needs it, and no other read.
struct UnreadableReadTests {
    private let scratch = RegistryDirectory()
    private let queue = OutboxQueue(lane: .interactive, app: game)

    @Test func anUnreadableMessageDoesNotStopItsQueue() throws {
        try scratch.acceptMessages(4)
        try scratch.corruptMessage(2)
        try scratch.corruptMessage(4)
        let registry = try scratch.open()
        let first = try registry.unfinishedMessages(in: queue, after: nil, limit: 2)
        #expect(first.messages.map(\.id) == [messageID(1)])
        #expect(first.unreadable == [UnreadableMessage(id: messageID(2), reason: "messages: an unknown version")])
        #expect(first.last == messageID(2))
        #expect(!first.isEnd)
        let second = try registry.unfinishedMessages(in: queue, after: first.last, limit: 3)
        #expect(second.messages.map(\.id) == [messageID(3)])
        #expect(second.unreadable.map(\.id) == [messageID(4)])
        #expect(second.last == messageID(4))
        #expect(second.isEnd)
    }

    @Test func anUnreadableAppDoesNotStopTheOthers() throws {
        try scratch.acceptMessages(1)
        let other = AppID("com.example.other")!
        let first = try scratch.open()
        var message = Message.sample(toAll: .all)
        message.content.app = other
        _ = try first.apply([
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
}
